"""Steps in the tab *Memories*."""

from playwright.sync_api import expect

from .visit import DESK, PHONE, Step, Visit, require

EDITED = "He is called Biscuit the Brave <b>now</b>."


def finds_and_edits(visit: Visit) -> None:
    visit.tab("Memories")
    expect(visit.at("ltm-memories")).to_contain_text("Crumb")
    visit.shot("browser")
    search(visit, "ginger cat")
    expect(visit.at("ltm-memories")).not_to_contain_text("Pepper")
    select(visit, "one-eyed ginger cat")
    visit.at("ltm-user-side").locator("textarea").fill(EDITED)
    visit.press("Save changes")
    visit.says("ltm-told", "Changed.")
    search(visit, "Biscuit the Brave")
    expect(visit.at("ltm-memories")).to_contain_text(EDITED)
    visit.shot("edited")
    visit.press("Pin")
    visit.says("ltm-told", "Pinned")


def forgets_and_erases(visit: Visit) -> None:
    visit.press("Forget")
    visit.says("ltm-told", "Forgotten.")
    expect(visit.at("ltm-memories")).not_to_contain_text(EDITED)
    visit.says("ltm-forgotten", "Biscuit the Brave")
    visit.shot("forgotten")
    visit.press("Bring back")
    expect(visit.at("ltm-memories")).to_contain_text(EDITED)
    select(visit, EDITED)
    visit.press("Forget")
    visit.says("ltm-told", "Forgotten.")
    visit.press("Erase now")
    visit.says("ltm-told", "1 memory erased")
    files = [path.read_text("utf-8") for path in visit.folder.rglob("conversations/*.jsonl")]
    require(
        not any("Biscuit the Brave" in file for file in files), "erased words are still on disk"
    )


def search(visit: Visit, text: str) -> None:
    field = visit.at("ltm-search").locator("textarea, input")
    field.fill(text)
    field.press("Enter")


def select(visit: Visit, text: str) -> None:
    """The last one found: Gradio 4 keeps a hidden copy of the table before it."""
    visit.at("ltm-memories").get_by_text(text).locator("visible=true").last.click()
    visit.says("ltm-user-side", text)


HEADS_FIT = """() => {
    const heads = [...document.querySelectorAll("#ltm-memories th")].map(it => it.offsetHeight);
    return heads.length > 0 && heads.every(it => it < 90);
}"""


def fits_a_phone(visit: Visit) -> None:
    """Tables scroll there; no word of their heads stands in letters below each other."""
    visit.page.set_viewport_size(PHONE)
    visit.page.wait_for_function(HEADS_FIT)
    visit.shot("phone")
    visit.page.set_viewport_size(DESK)


STEPS: tuple[Step, ...] = (finds_and_edits, fits_a_phone, forgets_and_erases)

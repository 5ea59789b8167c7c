"""Steps in the tab *Memories*."""

from playwright.sync_api import Locator, expect

from .visit import DESK, LAPTOP, PHONE, Step, Visit, require

LIST_ID = "ltm-memories"
FOLLOWS = """([first, second]) => Boolean(
    document.getElementById(first).compareDocumentPosition(document.getElementById(second))
        & Node.DOCUMENT_POSITION_FOLLOWING
)"""
EDITED = "He is called Biscuit the Brave <b>now</b>."


def finds_and_edits(visit: Visit) -> None:
    visit.inner_tab("Memories")
    visit.says("ltm-browser", "About me")
    visit.lacks("ltm-browser", "Pets")
    visit.shot("memories")
    visit.press("Show", within=visit.at("ltm-browser"))
    visit.says("ltm-browser", "Pets")
    visit.shot("memories-about-me")
    visit.press("Hide", within=visit.at("ltm-browser"))
    visit.lacks("ltm-browser", "Pets")
    search(visit, "ginger ca")
    expect(card(visit).locator("mark").first).to_be_visible()
    visit.lacks("ltm-memories", "Pepper")
    press(visit, "Edit")
    visit.at("ltm-memories").locator("textarea[name=user]").fill(EDITED)
    visit.shot("memories-edit")
    visit.page.get_by_role("button", name="Save changes", exact=True).dblclick()
    visit.says("ltm-browser", "Changed.")
    visit.settles()
    visit.says("ltm-browser", "Changed.")  # not that the second click changed nothing
    asks_then_searches(visit)
    search(visit, "")
    expect(visit.at("ltm-ask-answer")).to_be_hidden()
    search(visit, "Biscuit the Brave")
    expect(card(visit)).to_contain_text(EDITED)
    press(visit, "Pin")
    visit.says("ltm-browser", "1 memory pinned")
    visit.shot("memories-pinned")


def asks_then_searches(visit: Visit) -> None:
    field, answer = visit.at("ltm-search").locator("textarea, input"), visit.at("ltm-ask-answer")
    search(visit, "Where did I find my cat?")
    field.press("Enter")
    visit.says("ltm-ask-answer", "A cat who commits to the bit")
    visit.shot("memories-asked")
    search(visit, "ginger")
    field.press("Enter")
    expect(answer).to_be_hidden()


def forgets_and_erases(visit: Visit) -> None:
    press(visit, "Forget")
    visit.says("ltm-browser", "1 memory forgotten")
    visit.shot("memories-forgotten")
    visit.press("Undo", within=visit.at("ltm-browser"))
    visit.says("ltm-browser", "Undone.")
    visit.says("ltm-memories", EDITED)
    press(visit, "Forget")
    visit.says("ltm-browser", "1 memory forgotten")
    visit.press("Forgotten lately")
    visit.says("ltm-browser", "1 forgotten memory")
    visit.press("Erase now")
    visit.press("Yes, erase for good")
    visit.says("ltm-browser", "1 memory erased")
    visit.press("Back to all memories")
    search(visit, "")
    files = [path.read_text("utf-8") for path in visit.folder.rglob("conversations/*.jsonl")]
    require(
        not any("Biscuit the Brave" in file for file in files), "erased words are still on disk"
    )


def leaves_nothing_in_the_browser(visit: Visit) -> None:
    """What is forgotten here must not stay in the browser's own storage."""
    visit.settles()
    stored = visit.page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    require("Biscuit" not in stored, f"the browser keeps memories: {len(stored)} characters")


def shows_views(visit: Visit) -> None:
    visit.press("Timeline")
    expect(visit.page.locator(".ltm-timeline li").first).to_be_visible()
    visit.shot("memories-timeline")
    visit.press("Map")
    if not visit.page.locator(".ltm-map").count():
        visit.says("ltm-browser", "The map ")  # needs a model, or appears later
    visit.press("List")
    expect(card(visit)).to_be_visible()


def stands_in_order(visit: Visit) -> None:
    """The list stands above the folds that nothing waits in."""
    visit.inner_tab("Memories")
    tops = [
        visit.page.locator(name).bounding_box()
        for name in ("#ltm-search", "#ltm-browser", "#ltm-review-idle")
    ]
    heights = [box["y"] for box in tops if box]
    require(len(heights) == 3 and heights == sorted(heights), f"not in order: {tops}")
    follows = visit.page.evaluate(FOLLOWS, ["ltm-browser", "ltm-review-idle"])
    require(follows, "the keyboard reaches an idle review before the list")


def begins_on_the_first_screen(visit: Visit) -> None:
    """The first memories can be read without scrolling."""
    visit.page.set_viewport_size(LAPTOP)
    visit.settles()
    second = visit.page.locator("#ltm-memories > ol > .ltm-memory").nth(1)
    box = second.bounding_box()
    is_seen = box is not None and box["y"] + box["height"] <= LAPTOP["height"]
    require(is_seen, f"the second memory is not on the first screen: {box}")
    visit.page.set_viewport_size(DESK)


def search(visit: Visit, text: str) -> None:
    visit.fill("ltm-search", text)


def card(visit: Visit) -> Locator:
    """Returns the first memory of the list."""
    return visit.page.locator("#ltm-memories > ol > .ltm-memory").first


def press(visit: Visit, name: str) -> None:
    visit.press(name, within=card(visit))


IS_NARROW = "() => document.documentElement.scrollWidth <= window.innerWidth"


def fits_a_phone(visit: Visit) -> None:
    visit.page.set_viewport_size(PHONE)
    visit.page.wait_for_function(IS_NARROW)
    visit.shot("memories-phone")
    visit.page.set_viewport_size(DESK)


def opens_a_chat(visit: Visit) -> None:
    """Opens the chat of a memory; the tab alone, as in the host, has no button for it."""
    if not visit.at("demo-open-chat").count():
        expect(visit.page.get_by_text("Open in chat")).to_have_count(0)
        return
    search(visit, "hazelnuts")
    expect(card(visit)).to_contain_text("hazelnuts")
    press(visit, "Open in chat")
    visit.says("chat", "hazelnuts")
    visit.shot("memories-chat-opened")
    visit.tab("Long-term memory")


STEPS: tuple[Step, ...] = (
    stands_in_order,
    begins_on_the_first_screen,
    finds_and_edits,
    fits_a_phone,
    forgets_and_erases,
    leaves_nothing_in_the_browser,
    shows_views,
    opens_a_chat,
)

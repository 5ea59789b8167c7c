"""What people need most often: the clicks and seconds it takes, from the open chat."""

import json
import time
from collections.abc import Mapping

from playwright.sync_api import expect

from .transfer import chatgpt_export, drop
from .visit import CAT, PROJECT, Step, Visit, require

MOST_CLICKS = 3
_COUNT = """() => {
    const count = event => { if (event.isTrusted) window.ltmClicks++; };
    if (window.ltmClicks === undefined) document.addEventListener('click', count, true);
    window.ltmClicks = 0;
}"""


def needs_few_clicks(visit: Visit) -> None:
    visit.outer_tab(1)
    visit.tab("Last answer")  # the tab that a person finds who opened no other
    visit.outer_tab(0)
    visit.says("questions", CAT)
    found = {name: _measure(visit, act) for name, act in IN_THE_CHAT.items()}
    opened = _measure(visit, opens_the_tab)
    for name, act in IN_THE_TAB.items():
        inside = _measure(visit, act)
        found[name] = {key: round(opened[key] + inside[key], 1) for key in opened}
    visit.press("Done")  # with the import
    visit.inner_tab("Memories")
    visit.press("Hide", within=visit.at("ltm-browser"))
    visit.report("clicks", found)
    _keep_table(found)
    many = {name: told for name, told in found.items() if told["clicks"] > MOST_CLICKS}
    require(not many, f"more than {MOST_CLICKS} clicks: {many}")


def _keep_table(found: Mapping[str, Mapping[str, float]]) -> None:
    """Writes the table of needs where the documents name it."""
    path = PROJECT / "build" / "clicks.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(found, indent=1), encoding="utf-8")


def _measure(visit: Visit, act: Step) -> dict[str, float]:
    """Returns the clicks and seconds until the outcome."""
    visit.page.evaluate(_COUNT)
    started = time.monotonic()
    act(visit)
    seconds = round(time.monotonic() - started, 1)
    return {"clicks": visit.page.evaluate("window.ltmClicks"), "seconds": seconds}


def opens_the_tab(visit: Visit) -> None:
    visit.tab("Long-term memory")


def asks(visit: Visit) -> None:
    """Leaves an open chat whose answer was given memories."""
    visit.click(visit.at("question-0"))
    visit.at("chat").locator("details.demo-why").wait_for()


def about_me(visit: Visit) -> None:
    visit.tab("Memories")
    visit.press("Show", within=visit.at("ltm-browser"))
    visit.says("ltm-browser", "People and family")


def why(visit: Visit) -> None:
    summary = visit.at("chat").locator("details.demo-why summary").last
    visit.click(summary)
    expect(visit.at("chat").locator("details.demo-why li").last).to_be_visible()


def forget_that(visit: Visit) -> None:
    visit.click(visit.at("ltm-last-answer").get_by_role("button", name="Forget", exact=True).first)
    visit.says("ltm-last-answer", "Forgotten.")


def undo(visit: Visit) -> None:
    gone = visit.at("ltm-last-answer").locator("li").filter(has_text="Forgotten.").first
    visit.press("Undo", within=gone)
    forgotten = visit.at("ltm-last-answer").locator("li").filter(has_text="Forgotten. ")
    expect(forgotten).to_have_count(0)


def is_it_working(visit: Visit) -> None:
    visit.says("ltm-banner", "Memory is working")


def import_the_hosts_chats(visit: Visit) -> None:
    visit.tab("Import and back up")
    visit.press("Import all past chats")
    expect(visit.at("ltm-intake")).not_to_have_text("")


def import_chatgpts(visit: Visit) -> None:
    """Drops the file, which is no click."""
    visit.tab("Import and back up")
    drop(visit, chatgpt_export(visit.folder / "clicks.zip", chats=2, exchanges=2))
    visit.says("ltm-intake", "4 messages")
    visit.press("Import")
    visit.says("ltm-intake", "4 new memories")


def back_up_all(visit: Visit) -> None:
    visit.tab("Import and back up")
    visit.settles()
    with visit.page.expect_download():
        visit.at("ltm-backup-all").click()


def pause(visit: Visit) -> None:
    visit.press("Pause in this chat")
    visit.says("ltm-banner", "paused")


def resume(visit: Visit) -> None:
    visit.press("Resume in this chat")
    visit.lacks("ltm-banner", "paused")


IN_THE_CHAT: dict[str, Step] = {"ask about an old chat": asks, "why": why}
# The click that opens the tab is added to theirs.
IN_THE_TAB: dict[str, Step] = {
    "is it working": is_it_working,
    "forget that": forget_that,
    "undo": undo,
    "pause": pause,
    "resume": resume,
    "about me": about_me,
    "import the host's chats": import_the_hosts_chats,
    "import ChatGPT's chats": import_chatgpts,
    "back up all": back_up_all,
}
STEPS: tuple[Step, ...] = (needs_few_clicks,)

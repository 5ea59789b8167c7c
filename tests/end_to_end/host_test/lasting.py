"""Memories survive a restart of the whole host and of its page only."""

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser

from . import memory_files, talk
from .page import ChatPage
from .running import Running, until
from .settling import SOON_S
from .speakers import PageSpeaker

FACT = talk.RESTARTED
_RESTART = "Apply flags/extensions and restart"
_SERVES = "Running on local URL"


def still_knows(host: Running, page: ChatPage, notes: Iterator[int]) -> None:
    """Asks in a new chat for a fact from before the restart."""
    page.choose_mode("chat")
    speaker = PageSpeaker(page, notes)
    speaker.new_chat()
    speaker.say(FACT.question)
    assert FACT.answer in host.sandbox.prompts()[-1], "the fact is not in the prompt"


def page_restarted(host: Running, browser: Browser, page: ChatPage, notes: Iterator[int]) -> None:
    """The host executes script.py anew (user_data) or only builds the page anew (extensions)."""
    served = host.log().count(_SERVES)
    page.open_tab("Session")
    page.page.get_by_role("button", name=_RESTART).click()
    until(lambda: host.log().count(_SERVES) > served, within_s=60, what="the page serves again")
    page.close()
    again = ChatPage(browser, host.page_url)
    still_knows(host, again, notes)
    speaker = PageSpeaker(again, notes)
    sent = speaker.say(talk.other_talk(7))
    storage = host.sandbox.storage
    until(lambda: memory_files.times_added(storage, sent), within_s=SOON_S, what="remembered")
    later = speaker.say(talk.other_talk(8))
    until(lambda: memory_files.times_added(storage, later), within_s=SOON_S, what="remembered")
    assert memory_files.times_added(storage, sent) == 1, "two runtimes write"
    again.close()


def tab_is_shown(page: ChatPage, name: str, picture: Path) -> None:
    page.open_tab(name)
    shown = page.page.locator(".extension-tab").filter(visible=True)
    shown.wait_for()
    page.page.screenshot(path=picture)
    text = shown.inner_text()
    assert text.strip(), "the tab is empty"
    assert "Long-term memory is off" not in text, text
    assert "its tab does not" not in text, text
    assert not page.faults, page.faults


def log_is_clean(host: Running) -> None:
    """Checks the log for exceptions and for problems that the extension reports as its own bugs."""
    text = host.log()
    for sign in ("Traceback (most recent call last)", "please report it"):
        place = text.find(sign)
        assert place < 0, text[max(0, place - 300) : place + 1500]

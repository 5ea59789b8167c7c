"""Some chats are never remembered, and nobody sees another's memories."""

from collections.abc import Iterator

from playwright.sync_api import Browser

from . import memory_files, talk
from .page import ChatPage
from .running import Running, until
from .settling import SOON_S
from .speakers import ApiSpeaker, PageSpeaker

SECRET = "The xylophone is hidden in the bakery."
_SECRET_WORD = "xylophone"
PASSWORD = "between-us"
SIGN_IN_FLAGS = ("--multi-user", "--gradio-auth", f"alice:{PASSWORD},bob:{PASSWORD}")
FACT = talk.NEW_CHAT["chat"]


def incognito(host: Running, page: ChatPage, notes: Iterator[int]) -> None:
    """Waits for a later memory, which proves that the earlier message was processed."""
    speaker = PageSpeaker(page, notes)
    page.new_incognito_chat()
    speaker.say(SECRET)
    speaker.new_chat()
    sent = speaker.say(talk.other_talk(3))
    _await_stored(host, sent)
    _check_nowhere(host)
    assert _SECRET_WORD not in host.log(), "the log tells what was said"


def two_users(host: Running, notes: Iterator[int], mode: str) -> None:
    ann, ben = (ApiSpeaker(host, notes, mode=mode, user=user) for user in ("ann", "ben"))
    _await_stored(host, ann.say(FACT.told))
    ben.say(FACT.question)
    assert FACT.answer not in host.sandbox.prompts()[-1], "ben sees what ann told"
    ann.new_chat()
    ann.say(FACT.question)
    assert FACT.answer in host.sandbox.prompts()[-1], "ann does not see what she told"


def without_user(host: Running, notes: Iterator[int]) -> None:
    nobody = ApiSpeaker(host, notes, mode="chat", user="")
    nobody.say(SECRET)
    somebody = ApiSpeaker(host, notes, mode="chat", user="somebody")
    _await_stored(host, somebody.say(talk.other_talk(5)))
    _check_nowhere(host)
    assert "names no user" in " ".join(host.log().split()), "the log does not say why"


def signed_in(host: Running, browser: Browser, notes: Iterator[int]) -> None:
    alice = _signed_in(host, browser, notes, "alice")
    _await_stored(host, alice.say(FACT.told))
    bob = _signed_in(host, browser, notes, "bob")
    bob.say(FACT.question)
    assert FACT.answer not in host.sandbox.prompts()[-1], "bob sees what alice told"
    alice.new_chat()
    alice.say(FACT.question)
    assert FACT.answer in host.sandbox.prompts()[-1], "alice does not see what she told"


def _signed_in(host: Running, browser: Browser, notes: Iterator[int], name: str) -> PageSpeaker:
    page = ChatPage(browser, host.page_url, login=(name, PASSWORD))
    page.choose_mode("chat")
    return PageSpeaker(page, notes)


def _check_nowhere(host: Running) -> None:
    found = memory_files.files_with(host.sandbox.storage.parent, _SECRET_WORD)
    assert not found, f"kept in {found}"


def _await_stored(host: Running, sent: str) -> None:
    until(
        lambda: memory_files.times_added(host.sandbox.storage, sent),
        within_s=SOON_S,
        what=f"{sent!r} is remembered",
    )

"""Soon after an answer the transcript agrees with the chat, even after an interruption."""

from collections.abc import Iterator
from pathlib import Path

from . import memory_files, talk
from .page import ChatPage
from .report import Report
from .running import Running, until
from .sandbox import Sandbox
from .speakers import ApiSpeaker
from .untouched import chat_files

SOON_S = 5.0
UNANSWERED_S = 15.0  # a closed page leaves no sign of whether an answer still comes

Pair = tuple[str, str]


class PageSettling:
    """Each case has a chat of its own, on the page that is open."""

    def __init__(self, host: Running, page: ChatPage, notes: Iterator[int]) -> None:
        self._host = host
        self._page = page
        self._notes = notes

    def run(self, report: Report) -> None:
        cases = {
            "a finished exchange is remembered within 5 s": self.finished,
            "also what Stop has cut short": self.stopped,
            "a regenerated answer replaces the first": self.regenerated,
            "an edited answer replaces the first": self.answer_edited,
            "an edited message replaces the first": self.message_edited,
            "what Remove last takes away is gone": self.removed,
            "also if the page is closed at once": self.page_closed,
        }
        for title, case in cases.items():
            with report.case(title, self._host.sandbox.route, "chat", "page"):
                case()

    def finished(self) -> None:
        self._begin()
        self._await_the_same()

    def stopped(self) -> None:
        self._page.new_chat()
        number = next(self._notes)
        self._page.send(talk.note(talk.other_talk(number), number, manner="slowly"))
        self._page.await_part(f"Reply {number}, take 1.")
        self._page.stop()
        ((_, shown),) = self._page.exchanges()
        assert talk.answer(number).startswith(shown), f"not cut short: {shown!r}"
        assert shown != talk.answer(number), "Stop came too late"
        self._await_the_same()

    def regenerated(self) -> None:
        number = self._begin()
        self._await_the_same()
        self._page.regenerate(answer=talk.answer(number, 2))
        self._await_the_same()

    def answer_edited(self) -> None:
        self._begin()
        self._await_the_same()
        self._page.edit(-1, "I have thought about it and say something else.")
        self._await_the_same()

    def message_edited(self) -> None:
        number = self._begin()
        self._await_the_same()
        self._page.edit(-2, talk.note("I meant something else.", number))
        self._await_the_same()

    def removed(self) -> None:
        self._begin()
        self._say()
        self._await_the_same()
        self._page.remove_last()
        assert len(self._page.exchanges()) == 1
        self._await_the_same()

    def page_closed(self) -> None:
        self._begin()
        shown = self._page.exchanges()
        self._page.close()
        self._await(shown)

    def _begin(self) -> int:
        self._page.new_chat()
        return self._say()

    def _say(self) -> int:
        number = next(self._notes)
        message = talk.note(talk.other_talk(number), number)
        self._page.say(message, answer=talk.answer(number))
        return number

    def _await_the_same(self) -> None:
        self._await(self._page.exchanges())

    def _await(self, shown: list[Pair]) -> None:
        conversation = newest_chat(self._host.sandbox).stem
        await_remembered(self._host.sandbox, conversation, shown, within_s=SOON_S)


def closed_while_answering(host: Running, page: ChatPage, notes: Iterator[int]) -> None:
    """Checks that the message stays, although the host itself loses the answer."""
    page.new_chat()
    number = next(notes)
    message = talk.note(talk.other_talk(number), number, manner="slowly")
    page.send(message)
    page.await_part(f"Reply {number}, take 1.")
    page.close()
    sandbox = host.sandbox
    until(
        lambda: any(message == it[0] for it in remembered(sandbox, newest_chat(sandbox).stem)),
        within_s=UNANSWERED_S,
        what="the message without its answer is remembered",
    )


def by_api(host: Running, notes: Iterator[int], report: Report) -> None:
    route = host.sandbox.route
    for mode in talk.MODES:
        speaker = ApiSpeaker(host, notes, mode=mode, user="settling")
        with report.case("a finished exchange is remembered within 5 s", route, mode, "API"):
            speaker.said.append(_streamed(speaker, next(notes)))
            _await_api(host, speaker)
            speaker.say(talk.other_talk(1))
            _await_api(host, speaker)
        with report.case("an answer asked for again replaces the first", route, mode, "API"):
            sent, _ = speaker.said.pop()
            speaker.said.append((sent, speaker.answer_to(sent)))
            assert "take 2" in speaker.said[-1][1]
            _await_api(host, speaker)


def _streamed(speaker: ApiSpeaker, number: int) -> Pair:
    sent = talk.note(talk.other_talk(number), number)
    answer = speaker.streamed_answer_to(sent)
    assert answer == talk.answer(number)
    return sent, answer


def _await_api(host: Running, speaker: ApiSpeaker) -> None:
    storage = host.sandbox.storage
    first = speaker.said[0][0]
    until(
        lambda: memory_files.conversation_with(storage, first), within_s=SOON_S, what="remembered"
    )
    conversation = memory_files.conversation_with(storage, first)
    await_remembered(host.sandbox, conversation, speaker.said, within_s=SOON_S)


def remembered(sandbox: Sandbox, conversation: str) -> list[Pair]:
    return memory_files.exchanges(sandbox.storage, conversation)


def await_remembered(
    sandbox: Sandbox, conversation: str, shown: list[Pair], *, within_s: float
) -> None:
    """Waits until the transcript agrees with the chat."""
    try:
        until(lambda: remembered(sandbox, conversation) == shown, within_s=within_s, what="")
    except AssertionError:
        found = remembered(sandbox, conversation)
        raise AssertionError(f"{within_s} s later {found} is remembered of {shown}") from None


def newest_chat(sandbox: Sandbox) -> Path:
    return max(chat_files(sandbox), key=lambda path: path.stem)

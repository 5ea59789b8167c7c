"""After every action of the page, in every mode, memory agrees with the saved chat."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from . import memory_files, talk
from .handles import Handles
from .page import ChatPage
from .report import Report
from .running import Running, until
from .settling import UNANSWERED_S, remembered
from .untouched import chat_files, saved_rows

SOON_S = 8.0
GREETING_MARK = "<|BEGIN-VISIBLE-CHAT|>"

Pair = tuple[str, str]
Act = Callable[[], None]


@dataclass(slots=True)
class Actions:
    """One mode, one page, a chat of its own for each action."""

    host: Running
    browser: Browser
    page: ChatPage
    notes: Iterator[int]
    mode: str

    @property
    def handles(self) -> Handles:
        return Handles(self.page)

    def run(self, report: Report) -> None:
        for title, act in self.cases().items():
            with report.case(title, self.host.sandbox.route, self.mode, "page"):
                self._fresh_chat()
                act()

    def cases(self) -> dict[str, Act]:
        return {
            "send": self.send,
            "regenerate": self.regenerate,
            "continue": self.continue_reply,
            "start reply with": self.start_with,
            "stop": self.stop,
            "page closed while the model writes": self.page_closed,
            "an answer with reasoning and tags": self.reasoning,
            "a tool is called": self.tool_loop,
            "impersonate": self.impersonate,
            "edit of the user's message": self.edit_message,
            "edit of the answer": self.edit_answer,
            "swipe back and forth": self.swipe,
            "remove last": self.remove_last,
            "dummy message and reply": self.dummies,
            "branch": self.branch,
            "new chat, then back to the old one": self.select_old,
            "rename": self.rename,
            "delete": self.delete,
            "upload": self.upload,
            "character change": self.change_character,
            "incognito": self.incognito,
        }

    def send(self) -> None:
        self._say()
        self._say()
        self._same()

    def regenerate(self) -> None:
        number = self._say()
        self._same()
        self.page.regenerate(answer=talk.answer(number, 2))
        self._same()

    def continue_reply(self) -> None:
        number = self._say()
        self._same()
        self.handles.click("#Continue")
        self._until_saved(lambda: self._last()[1] != talk.answer(number))
        self._same()

    def start_with(self) -> None:
        try:
            self.handles.start_with("Well then,")
            number = next(self.notes)
            self.page.send(talk.note(talk.other_talk(number), number))
            self._until_saved(lambda: self._last()[1].startswith("Well then,"))
            self.handles.await_idle()
        finally:
            self.handles.start_with("")
        assert self._last()[1].startswith("Well then,")
        self._same()

    def stop(self) -> None:
        number = self._send_slowly()
        self.page.stop()
        assert self._last()[1] != talk.answer(number), "Stop came too late"
        self._same()

    def page_closed(self) -> None:
        self._say()
        path = self._open_chat()
        self._send_slowly()
        self.page.close()
        self._open_again()
        self._same(path, within_s=UNANSWERED_S)
        assert len(self._kept(path)) == 2, "the message without an answer is lost"

    def reasoning(self) -> None:
        number = next(self.notes)
        message = talk.note(talk.other_talk(number), number, manner="thinking")
        self.page.send(message)
        self._until_saved(lambda: "</think>" in self._last()[1])
        self.handles.await_idle()
        self._await({(message, talk.answer(number))})

    def tool_loop(self) -> None:
        try:
            self.handles.choose_tool("roll_dice")
            number = next(self.notes)
            message = talk.note(talk.other_talk(number), number, manner="tool")
            self.page.send(message)
            self._until_saved(lambda: self._last()[1].endswith(talk.answer(number, 2)))
            self.handles.await_idle()
        finally:
            self.handles.choose_no_tool()
        path = self._open_chat()
        until(lambda: len(self._kept(path)) == 1, within_s=SOON_S, what="it is remembered once")
        ((asked, answered),) = self._kept(path)
        assert asked == message
        assert "tool_call" not in answered, answered
        assert answered.endswith(talk.answer(number, 2)), answered

    def impersonate(self) -> None:
        self._say()
        self.handles.click("#Impersonate")
        self.handles.await_idle()
        self._same()

    def edit_message(self) -> None:
        number = self._say()
        self._same()
        self.page.edit(-2, talk.note("I meant something else.", number))
        self._same()

    def edit_answer(self) -> None:
        self._say()
        self._same()
        self.page.edit(-1, "I have thought about it and say something else.")
        self._same()

    def swipe(self) -> None:
        number = self._say()
        self.page.regenerate(answer=talk.answer(number, 2))
        self._same()
        self.handles.swipe_left()
        self._until_saved(lambda: self._last()[1] == talk.answer(number))
        self._same()
        self.handles.swipe_right()
        self._until_saved(lambda: self._last()[1] == talk.answer(number, 2))
        self._same()

    def remove_last(self) -> None:
        self._say()
        self._say()
        self._same()
        self.page.remove_last()
        assert len(self._told()) == 1, "the host removed nothing"
        self._same()

    def dummies(self) -> None:
        number = next(self.notes)
        self.handles.dummy("Send dummy message", talk.note(talk.other_talk(number), number))
        self._until_saved(lambda: self._last() == (talk.note(talk.other_talk(number), number), ""))
        self.handles.dummy("Send dummy reply", talk.answer(number))
        self._until_saved(lambda: self._last()[1] == talk.answer(number))
        self._same()

    def branch(self) -> None:
        """The shared exchange is one memory, and the branch's own is in the branch only."""
        self._say()
        self._say()
        old = self._open_chat()
        self._same(old)
        first = self._told()[0]
        if len(self.page.exchanges()) != len(self._told()):  # it may have missed a redrawing
            self.page.reload()
        self.handles.branch_at(-3)
        until(lambda: self._open_chat() != old, within_s=SOON_S, what="the branch")
        self._say()
        new = self._open_chat()
        assert self._told(new)[0] == first, "the branch does not begin as its trunk did"
        self._same(new)
        self._same(old)
        times = memory_files.times_added(self.host.sandbox.storage, first[0])
        assert times == 1, f"the shared exchange was added {times} times"

    def select_old(self) -> None:
        self._say()
        old = self._open_chat()
        self._same(old)
        self.page.new_chat()
        self._say()
        self._same()
        self.handles.select_chat(1)
        self._say()
        self._same(old)

    def rename(self) -> None:
        number = self._say()
        old = self._open_chat()
        self._same(old)
        name = f"renamed {number}"
        self.handles.rename(name)
        new = old.with_stem(name)
        until(new.exists, within_s=SOON_S, what="the host has renamed it")
        assert not old.exists(), "the host kept the old file"
        sent = self._told(new)[0][0]
        self._say()
        self._same(new)
        times = memory_files.times_added(self.host.sandbox.storage, sent)
        assert times == 1, f"what was said before is remembered {times} times"

    def delete(self) -> None:
        """Checks that memories of a deleted chat stay, as is the default."""
        self._say()
        path = self._open_chat()
        self._same(path)
        kept = self._kept(path)
        self.handles.delete_chat()
        until(lambda: not path.exists(), within_s=SOON_S, what="the host has deleted it")
        self.page.new_chat()
        self._say()
        self._same()
        assert self._kept(path) == kept, "memory lost the chat with its file"

    def upload(self) -> None:
        number = next(self.notes)
        pair = (talk.note("From elsewhere.", number), talk.answer(number))
        history = {"internal": [pair], "visible": [pair], "metadata": {}}
        self.handles.upload(json.dumps(history))
        self._until_saved(lambda: self._told() == [pair])
        self._same()

    def change_character(self) -> None:
        if self.mode == "instruct":
            return  # the host offers no characters there
        self._say()
        old = self._open_chat()
        try:
            self.handles.choose_character("Example")
            self.page.new_chat()
            self._say()
            new = self._open_chat()
            assert new.parent.name == "Example", new
            self._same(new)
            self._same(old)
        finally:
            self.handles.choose_character("Assistant")

    def incognito(self) -> None:
        self.page.new_incognito_chat()
        number = next(self.notes)
        secret = talk.note(f"Between us alone: {self.mode} juniper.", number)
        self.page.say(secret, answer=talk.answer(number))
        self.page.new_chat()
        self._say()
        self._same()
        found = memory_files.files_with(self.host.sandbox.storage.parent, secret)
        assert not found, f"kept in {found}"

    # how it is done and looked at

    def _fresh_chat(self) -> None:
        self.page.choose_mode(self.mode)
        self.page.new_chat()

    def _open_again(self) -> None:
        self.page = ChatPage(self.browser, self.host.page_url)
        self.page.choose_mode(self.mode)

    def _say(self) -> int:
        number = next(self.notes)
        self.page.say(talk.note(talk.other_talk(number), number), answer=talk.answer(number))
        return number

    def _send_slowly(self) -> int:
        number = next(self.notes)
        self.page.send(talk.note(talk.other_talk(number), number, manner="slowly"))
        self.page.await_part(f"Reply {number}, take 1.")
        return number

    def _open_chat(self) -> Path:
        """Returns the chat that was written to last; renaming does not change its time."""
        return max(chat_files(self.host.sandbox), key=lambda path: path.stat().st_mtime_ns)

    def _told(self, path: Path | None = None) -> list[Pair]:
        """Returns the exchanges of the saved chat, without its greeting."""
        path = path or self._open_chat()
        return [pair for pair in saved_rows(path) if pair[0] != GREETING_MARK]

    def _last(self) -> Pair:
        return (self._told() or [("", "")])[-1]

    def _kept(self, path: Path) -> list[Pair]:
        return remembered(self.host.sandbox, path.stem)

    def _until_saved(self, holds: Callable[[], bool]) -> None:
        until(holds, within_s=15.0, what=f"the host saves it (the last is {self._last()})")

    def _same(self, path: Path | None = None, *, within_s: float = SOON_S) -> None:
        chat = path or self._open_chat()
        assert self._told(chat), f"the host saved nothing in {chat}"
        try:
            until(lambda: self._kept(chat) == self._told(chat), within_s=within_s, what="")
        except AssertionError:
            kept, told = self._kept(chat), self._told(chat)
            raise AssertionError(f"{within_s} s later {kept} is remembered of {told}") from None

    def _await(self, pairs: set[Pair]) -> None:
        path = self._open_chat()
        try:
            until(lambda: set(self._kept(path)) == pairs, within_s=SOON_S, what="")
        except AssertionError:
            raise AssertionError(f"{self._kept(path)} is remembered of {pairs}") from None

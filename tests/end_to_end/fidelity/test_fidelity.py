"""After any actions in the host, memory agrees with the chats: nothing extra, nothing lost."""

import json
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory_core.bootstrap import build_runtime
from memory_core.config.schema import OnChatDeleted
from memory_core.domain.namespaces import Namespace
from memory_core.host import hooks
from memory_core.host.chat_sync import scanner
from memory_core.host.chat_sync.synchronizer import ChatSynchronizer
from memory_core.memory.installation import Installation

from . import truth
from .clients import Client
from .open_page import Clock
from .standin import GREETING_MARK, StandIn
from .truth import Allowed, Pair, Told
from .turns import End, How
from .words import Manner, Reply, Words

LONG_ENOUGH_S = 40.0
SEEN_S = 4.0  # after that time the extension has looked at all names
LOOKED_AT_S = 12.0  # a chat that nobody talks in is written by then
SECRET = " hush"
CHARACTERS = ("Mira", "Tom")
MODES = ("chat", "chat-instruct", "instruct")

manners = st.sampled_from(Manner)
unlike = st.sampled_from([manner for manner in Manner if manner is not Manner.SHORT])
moments = st.sampled_from([0.0, 0.3, 2.0, 9.0, 17.0])
ends = st.sampled_from([End.DONE] * 3 + list(End))
turns = st.builds(
    How, end=ends, seconds=moments, tools=st.sampled_from([0, 0, 0, 1, 2]), attachment=st.booleans()
)
sides = st.sampled_from(["user", "assistant"])
indices = st.integers(0, 30)


class People(RuleBasedStateMachine):
    """Random actions of people in the host; after each pause memory is compared with the chats."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="fidelity-"))
        self.clock = Clock()
        self.host = StandIn(self.folder / "host", self.clock)
        self.words = Words()
        self.deleted: dict[Namespace, Allowed] = {}
        self.clients: list[Client] = []
        self.met: dict[Namespace, float] = {}
        self.renamed_at = 0.0
        self.kept_before: dict[Path | None, set[Pair]] = {}
        wanted = {"embedder": {"kind": "none"}}
        (self.folder / "ltm_config.json").write_text(json.dumps(wanted), encoding="utf-8")
        self.open()

    def open(self) -> None:
        self.runtime = build_runtime(Installation(folder=self.folder))
        with pytest.MonkeyPatch.context() as patch:
            turned = partial(ChatSynchronizer, clock=self.clock, time_of_day=self.clock)
            patch.setattr(hooks, "ChatSynchronizer", turned)
            self.hooks = hooks.Hooks(self.runtime, self.host)
        self.host.hooks, self.host.tick = self.hooks, self.tick
        self.opened_at = self.clock.now
        for client in self.clients:
            client.began = None

    def tick(self) -> None:
        self.runtime.run_pending()
        self.hooks.synchronizer.poll()

    def teardown(self) -> None:
        try:
            self.check()
        finally:
            self.runtime.close()
            shutil.rmtree(self.folder)

    def check(self) -> None:
        self.host.pass_time(LONG_ENOUGH_S)
        for space in self.runtime.memory.namespaces():
            self.met.setdefault(space, self.clock.now)
        found = list(truth.faults(self.runtime.memory, self._told(), self.deleted))
        found += self.host.altered
        found += [f"incognito: {path}" for path in truth.files_with(self.folder, SECRET.strip())]
        found += self.runtime.problems()
        assert not found, "\n".join(found)

    def _told(self) -> list[Told]:
        """Returns what all chats say now.

        Old chats of a character count only after somebody continues them.
        """
        in_files = [
            replace(chat, counts=chat.path in self.host.talked_in or self._is_later(chat))
            for chat in truth.told_by_files(self.host, self.words)
        ]
        return in_files + [client.told(self.words) for client in self.clients]

    def _is_later(self, told: Told) -> bool:
        met = self.met.get(told.space)
        return bool(met and told.path and told.path.stat().st_mtime > met)

    @property
    def answered(self) -> bool:
        """Returns True if the last row is an answer to a message."""
        rows = self.host.page.rows
        return bool(rows) and bool(rows[-1][0]) and rows[-1][0] != GREETING_MARK

    @initialize(mode=st.sampled_from(MODES), forgets_deleted=st.booleans())
    def begin(self, mode: str, forgets_deleted: bool) -> None:
        self.forgets_deleted = forgets_deleted
        chosen = OnChatDeleted.FORGET if forgets_deleted else OnChatDeleted.KEEP
        self.runtime.save_settings({"ltm_writes.on_chat_deleted": chosen.value})
        self.host.page.mode = mode
        self.host.new_chat()

    @rule()
    def rest(self) -> None:
        self.check()

    @rule(seconds=moments)
    def wait(self, seconds: float) -> None:
        self.host.pass_time(seconds)

    @rule(asked=manners, answered=manners, how=turns)
    def send(self, asked: Manner, answered: Manner, how: How) -> None:
        text = self._message(asked)
        self.host.send(text, self.words.reply(answered), how)

    @rule(asked=manners, how=turns)
    def send_with_start(self, asked: Manner, how: How) -> None:
        text, start = self._message(asked), self.words.reply(Manner.PLAIN).steps[0]
        self.host.send_with_start(text, start, self.words.more(start), how)

    @precondition(lambda self: self.answered)
    @rule(answered=manners, how=turns)
    def regenerate(self, answered: Manner, how: How) -> None:
        self._mark()
        self.host.regenerate(self.words.reply(answered), how)

    @precondition(lambda self: self.answered)
    @rule(how=turns)
    def continue_reply(self, how: How) -> None:
        self._mark()
        self.host.continue_reply(self.words.more(self.host.page.rows[-1][1]), how)

    @rule()
    def impersonate(self) -> None:
        """Lets the model write the user's next message, for which the host calls no hook."""

    @precondition(lambda self: self.host.page.rows)
    @rule(at=indices, side=sides, manner=manners)
    def edit(self, at: int, side: str, manner: Manner) -> None:
        at %= len(self.host.page.rows)
        row = self.host.page.rows[at]
        if row[side == "assistant"] not in ("", GREETING_MARK) and row[0] != GREETING_MARK:
            text = self._message(manner)
            self.host.edit(at, side, text)

    @precondition(lambda self: self.host.page.rows)
    @rule(at=indices, side=sides, step=st.sampled_from([-1, 1]), back=st.booleans())
    def swipe(self, at: int, side: str, step: int, back: bool) -> None:
        at %= len(self.host.page.rows)
        self.host.swipe(at, side, step)
        if back:
            self.host.swipe(at, side, -step)

    @rule()
    def remove_last(self) -> None:
        self.host.remove_last()

    @rule(manner=manners)
    def dummy_message(self, manner: Manner) -> None:
        self.host.dummy_message(self._message(manner))

    @precondition(lambda self: self.answered)
    @rule(manner=manners)
    def dummy_reply(self, manner: Manner) -> None:
        self._mark()
        self.host.dummy_reply(self.words.reply(manner).whole)

    @precondition(lambda self: self.host.page.rows)
    @rule(at=indices)
    def branch(self, at: int) -> None:
        """Branches the chat. Chats without times need a scan before and after the change."""
        wait = 0.0 if self.host.page.is_dated else LOOKED_AT_S
        self.host.pass_time(wait)
        self.host.branch(at % len(self.host.page.rows))
        self.host.pass_time(wait)

    @rule(incognito=st.sampled_from([False, False, True]))
    def new_chat(self, incognito: bool) -> None:
        self.host.new_chat(incognito=incognito)

    @precondition(lambda self: self.host.chats())
    @rule(at=indices)
    def select_chat(self, at: int) -> None:
        chats = self.host.chats()
        self.host.select(chats[at % len(chats)])

    @precondition(lambda self: not self.host.page.incognito)
    @rule(name=st.sampled_from(["holiday", "work", "a b", "旅行"]))
    def rename(self, name: str) -> None:
        """Lets some time pass first, because no person renames a chat right after it appeared."""
        if self.clock.now - max(self.opened_at, self.host.made_at) < SEEN_S:
            self.host.pass_time(SEEN_S)
        old, kept = self.host.path(), self._kept()
        self.host.rename(name)
        self.renamed_at = self.clock.now
        self.kept_before.pop(old, None)
        self.kept_before[self.host.path()] = kept

    def _kept(self) -> set[Pair]:
        """Returns what memory holds of the page's chat, under its present and former names."""
        found = [truth.kept(self.runtime.memory, it) for it in self._told_on_page()]
        return self.kept_before.get(self.host.path(), set()).union(*found)

    def _told_on_page(self) -> list[Told]:
        return [chat for chat in self._told() if chat.path and chat.path == self.host.path()]

    @precondition(lambda self: not self.host.page.incognito)
    @rule(settled=st.booleans())
    def delete(self, settled: bool) -> None:
        if settled:
            self.check()
        path = self.host.path()
        if path is not None and path.exists() and self.forgets_deleted:
            self.host.delete()
        elif path is not None and path.exists():
            (told,) = self._told_on_page()
            allowed = self.deleted.setdefault(told.space, Allowed())
            allowed.may.update(told.pairs, self._kept())
            if settled and told.counts:
                elsewhere = [
                    told_exchange.pairs
                    for told_exchange in self._told()
                    if told_exchange.path != path
                ]
                allowed.must.update(set(told.pairs).difference(*elsewhere))
            self.host.delete()

    @rule(manner=manners, count=st.integers(1, 3), old_format=st.booleans())
    def upload(self, manner: Manner, count: int, old_format: bool) -> None:
        """Uploads new words only, because forgotten ones stay forgotten when uploaded again."""
        self.words.mark = ""
        if manner is Manner.SHORT and self.forgets_deleted:
            manner = Manner.PLAIN
        rows = [(self.words.message(manner), self.words.reply(manner).whole) for _ in range(count)]
        self.host.upload(rows, old_format=old_format)

    @rule(mode=st.sampled_from(MODES))
    def choose_mode(self, mode: str) -> None:
        self.host.choose_mode(mode)

    @rule(character=st.sampled_from(CHARACTERS))
    def choose_character(self, character: str) -> None:
        if self.host.page.mode != "instruct":
            self.host.choose_character(character)

    @rule(mode=st.sampled_from(MODES))
    def begin_by_api(self, mode: str) -> None:
        self.clients.append(Client(mode))

    @precondition(lambda self: self.clients)
    @rule(at=indices, asked=unlike, answered=manners, with_tool=st.booleans())
    def say_by_api(self, at: int, asked: Manner, answered: Manner, with_tool: bool) -> None:
        text, reply = self._told_to_client(asked, answered)
        self._client(at).say(self.host, text, reply, with_tool=with_tool)

    @precondition(lambda self: self.clients)
    @rule(at=indices, answered=manners)
    def ask_again_by_api(self, at: int, answered: Manner) -> None:
        """Replaces an early answer only: later, the first message might begin another chat."""
        client = self._client(at)
        if client.rows and client.rows[-1][1] and client.may_ask_again(self.clock.now):
            self.words.mark = ""
            client.ask_again(self.host, self.words.reply(answered))

    @precondition(lambda self: self.clients)
    @rule(at=indices, asked=unlike, answered=manners)
    def hang_up_the_api(self, at: int, asked: Manner, answered: Manner) -> None:
        text, reply = self._told_to_client(asked, answered)
        self._client(at).hang_up(self.host, text, reply)

    @precondition(lambda self: self.clients)
    @rule(at=indices)
    def instruct_by_api(self, at: int) -> None:
        self._client(at).instruct("Be brief.")

    def _client(self, at: int) -> Client:
        return self.clients[at % len(self.clients)]

    def _told_to_client(self, asked: Manner, answered: Manner) -> tuple[str, Reply]:
        self.words.mark = ""
        return self.words.message(asked), self.words.reply(answered)

    @rule()
    def reload_page(self) -> None:
        self.host.reload()

    @rule()
    def restart(self) -> None:
        self.runtime.close()
        self.open()
        self.host.reload()

    @rule()
    def crash(self) -> None:
        """Opens the memory again as after a crash, with acknowledged writes only."""
        if self.clock.now - self.renamed_at < SEEN_S:
            self.host.pass_time(SEEN_S)
        self.tick()  # a call's answer waits for half a second at most
        self.runtime.memory.close()
        self.open()
        self.host.reload()

    def _mark(self) -> None:
        self.words.mark = SECRET if self.host.page.incognito else ""

    def _message(self, manner: Manner) -> str:
        self._mark()
        return self.words.message(manner)


def _play(examples: int, steps: int, *, same_each_time: bool) -> None:
    how = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=same_each_time,
        suppress_health_check=list(HealthCheck),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "_STEP_LIMIT_S", 60.0)  # time stands still while it looks around
        run_state_machine_as_test(People, settings=how)


def test_memory_agrees_with_the_chats_after_a_few_actions() -> None:
    _play(10, 20, same_each_time=True)


@pytest.mark.fidelity
def test_memory_agrees_with_the_chats_after_many_actions() -> None:
    _play(100, 50, same_each_time=False)

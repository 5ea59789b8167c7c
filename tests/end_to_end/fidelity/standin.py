"""A stand-in for the host: its chats, its files and its hooks in their order, with no model.

Built from what was observed of text-generation-webui from outside; its page holds one chat, the
others lie in files. Time stands still but for pass_time().
"""

import copy
import html
import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_core.host.hooks import Hooks

from .open_page import GREETING_MARK, Clock, HostDict, Page, empty
from .turns import AT_ONCE, Caller, End, How
from .words import Reply

GREETING = "Hello, how can I help?"
TICK_S = 0.5
AUTOSAVE_S = 8.0
_SAVE_S = 0.001  # no two saves at the very same time


class TemplateFails(Exception):
    pass


class OutputFails(Exception):
    pass


class StandIn:
    """A Host for the hooks, with the actions of a person on its page and through its API."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.user_data = folder
        self.clock = clock
        self.page = Page(clock)
        self.hooks: Hooks
        self.tick: Callable[[], None] = lambda: None
        self.generating = False
        self.fails = False
        self.altered: list[str] = []
        self.talked_in: set[Path] = set()
        self.made_at = 0.0  # a chat, by whatever means

    def build_prompt(
        self, user_input: str, state: HostDict, *, history: HostDict, continuing: bool
    ) -> str:
        if self.fails:
            raise TemplateFails
        rows = "\n".join(f"U: {row[0]}\nA: {row[1]}" for row in history["internal"])
        return "\n".join((state.get("context", ""), rows, "" if continuing else f"U: {user_input}"))

    def count_tokens(self, text: str) -> int | None:
        return None

    def is_generating(self) -> bool:
        return self.generating

    def is_multi_user(self) -> bool:
        return False

    def signed_in(self) -> str | None:
        return None

    def chat_file(self, state: Mapping[str, Any]) -> Path | None:
        unique_id = str(state.get("unique_id") or "")
        if not unique_id or unique_id.startswith("incognito-"):
            return None
        return self._folder(state["mode"], str(state["character_menu"])) / f"{unique_id}.json"

    def user_data_folder(self) -> Path | None:
        return self.user_data

    def user_profile(self) -> str:
        return ""

    def pass_time(self, seconds: float) -> None:
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now = min(end, self.clock.now + TICK_S)
            self.tick()

    @property
    def logs(self) -> Path:
        return self.user_data / "logs"

    def _folder(self, mode: str, character: str) -> Path:
        return self.logs / "instruct" if mode == "instruct" else self.logs / "chat" / character

    def chats(self) -> list[Path]:
        """Returns the files of the chats in the page's menu, oldest first."""
        return sorted(self._folder(self.page.mode, self.page.character).glob("*.json"))

    def path(self) -> Path | None:
        return self.chat_file(self._state())

    def save(self, history: HostDict | None = None) -> None:
        path = self.path()
        if path is not None:
            self._write(path, self.page.history if history is None else history)

    def _write(self, path: Path, history: HostDict) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(history, indent=4), encoding="utf-8")
        self.clock.now += _SAVE_S
        os.utime(path, (self.clock.now, self.clock.now))

    def _new_id(self) -> str:
        """Returns the id of a new chat a second later, because ids of one second collide."""
        self.clock.now += 1.0
        self.made_at = self.clock.now
        return datetime.fromtimestamp(self.clock.now).strftime("%Y%m%d-%H-%M-%S")

    def _call(self, hook: str, *args: Any, **kwargs: Any) -> Any:
        """Returns the hook's answer, and checks that the hook did not change its arguments."""
        call = getattr(self.hooks, hook)
        before = copy.deepcopy((args, kwargs))
        try:
            return call(*args, **kwargs)
        finally:
            if (args, kwargs) != before:
                self.altered.append(f"{hook} altered {before} to {(args, kwargs)}")

    def _state(self, **changes: Any) -> HostDict:
        page = self.page
        return {
            "mode": page.mode,
            "name1": "Ana",
            "name2": page.character,
            "character_menu": page.character,
            "user_menu": "",
            "unique_id": page.unique_id,
            "context": f"{page.character} is kind.",
            "user_bio": "",
            "custom_system_message": "",
            "truncation_length": 8192,
            "max_new_tokens": 512,
            "start_with": "",
            "history": page.history,
        } | changes

    def send(self, text: str, reply: Reply, how: How = AT_ONCE) -> None:
        state = self._state(history=copy.deepcopy(self.page.history))
        text = self._call("input_modifier", text, state, is_chat=True)
        self.page.add_row(text, "")
        if how.attachment:
            attached = {"name": "a.txt", "type": "text/plain", "content": "attached"}
            self.page.meta("user")["attachments"] = [attached]
        self._turn(state, text, reply, how)

    def send_with_start(self, text: str, start: str, reply: Reply, how: How = AT_ONCE) -> None:
        """Starts the reply with a given text: the host adds it as a row and continues it."""
        state = self._state(history=copy.deepcopy(self.page.history), start_with=start)
        text = self._call("input_modifier", text, state, is_chat=True)
        start = self._call("input_modifier", start, state, is_chat=True)
        self.page.add_row(text, start)
        self._turn(state, text, reply, how, continuing=True)

    def regenerate(self, reply: Reply, how: How = AT_ONCE) -> None:
        state = self._state(history=copy.deepcopy(self.page.history))
        self.page.keep_version(len(self.page.rows) - 1)
        self._turn(state, self.page.rows[-1][0], reply, how)
        if how.end in (End.DONE, End.STOPPED):
            self.page.add_version(len(self.page.rows) - 1)
            self.save()

    def continue_reply(self, reply: Reply, how: How = AT_ONCE) -> None:
        state = self._state(history=copy.deepcopy(self.page.history))
        self._turn(state, self.page.rows[-1][0], reply, how, continuing=True)

    def _turn(
        self,
        state: HostDict,
        text: str,
        reply: Reply,
        how: How,
        *,
        continuing: bool = False,
    ) -> None:
        self.fails = how.end is End.PROMPT_FAILS
        try:
            for turn in range(how.tools):
                self._prompt(state, text, continuing, tool_turn=turn > 0)
                self._tool_turn(state, turn)
            self._prompt(state, text, continuing, tool_turn=how.tools > 0)
            self._generate(state, reply, how)
        except TemplateFails:
            if not continuing:
                self.page.answer("")
            self.save()
        except OutputFails:
            pass  # the reply is to be seen, but what is saved is from before
        finally:
            self.fails = False
        if how.end in (End.PAGE_CLOSED, End.OUTPUT_FAILS):
            self.reload()

    def _prompt(self, state: HostDict, text: str, continuing: bool, *, tool_turn: bool) -> None:
        if tool_turn:
            state["_tool_turn"] = True
        self.talked_in |= {path for path in [self.path()] if path}
        history = self.page.history
        if not continuing:
            without = {side: history[side][:-1] for side in ("internal", "visible")}
            history = {**without, "metadata": history["metadata"]}
        self._call(
            "custom_generate_chat_prompt", text, state, _continue=continuing, history=history
        )

    def _tool_turn(self, state: HostDict, turn: int) -> None:
        call = f'<tool_call>{{"name": "lookup-{turn}"}}</tool_call>'
        self._call("output_modifier", html.escape(call), state, is_chat=True)
        sequence = self.page.meta("assistant").setdefault("tool_sequence", [])
        sequence.append({"role": "assistant", "content": "", "tool_calls": [{"id": str(turn)}]})
        sequence.append({"role": "tool", "content": "lookup result", "tool_call_id": str(turn)})

    def _generate(self, state: HostDict, reply: Reply, how: How) -> None:
        end = how.end
        before = self.page.rows[-1][1]
        self.generating = True
        first = "" if not reply.steps[0].startswith(before) else before
        self.page.answer(first)
        self.save()
        self._write_on(reply, how.seconds)
        if end is End.PAGE_CLOSED:
            self.generating = False
            return
        given = reply.whole if end is not End.STOPPED else reply.steps[len(reply.steps) // 2]
        self.generating = end is End.STOPPED  # the lock is held while Stop is worked off
        seen = self._call("output_modifier", html.escape(given), state, is_chat=True)
        self.generating = False
        if end is End.OUTPUT_FAILS:
            raise OutputFails
        self.page.answer(given, seen)
        self.save()

    def _write_on(self, reply: Reply, seconds: float) -> None:
        """Saves the unfinished answer every 8 s while the model writes."""
        for number in range(int(seconds // AUTOSAVE_S)):
            self.pass_time(AUTOSAVE_S)
            self.page.answer(reply.steps[min(number, len(reply.steps) - 1)])
            self.save()
        self.pass_time(seconds % AUTOSAVE_S)

    def edit(self, at: int, side: str, text: str) -> None:
        text = self._call("input_modifier", text, self._state(), is_chat=True)
        self.page.keep_version(at, side)
        cell = ("user", "assistant").index(side)
        self.page.rows[at][cell] = text
        self.page.history["visible"][at][cell] = html.escape(text)
        self.page.add_version(at, side)
        self.save()

    def swipe(self, at: int, side: str, step: int) -> None:
        """Shows another version of a message or an answer, if there is one."""
        if self.page.swipe(at, side, step):
            self.save()

    def remove_last(self) -> None:
        if self.page.rows and self.page.rows[-1][0] != GREETING_MARK:
            self.page.remove_last()
            self.save()

    def dummy_message(self, text: str) -> None:
        self.page.add_row(self._call("input_modifier", text, self._state(), is_chat=True), "")
        self.save()

    def dummy_reply(self, text: str) -> None:
        """Adds a reply; without a message that awaits it, it gets a row of its own."""
        text = self._call("input_modifier", text, self._state(), is_chat=True)
        if not self.page.rows or self.page.rows[-1][1]:
            self.page.add_row("", "")
        self.page.answer(text)
        self.save()

    def new_chat(self, *, incognito: bool = False) -> None:
        """Starts a new chat. The greeting's hook still sees the previous chat."""
        before = self._state()
        made = self._new_id()
        self.page.unique_id = f"incognito-{made}" if incognito else made
        self.page.history = empty()
        if self.page.mode != "instruct":
            seen = self._call("output_modifier", html.escape(GREETING), before, is_chat=True)
            self.page.history = {
                "internal": [[GREETING_MARK, GREETING]],
                "visible": [["", seen]],
                "metadata": {"assistant_0": {"timestamp": self.page.stamp()}},
            }
        self.save()

    def branch(self, upto: int) -> None:
        """Makes a new chat from a copy of the rows up to this one."""
        history = copy.deepcopy(self.page.history)
        self.page.history = {
            "internal": history["internal"][: upto + 1],
            "visible": history["visible"][: upto + 1],
            "metadata": {
                key: meta
                for key, meta in history["metadata"].items()
                if int(key.split("_")[-1]) <= upto
            },
        }
        made = self._new_id()
        self.page.unique_id = f"incognito-{made}" if self.page.incognito else made
        self.save()

    def select(self, path: Path) -> None:
        self.page.unique_id = path.stem
        saved = json.loads(path.read_text(encoding="utf-8"))
        if "data" in saved:
            saved = {"internal": saved["data"], "visible": saved["data_visible"]}
        self.page.history = {"metadata": {}} | saved

    def reload(self) -> None:
        """Opens the page again, with the chat as it was saved."""
        path = self.path()
        if path is not None and path.exists():
            self.select(path)
        else:
            self._open_latest()

    def rename(self, name: str) -> None:
        path = self.path()
        if path is not None and not path.with_stem(name).exists():
            path.rename(path.with_stem(name))
            if path in self.talked_in:
                self.talked_in.remove(path)
                self.talked_in.add(path.with_stem(name))
            self.page.unique_id = name

    def delete(self) -> None:
        path = self.path()
        if path is not None:
            path.unlink()
            self.talked_in.discard(path)
            self._open_latest()

    def upload(self, rows: Sequence[tuple[str, str]], *, old_format: bool = False) -> None:
        """Makes a chat from a foreign file, which is saved unchanged."""
        self.page.unique_id = self._new_id()
        cells = [list(row) for row in rows]
        seen = [[html.escape(side) for side in row] for row in rows]
        self.page.history = {"internal": cells, "visible": seen, "metadata": {}}
        path = self.path()
        assert path is not None
        self._write(
            path, {"data": cells, "data_visible": seen} if old_format else self.page.history
        )

    def choose_mode(self, mode: str) -> None:
        if mode == self.page.mode:
            return
        among_characters = "instruct" not in (mode, self.page.mode)
        self.page.mode = mode
        if not (among_characters and not self.page.incognito):
            self._open_latest()

    def choose_character(self, character: str) -> None:
        if character != self.page.character:
            self.page.character = character
            self._open_latest()

    def _open_latest(self) -> None:
        chats = self.chats()
        if chats:
            self.select(chats[-1])
        else:
            self.new_chat()

    def api_call(self, caller: Caller, text: str, reply: Reply) -> None:
        """Sends the whole `reply`, unless the caller hangs up before, which calls no hook."""
        rows = [list(row) for row in caller.rows]
        history = {"internal": rows, "visible": copy.deepcopy(rows)}
        state = self._api_state(history, caller)
        text = self._call("input_modifier", text, state, is_chat=True)
        lent = {**copy.deepcopy(history), "metadata": {f"user_{len(rows)}": {}}}
        self._call("custom_generate_chat_prompt", text, state, _continue=False, history=lent)
        if not caller.hangs_up:
            self._call("output_modifier", html.escape(reply.whole), state, is_chat=True)

    def _api_state(self, history: HostDict, caller: Caller) -> HostDict:
        state = self._state(user=caller.user, mode=caller.mode, character="Mira", history=history)
        for key in ("unique_id", "character_menu", "user_menu", "start_with"):
            del state[key]
        return state

"""Measures losses and delays of whole turns at a steady pace in many chats without files.

Used by `benchmarks/load.py --turns 66`. Of a hundred messages three are /remember and two /forget.
These wait for the writer, so they are timed separately.
"""

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.standin import Estimated, StandInHost, page_state
from benchmarks.timing import load, percentile
from memory_core import bootstrap
from memory_core.bootstrap import build_runtime
from memory_core.domain.namespaces import Namespace
from memory_core.host.hooks import Hooks
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.contract import Page

_PEOPLE = 50
_USERS = 20
_LONGEST_CHAT = 60
_DRAIN_S = 300.0
_PAUSE_S = 0.05


@dataclass(slots=True)
class Person:
    """A person who chats; `said` are the messages that must be remembered."""

    number: int
    history: list[list[str]] = field(default_factory=list)
    chat: int = 0
    said: list[str] = field(default_factory=list)
    prompts_ms: list[float] = field(default_factory=list)
    commands_ms: list[float] = field(default_factory=list)

    @property
    def user(self) -> str:
        return f"user {self.number % _USERS}"

    def take_turn(self, hooks: Hooks, turn: int, rng: random.Random) -> None:
        text = f"person{self.number} message{turn} on topic{rng.randint(0, 50)}"
        command = rng.choices(["", "/remember ", "/forget last"], [95, 3, 2])[0]
        message = command if command == "/forget last" else command + text
        history = {"internal": list(self.history), "visible": [], "metadata": {}}
        chat = f"chat {self.number} {self.chat}"
        state = page_state(
            name1="Ana", name2="Mira", character_menu="Mira", user_menu=self.user, unique_id=chat,
            mode="chat", context="You are kind.", custom_system_message="", user_bio="",
            truncation_length=8192, max_new_tokens=512, history=history,
        )  # fmt: skip
        started = time.perf_counter()
        hooks.custom_generate_chat_prompt(message, state, history=history)
        took = (time.perf_counter() - started) * 1000
        (self.commands_ms if command else self.prompts_ms).append(took)
        answer = f"answer {turn} to {self.number}"
        hooks.output_modifier(answer, state, is_chat=True)
        self.history.append([message, answer])
        if not command:
            self.said.append(message)
        if len(self.history) > _LONGEST_CHAT:
            self.history, self.chat = [], self.chat + 1


def chatted(folder: Path, *, per_second: float, seconds: float) -> dict[str, Any]:
    """Runs turns at this total rate, as far as the machine can, and returns the figures."""
    runtime = _opened(folder)
    hooks = Hooks(runtime, StandInHost(Estimated()))
    runtime.start()
    people = [Person(number) for number in range(_PEOPLE)]
    began, cpu = time.monotonic(), time.process_time()
    threads = [
        threading.Thread(target=_chat, args=(person, hooks, began, per_second, seconds))
        for person in people
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took_s, cpu_s = time.monotonic() - began, time.process_time() - cpu
    drained_s = _drained(runtime)
    lost = runtime.lost_count()
    runtime.close()
    return _figures(people, took_s, cpu_s) | {
        "drained_s": round(drained_s, 2),
        "lost": lost,
        "missing": _missing(folder, people),
        "load": load(),
    }


def _chat(person: Person, hooks: Hooks, began: float, per_second: float, seconds: float) -> None:
    rng = random.Random(person.number)
    for turn in range(int(per_second * seconds / _PEOPLE)):
        due = began + (turn * _PEOPLE + person.number) / per_second
        time.sleep(max(0.0, due - time.monotonic()))
        person.take_turn(hooks, turn, rng)


def _opened(folder: Path) -> Runtime:
    runtime = build_runtime(Installation(folder=folder, environ={"LTM_EMBEDDER__KIND": "none"}))
    runtime.memory.reconfigure(
        embedder=FakeEmbedder(dim=256),
        pipeline=bootstrap.build_pipeline(runtime.settings, None),
        limits=bootstrap.build_limits(runtime.settings),
    )
    return runtime


def _drained(runtime: Runtime) -> float:
    """Returns the seconds until no more writes wait."""
    began = time.monotonic()
    while any(runtime.count_waiting()) and time.monotonic() - began < _DRAIN_S:
        time.sleep(_PAUSE_S)
    return time.monotonic() - began


def _figures(people: Sequence[Person], took_s: float, cpu_s: float) -> dict[str, float]:
    prompts = [ms for person in people for ms in person.prompts_ms]
    commands = [ms for person in people for ms in person.commands_ms]
    count = len(prompts) + len(commands)
    return {
        "turns": count,
        "turns_per_s": round(count / took_s, 1),
        "cpu_ms_per_turn": round(cpu_s / count * 1000, 1),
        "prompt_ms_p50": round(percentile(prompts, 50), 1),
        "prompt_ms_p99": round(percentile(prompts, 99), 1),
        "command_ms_p99": round(percentile(commands, 99), 1) if commands else 0.0,
    }


def _missing(folder: Path, people: Sequence[Person]) -> int:
    """Returns the number of messages neither remembered nor forgotten after a restart."""
    runtime = build_runtime(Installation(folder=folder, environ={"LTM_EMBEDDER__KIND": "none"}))
    known: set[str] = set()
    for user in {person.user for person in people}:
        space = Namespace(user, "Mira")
        live = runtime.memory.latest(space, Page(limit=1_000_000))
        hidden = (hidden.memory for hidden in runtime.memory.forgotten(space))
        known |= {memory.exchange.user for memory in (*live, *hidden) if memory.exchange}
    runtime.close()
    return sum(text not in known for person in people for text in person.said)

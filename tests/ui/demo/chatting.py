"""A chat in the stand-in host with everything real but the model and the clock."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory_core.bootstrap import build_runtime
from memory_core.config.model_settings import BackendSettings
from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.namespaces import Namespace
from memory_core.host.chat_sync.synchronizer import QUIET_S, ChatSynchronizer
from memory_core.host.hooks import Hooks
from memory_core.memory.installation import Installation
from memory_core.ui.demo.demo_host import DemoHost, Message
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.session import Character, Session, SharedParts

MIRA = Character(name="Mira", context="Mira is {{user}}'s friend.", greeting="Hello <you>.")
USER = "Alex"
ENVIRON = {"LTM_EMBEDDER__KIND": "none"}


class Says:
    """A responder that gives scripted answers and records its messages."""

    def __init__(self, *replies: str) -> None:
        self.replies = replies or ("I see.",)
        self.asked: list[Sequence[Message]] = []

    def reply(self, messages: Sequence[Message]) -> Iterator[str]:
        self.asked.append(messages)
        yield self.replies[min(len(self.asked), len(self.replies)) - 1]

    @property
    def prompt(self) -> str:
        return "\n".join(str(message["content"]) for message in self.asked[-1])


class BreaksOff:
    def reply(self, messages: Sequence[Message]) -> Iterator[str]:
        yield "Well, I th"
        raise LLMUnavailable("no answer from http://127.0.0.1:9/v1")


class NoMemory:
    """The hooks of a host without any extension."""

    def __init__(self, host: DemoHost) -> None:
        self._host = host

    def custom_generate_chat_prompt(
        self, user_input: str, state: dict[str, Any], **kwargs: Any
    ) -> str:
        return self._host.build_prompt(
            user_input, state, history=kwargs["history"], continuing=False
        )

    def output_modifier(self, text: str, state: Mapping[str, Any], is_chat: bool = False) -> str:
        return text


class Clock:
    """A clock that advances by a minute with each reading."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 8, 0)

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


class Place:
    """A program over `folder`, without threads: settle() does what they would do in time."""

    def __init__(self, folder: Path, *, clock: Clock | None = None) -> None:
        self.runtime = build_runtime(Installation(folder=folder, environ=ENVIRON, data_folder=""))
        self.host = DemoHost(folder)
        self.hooks = Hooks(self.runtime, self.host)
        self._monotonic = 0.0
        self.hooks.synchronizer = ChatSynchronizer(
            self.runtime, self.host, clock=lambda: self._monotonic
        )
        self._clock = clock or Clock()

    def chat(self, unique_id: str = "") -> Session:
        parts = SharedParts(
            hooks=self.hooks,
            host=self.host,
            settings=BackendSettings(),
            clock=self._clock,
        )
        return Session(parts, MIRA, user=USER, unique_id=unique_id)

    def settle(self) -> None:
        self.hooks.synchronizer.poll()
        self._monotonic += 10 * QUIET_S
        self.hooks.synchronizer.poll()

    def close(self) -> None:
        self.runtime.close()


def say(session: Session, text: str, responder: Says | None = None) -> str:
    """Sends a message and returns the answer."""
    for _ in session.send(text, responder or Says()):
        pass
    return str(session.history["internal"][-1][1])


def again(session: Session, responder: Says) -> str:
    for _ in session.regenerate(responder):
        pass
    return str(session.history["internal"][-1][1])


def derive(program: Program, namespace: Namespace) -> None:
    """Embeds all that waits, and measures the languages of the embedder."""
    memory = program.runtime.memory
    while memory.derive_pending(namespace):
        pass
    while memory.languages.measure_next(memory.embedder):
        pass

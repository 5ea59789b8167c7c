"""Programs that chat through the API: each keeps its chats and always sends them whole."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_core.domain.namespaces import Namespace
from memory_core.host.chat_sync.rename_detection import RESTART_WINDOW_S

from .standin import StandIn
from .truth import Told, pairs_of
from .turns import Caller
from .words import Reply, Words

USER = "ana"
_CALLS = {"tool_calls": [{"id": "1", "function": {"name": "look", "arguments": "{}"}}]}


@dataclass
class Client:
    """One chat of one client."""

    mode: str
    rows: list[Sequence[Any]] = field(default_factory=list)
    began: float | None = None  # when its first message was said, as far as the extension knows

    @property
    def space(self) -> Namespace:
        user = f"api:{USER}"
        return Namespace.instruct(user) if self.mode == "instruct" else Namespace(user, "Mira")

    def say(self, host: StandIn, text: str, reply: Reply, *, with_tool: bool) -> None:
        if not self._is_under_way():
            self.began = host.clock.now
        self._ask(host, text, reply)
        if with_tool:
            self.rows.append((text, "", "", _CALLS))
            self.rows.append(("", reply.whole, "what was looked up", {"tool_call_id": "1"}))
        else:
            self.rows.append((text, reply.whole, "", {}))

    def ask_again(self, host: StandIn, reply: Reply) -> None:
        """Sends the last message again, without its former answer."""
        *before, last = self.rows
        if last[0]:
            self.rows = before
            self.say(host, last[0], reply, with_tool=False)

    def may_ask_again(self, now: float) -> bool:
        *before, _ = self.rows
        return self._is_under_way(before) or (
            self.began is not None and now - self.began < RESTART_WINDOW_S
        )

    def _is_under_way(self, rows: Sequence[Sequence[Any]] | None = None) -> bool:
        """Returns True if the chat has earlier messages."""
        return any(not _is_system(row) for row in (self.rows if rows is None else rows))

    def hang_up(self, host: StandIn, text: str, reply: Reply) -> None:
        caller = Caller(mode=self.mode, user=USER, rows=self.rows, hangs_up=True)
        host.api_call(caller, text, reply)

    def instruct(self, text: str) -> None:
        """Sends a system message in the middle of the chat, which belongs to no speaker."""
        self.rows.append((text, "", "", {"role": "system"}))

    def told(self, words: Words) -> Told:
        return Told(space=self.space, pairs=pairs_of(self.rows, words))

    def _ask(self, host: StandIn, text: str, reply: Reply) -> None:
        host.api_call(Caller(mode=self.mode, user=USER, rows=self.rows), text, reply)


def _is_system(row: Sequence[Any]) -> bool:
    return len(row) > 3 and row[3].get("role") == "system"

"""The latest state of a chat without a file, merged from all states that wait to be saved.

Clients send the whole chat, or its last part, with each message. So the queue holds only one
state of each chat, however fast messages arrive.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from ...domain.namespaces import Namespace
from ...domain.records import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChat:
    """A chat's exchanges with the answer just given; `sync` saves them.

    `count` is the number of merged states. Unnamed chats are never merged, nor are states with a
    message said while Remember `is_off` and others.
    """

    namespace: Namespace
    conversation: str
    exchanges: Sequence[Exchange]
    sync: Callable[[Sequence[Exchange]], None]
    count: int = 1
    is_off: bool = False

    @property
    def chat(self) -> Hashable:
        name = self.namespace, self.conversation, self.is_off
        return name if self.conversation else id(self)

    @property
    def label(self) -> str:
        """Describes the chat for messages and the log, without quoting its text."""
        chat = f"the chat {self.conversation}" if self.conversation else "a new chat"
        return f"{chat} of {self.namespace.label}"

    def write(self) -> None:
        self.sync(self.exchanges)

    def merged_with(self, newer: "ShownChat") -> "ShownChat | None":
        """Returns one state with the effect of saving both in turn, or None if there is none."""
        merged = merge_exchanges(self.exchanges, newer.exchanges)
        if merged is None:
            return None
        return replace(newer, exchanges=merged, count=self.count + newer.count)


def merge_exchanges(older: Sequence[Exchange], newer: Sequence[Exchange]) -> list[Exchange] | None:
    """Joins both without their overlap; returns None if the newer one does not continue the older.

    A removed message, for example, breaks the continuation; a regenerated last answer does not.
    Times come from the older one, since clients send none.
    """
    start = _overlap(older, newer)
    tail = older[start:]
    if _is_continued_by(tail, newer) or (start == 0 and _has_new_last_answer(tail, newer)):
        same = [_with_known_time(old, new) for old, new in zip(tail, newer, strict=False)]
        return [*older[:start], *same, *newer[len(tail) :]]
    return None


def _overlap(older: Sequence[Exchange], newer: Sequence[Exchange]) -> int:
    """Returns the index where the newer one begins in the older; 0 if none or several fit."""
    if not newer or _is_continued_by(older, newer):
        return 0
    matches = [index for index, exchange in enumerate(older) if _is_same(exchange, newer[0])]
    return matches[0] if len(matches) == 1 else 0


def _is_continued_by(older: Sequence[Exchange], newer: Sequence[Exchange]) -> bool:
    return len(older) <= len(newer) and all(map(_is_same, older, newer))


def _has_new_last_answer(older: Sequence[Exchange], newer: Sequence[Exchange]) -> bool:
    """Returns whether only the answer of the older one's last exchange is different."""
    if not older or len(older) > len(newer):
        return False
    *before, last = older
    is_asked_again = bool(last.user) and last.user == newer[len(before)].user
    return is_asked_again and _is_continued_by(before, newer)


def _is_same(old: Exchange, new: Exchange) -> bool:
    return old is new or (old.user, old.assistant) == (new.user, new.assistant)


def _with_known_time(old: Exchange, new: Exchange) -> Exchange:
    return replace(new, ts=old.ts) if new.ts is None and old.ts is not None else new

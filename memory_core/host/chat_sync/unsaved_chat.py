"""The last shown state of a chat that the host does not save; newer states take in older ones.

A client sends the whole chat again with each message, or its last part. So one state of each chat
is enough to wait for the writer, however fast messages follow each other.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...prompt.window import ChatRow
from ..chat.exchanges import Speakers, date_last_exchange, to_exchanges


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChat:
    """A chat's exchanges with the answer just given; `settle` writes them. Unnamed chats are told
    apart, though they may begin with the same words.
    """

    namespace: Namespace
    conversation: str
    exchanges: Sequence[Exchange]
    sync: Callable[[Sequence[Exchange]], None]
    count: int = 1

    @property
    def chat(self) -> Hashable:
        return (self.namespace, self.conversation) if self.conversation else id(self)

    @property
    def label(self) -> str:
        """Without a word of what was said: it is logged, too."""
        chat = f"the chat {self.conversation}" if self.conversation else "a new chat"
        return f"{chat} of {self.namespace.label}"

    def write(self) -> None:
        self.sync(self.exchanges)

    def merged_with(self, newer: "ShownChat") -> "ShownChat | None":
        """One state that leaves the same memories as both, one after the other, if any does."""
        merged = merge_exchanges(self.exchanges, newer.exchanges)
        if merged is None:
            return None
        return replace(newer, exchanges=merged, count=self.count + newer.count)


def exchanges_with_answer(
    rows: Sequence[ChatRow], speakers: Speakers, last: Exchange | None, *, now: float
) -> Sequence[Exchange]:
    """What these rows say, and the answer just given; said now where no time is told."""
    return date_last_exchange(to_exchanges(rows, speakers) + ([last] if last else []), now)


def merge_exchanges(older: Sequence[Exchange], newer: Sequence[Exchange]) -> list[Exchange] | None:
    """Both without what they have in common; None where the newer one does not go on from the
    older one, as after a message was taken back.

    The last answer may have been made anew. Times are those of the older one: a client tells none.
    """
    start = _overlap(older, newer)
    tail = older[start:]
    if _is_continued_by(tail, newer) or (start == 0 and _has_new_last_answer(tail, newer)):
        same = [_with_known_time(old, new) for old, new in zip(tail, newer, strict=False)]
        return [*older[:start], *same, *newer[len(tail) :]]
    return None


def _overlap(older: Sequence[Exchange], newer: Sequence[Exchange]) -> int:
    """Where the newer one begins in the older one, if that is the only place where it may."""
    if not newer or _is_continued_by(older, newer):
        return 0
    matches = [index for index, exchange in enumerate(older) if _is_same(exchange, newer[0])]
    return matches[0] if len(matches) == 1 else 0


def _is_continued_by(older: Sequence[Exchange], newer: Sequence[Exchange]) -> bool:
    return len(older) <= len(newer) and all(map(_is_same, older, newer))


def _has_new_last_answer(older: Sequence[Exchange], newer: Sequence[Exchange]) -> bool:
    """Returns whether nothing but the older one's last answer is another one now."""
    if not older or len(older) > len(newer):
        return False
    *before, last = older
    is_asked_again = bool(last.user) and last.user == newer[len(before)].user
    return is_asked_again and _is_continued_by(before, newer)


def _is_same(old: Exchange, new: Exchange) -> bool:
    return old is new or (old.user, old.assistant) == (new.user, new.assistant)


def _with_known_time(old: Exchange, new: Exchange) -> Exchange:
    return replace(new, ts=old.ts) if new.ts is None and old.ts is not None else new

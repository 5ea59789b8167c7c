"""The trace of a turn, for the viewer, without the words of forgotten memories."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from ..recall.results import Dropped, Recall, Recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """One memory in the prompt: its exact text, and its cost in tokens."""

    memory_id: str
    form: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A record of one turn's recall, for the viewer. Incognito chats leave none.

    `chat_tokens` are those of the chat itself, of `limit_tokens` in all. `may_be_saved` is False
    for messages that must not be saved to disk. `is_redacted`: some of its words were forgotten.
    """

    ts: float
    user: str
    character: str
    conversation: str
    query: str
    mode: str = ""
    recall: Recall = field(default_factory=Recall)
    dropped: tuple[Dropped, ...] = ()
    injected: tuple[Injected, ...] = ()
    injected_text: str = ""
    system_block: str = ""
    tokens: int = 0
    skipped: str = ""
    notes: tuple[str, ...] = ()
    added_ms: float = 0.0
    limit_tokens: int = 0
    chat_tokens: int = 0
    may_be_saved: bool = False
    is_redacted: bool = False

    @property
    def memory_ids(self) -> frozenset[str]:
        """The ids of all memories that this trace shows."""
        recalled = {result.memory.id for result in self.recall.kept}
        dropped = {drop.candidate.memory.id for drop in (*self.recall.dropped, *self.dropped)}
        injected = {name for part in self.injected for name in part.memory_id.split()}
        return frozenset(recalled | dropped | injected)


def redact(trace: Trace, ids: Collection[str]) -> Trace:
    """Returns the trace without the words of these memories; their ids and scores stay."""
    if trace.memory_ids.isdisjoint(ids):
        return trace
    recall = replace(
        trace.recall,
        kept=tuple(_without_words(recalled, ids) for recalled in trace.recall.kept),
        dropped=_others(trace.recall.dropped, ids),
    )
    injected = tuple(
        part if set(part.memory_id.split()).isdisjoint(ids) else replace(part, text="")
        for part in trace.injected
    )
    return replace(
        trace,
        recall=recall,
        dropped=_others(trace.dropped, ids),
        injected=injected,
        injected_text="",
        system_block="",
        is_redacted=True,
    )


def _without_words(recalled: Recalled, ids: Collection[str]) -> Recalled:
    if recalled.memory.id not in ids:
        return recalled
    memory = replace(recalled.memory, text="", exchange=None)
    candidate = replace(recalled.candidate, memory=memory, key="", chat_key="")
    return replace(recalled, candidate=candidate)


def _others(dropped: Collection[Dropped], ids: Collection[str]) -> tuple[Dropped, ...]:
    return tuple(entry for entry in dropped if entry.candidate.memory.id not in ids)

"""The trace of a turn, for the viewer, without the words of forgotten memories.

trace_history.py saves traces as JSON values, limited to what the tab shows.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..domain.records import Exchange, Memory, MemoryKind
from ..recall.results import Candidate, Dropped, DropReason, Form, Recall, Recalled

VERSION = 1
_MAX_DROPPED = 40
_MAX_DROPPED_CHARS = 300
_MAX_CHARS = 4_000
_TEXTS = ("user", "character", "conversation", "query", "mode", "injected_text", "system_block")
_NUMBERS = ("ts", "added_ms", "tokens", "limit_tokens", "chat_tokens")


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


def encode_trace(trace: Trace) -> dict[str, Any]:
    """Returns the trace as JSON values, without its worst dropped candidates and long texts."""
    dropped = sorted(
        (*trace.dropped, *trace.recall.dropped), key=lambda entry: -entry.candidate.score
    )
    return {
        "v": VERSION,
        **{name: getattr(trace, name) for name in (*_TEXTS, *_NUMBERS)},
        "skipped": trace.skipped,
        "notes": list(trace.notes),
        "need": trace.recall.need,
        "elapsed_ms": trace.recall.elapsed_ms,
        "is_redacted": trace.is_redacted,
        "kept": [_recalled_fields(recalled) for recalled in trace.recall.kept],
        "dropped": [_dropped_fields(entry) for entry in dropped[:_MAX_DROPPED]],
        "injected": [
            [part.memory_id, part.form, part.text, part.tokens] for part in trace.injected
        ],
    }


def decode_trace(fields: Mapping[str, Any]) -> Trace:
    """Returns the trace. Raises one of UNUSABLE_JSON."""
    if fields["v"] != VERSION:
        raise ValueError("another version")
    recall = Recall(
        kept=tuple(_recalled(entry) for entry in fields["kept"]),
        dropped=tuple(_dropped(entry) for entry in fields["dropped"]),
        need=None if fields["need"] is None else float(fields["need"]),
        elapsed_ms=float(fields["elapsed_ms"]),
    )
    return Trace(
        ts=float(fields["ts"]),
        user=str(fields["user"]),
        character=str(fields["character"]),
        conversation=str(fields["conversation"]),
        query=str(fields["query"]),
        mode=str(fields["mode"]),
        recall=recall,
        injected=tuple(_injected(part) for part in fields["injected"]),
        injected_text=str(fields["injected_text"]),
        system_block=str(fields["system_block"]),
        tokens=int(fields["tokens"]),
        skipped=str(fields["skipped"]),
        notes=tuple(map(str, fields["notes"])),
        added_ms=float(fields["added_ms"]),
        limit_tokens=int(fields["limit_tokens"]),
        chat_tokens=int(fields["chat_tokens"]),
        may_be_saved=True,
        is_redacted=bool(fields["is_redacted"]),
    )


def _recalled_fields(recalled: Recalled) -> dict[str, Any]:
    return {
        **_candidate_fields(recalled.candidate, _MAX_CHARS),
        "form": recalled.form,
        "is_direct": recalled.is_direct,
    }


def _dropped_fields(entry: Dropped) -> dict[str, Any]:
    fields = _candidate_fields(entry.candidate, _MAX_DROPPED_CHARS)
    return {**fields, "reason": entry.reason, "detail": entry.detail}


def _candidate_fields(candidate: Candidate, max_chars: int) -> dict[str, Any]:
    memory, said = candidate.memory, candidate.memory.exchange
    sides = {"sides": [said.user[:max_chars], said.assistant[:max_chars]]} if said else {}
    return {
        "id": memory.id,
        "kind": memory.kind,
        "text": memory.text[:max_chars],
        "ts": memory.ts,
        "conversation": memory.conversation,
        "score": candidate.score,
        "parts": dict(candidate.parts),
        "carried_over": candidate.carried_over,
        **sides,
    }


def _candidate(fields: Mapping[str, Any]) -> Candidate:
    sides: Sequence[str] = fields.get("sides", ())
    exchange = Exchange(user=str(sides[0]), assistant=str(sides[1])) if sides else None
    memory = Memory(
        id=str(fields["id"]),
        kind=MemoryKind(fields["kind"]),
        text=str(fields["text"]),
        ts=None if fields["ts"] is None else float(fields["ts"]),
        conversation=str(fields["conversation"]),
        exchange=exchange,
    )
    return Candidate(
        memory=memory,
        score=float(fields["score"]),
        parts={str(name): float(value) for name, value in fields["parts"].items()},
        carried_over=float(fields["carried_over"]),
    )


def _recalled(fields: Mapping[str, Any]) -> Recalled:
    return Recalled(
        candidate=_candidate(fields),
        form=Form(fields["form"]),
        is_direct=bool(fields["is_direct"]),
    )


def _dropped(fields: Mapping[str, Any]) -> Dropped:
    reason = DropReason(fields["reason"])
    return Dropped(candidate=_candidate(fields), reason=reason, detail=str(fields["detail"]))


def _injected(part: Sequence[Any]) -> Injected:
    memory_id, form, text, tokens = part
    return Injected(memory_id=str(memory_id), form=str(form), text=str(text), tokens=int(tokens))

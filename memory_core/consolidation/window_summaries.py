"""Summarises the older part of a long chat, block by block, before it leaves the prompt.

The oldest summaries are condensed again, so that every chat has only a few.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ..config.consolidation_settings import ConsolidationSettings
from ..domain.derivations import Derivation
from ..domain.records import Memory, MemoryKind
from ..memory.derived_memories import NewDerived, exchanges_in
from ..memory.namespace_memory import NamespaceMemory
from ..memory.window_parts import WINDOW_KEY, WindowPart, find_window_parts, uncondensed
from ..storage.log.events import Event, EventType
from ..text.prompt_files import PromptBook
from .chunked_summary import ChunkedSummariser, first_speakers
from .contract import CHANGING_EVENTS, JobModel, Task

BLOCK_EXCHANGES = 10
_CONDENSED_AT_ONCE = 5
_MAX_PER_LEVEL = 5  # summaries of one level; with more, the oldest are condensed
_WHOLE_CHAT = 1_000_000
_SPEAKERS = "speakers"  # in a task's details
_KEY_INTERVAL = BLOCK_EXCHANGES // 2  # every n-th new exchange is a key, so each block gets a job


class WindowSummaries:
    """Summarises ten exchanges each, except the latest `summarize_after_messages` messages."""

    name = "window_summary"

    def __init__(
        self, *, settings: ConsolidationSettings, prompts: PromptBook | None = None
    ) -> None:
        self._untouched = exchanges_in(settings.summarize_after_messages)
        self._reader = ChunkedSummariser(settings=settings, prompts=prompts)

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        new = [event.id for event in events if event.op is EventType.ADD]
        changed = (event.id for event in events if event.op in CHANGING_EVENTS)
        return list(dict.fromkeys([*new[::_KEY_INTERVAL], *new[-1:], *changed]))

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        """Prepares the block around this exchange, else the latest block, else a condensation."""
        record = opened.records([key]).get(key)
        if record is None or record.memory.exchange is None or not record.memory.conversation:
            return None
        log = record.memory.conversation
        chat = opened.query_without_forgotten(
            lambda store: store.catalog.conversation(log, _WHOLE_CHAT)
        )
        parts = find_window_parts(opened.find_derived, [memory.id for memory in chat])
        old = chat[: max(0, len(chat) - self._untouched)]
        sources = _next_block(old, parts, _index_of(record.memory, chat))
        sources = sources or _condensable_ids(parts)
        found = opened.records(sources)
        if not sources or len(found) < len(sources):
            return None
        return Task(
            key=key,
            records={name: found[name] for name in sources},
            details={_SPEAKERS: first_speakers(chat)},
        )

    def run(self, task: Task, model: JobModel) -> Sequence[NewDerived]:
        memories = [record.memory for record in task.records.values()]
        speakers = task.details[_SPEAKERS]
        summary = self._reader.summarise(memories, model, speakers=speakers)
        if not summary.text:
            return []
        began, ended = _time_span(memories)
        derived = Derivation(made_by=model.name, key=WINDOW_KEY, event_from=began, event_to=ended)
        return [
            NewDerived(
                kind=MemoryKind.SUMMARY, text=summary.text, sources=task.sources, derived=derived
            )
        ]


def _index_of(memory: Memory, chat: Sequence[Memory]) -> int:
    """Returns the index of an exchange in the chat, or its former index if it was removed."""
    ids = [other.id for other in chat]
    if memory.id in ids:
        return ids.index(memory.id)
    return sum(other.position < memory.position for other in chat)


def _next_block(old: Sequence[Memory], parts: Sequence[WindowPart], index: int) -> list[str]:
    """Returns the ids of the unsummarised block around `index`, else of the last one."""
    missing = list(_missing_blocks(len(old), parts))
    around = [block for block in missing if index in block]
    chosen = around or missing[-1:]
    return [old[place].id for block in chosen for place in block]


def _missing_blocks(count: int, parts: Sequence[WindowPart]) -> Iterator[range]:
    """Yields the blocks without a summary; the last one only if it is complete."""
    begun = {part.start: part.end for part in parts if not part.level}
    start = 0
    while start < count:
        if start in begun:
            start = begun[start]
            continue
        full = start + BLOCK_EXCHANGES
        end = min((known for known in begun if start < known < full), default=full)
        if end <= count:
            yield range(start, end)
        start = end


def _condensable_ids(parts: Sequence[WindowPart]) -> list[str]:
    """Returns the ids of the oldest consecutive summaries of a level that has too many."""
    current = uncondensed(parts)
    for level in sorted({part.level for part in current}):
        alike = [part for part in current if part.level == level]
        oldest = alike[:_CONDENSED_AT_ONCE]
        are_consecutive = all(before.end == after.start for before, after in pairwise(oldest))
        if len(alike) > _MAX_PER_LEVEL and are_consecutive:
            return [part.memory.id for part in oldest]
    return []


def _time_span(memories: Sequence[Memory]) -> tuple[float | None, float | None]:
    """Returns the time that these memories span; None where it is unknown."""
    spans = [memory.derived.event_time if memory.derived else None for memory in memories]
    times = [time for span in spans if span for time in span]
    times += [
        memory.ts for memory in memories if memory.exchange is not None and memory.ts is not None
    ]
    return (min(times), max(times)) if times else (None, None)

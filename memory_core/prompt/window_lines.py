"""Chooses the lines that sum up the part of a chat before its window.

They change only when the window moves, or when one of their sources changes. Until a model has
summarised a part, its own sentences are quoted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..domain.namespaces import Namespace
from ..domain.records import Memory
from ..infra.lru_cache import LRUCache
from ..memory.long_term_memory import LongTermMemory
from ..memory.window_parts import WindowPart, find_window_parts
from ..recall.session_groups import Session
from ..text.locales import prompt_words
from .quoted_sentences import NO_QUOTES
from .session_extract import summarise_session
from .system_block import SystemLine
from .templates import date_in_digits

_EXTRACT_SIZES = (10, 20, 40)  # exchanges of one extract, from the window backwards; then the rest
_EXTRACT_CHARS = 300
_MAX_READ = 60  # exchanges of one extract
_WHOLE_CHAT = 1_000_000
_MAX_CACHED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChosenLines:
    """The lines for the exchanges that had left the window, and the state of their sources."""

    gone: tuple[str, ...]
    lines: tuple[SystemLine, ...]
    seqs: Mapping[str, int]


class WindowLineCache:
    """Caches the lines of each conversation. Safe for many threads."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory
        self._cache: LRUCache[tuple[Namespace, str], _ChosenLines] = LRUCache(_MAX_CACHED)

    def lines(
        self, namespace: Namespace, conversation: str, *, gone: Sequence[str], language: str
    ) -> tuple[SystemLine, ...]:
        """Returns the lines for the chat's first exchanges, those with these content keys.

        Only stored exchanges count, neither forgotten ones nor those that were never stored.
        """
        key, left = (namespace, conversation), tuple(gone)
        cached = self._cache.get(key)
        if (
            cached is not None
            and cached.gone == left
            and cached.seqs == self._memory.last_seqs(namespace, list(cached.seqs))
        ):
            return cached.lines
        lines = tuple(self._choose(namespace, conversation, left, language)) if left else ()
        if lines:  # without lines, the chat may not be stored yet
            ids = [source for line in lines for source in line.sources]
            seqs = self._memory.last_seqs(namespace, ids)
            self._cache.put(key, _ChosenLines(gone=left, lines=lines, seqs=seqs))
        return lines

    def _choose(
        self, namespace: Namespace, conversation: str, gone: tuple[str, ...], language: str
    ) -> Iterator[SystemLine]:
        chat = self._memory.conversation(namespace, conversation, _WHOLE_CHAT)
        count = _count_gone(chat, gone)
        with self._memory.open_namespace(namespace) as opened:
            parts = find_window_parts(
                opened.find_derived,
                [memory.id for memory in chat],
            )
        for found in cover(parts, count):
            if isinstance(found, WindowPart):
                yield self._written_line(found, chat, language)
            else:
                yield from self._extracts(chat[found.start : found.stop], language)

    def _written_line(self, part: WindowPart, chat: Sequence[Memory], language: str) -> SystemLine:
        exchanges = chat[part.start : part.end]
        words = prompt_words(language)
        day = date_in_digits(exchanges[0].ts, words=words)
        return SystemLine(
            text=words("earlier_here", date=day, text=part.memory.text),
            sources=(part.memory.id,),
            ts=exchanges[-1].ts or 0.0,
            is_summary=True,
            summary_id=part.memory.id,
            made_of=tuple(memory.id for memory in exchanges),
        )

    def _extracts(self, chat: Sequence[Memory], language: str) -> Iterator[SystemLine]:
        words, quoted = prompt_words(language), NO_QUOTES
        for memories in _split(chat):
            read = memories[:: -(-len(memories) // _MAX_READ)]
            text = summarise_session(
                Session(memories=tuple(read)), limit=_EXTRACT_CHARS, quoted=quoted
            )
            quoted = quoted.with_texts([text])
            if text:
                yield SystemLine(
                    text=words("earlier_here_quoted", text=text),
                    sources=tuple(memory.id for memory in read),
                    ts=memories[-1].ts or 0.0,
                    is_summary=True,
                    is_extract=True,
                )


def cover(parts: Sequence[WindowPart], count: int) -> Iterator[WindowPart | range]:
    """Covers the first `count` exchanges, in order, by the widest summaries, else by ranges.

    A condensed summary is used only if all of its exchanges are among these.
    """
    start = 0
    while start < count:
        here = [
            part for part in parts if part.start == start and (part.end <= count or not part.level)
        ]
        if here:
            widest = max(here, key=lambda part: part.end)
            yield widest
            start = widest.end
        else:
            end = min((part.start for part in parts if start < part.start < count), default=count)
            yield range(start, end)
            start = end


def _count_gone(chat: Sequence[Memory], gone: Sequence[str]) -> int:
    """Returns the number of the chat's stored exchanges up to the last one with a key in `gone`."""
    left, count = Counter(gone), 0
    for place, memory in enumerate(chat, start=1):
        if left[memory.key]:
            left[memory.key] -= 1
            count = place
    return count


def _split(chat: Sequence[Memory]) -> list[Sequence[Memory]]:
    """Splits the chat into small latest parts and one with all older exchanges, oldest first."""
    parts: list[Sequence[Memory]] = []
    for size in _EXTRACT_SIZES:
        if len(chat) > size:
            parts.append(chat[-size:])
            chat = chat[:-size]
    return [part for part in (chat, *reversed(parts)) if part]

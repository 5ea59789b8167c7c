"""A diary: one page per day and namespace, which recall finds like any other memory."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta

from ..domain.derivations import Derivation
from ..domain.namespaces import Namespace
from ..domain.records import Memory, MemoryKind
from ..infra.calendar_time import is_day_within, to_datetime
from ..storage.contract import DerivedFilter
from .derived_memories import DerivedMemories, NewDerived
from .long_term_memory import LongTermMemory

BY_USER = "user"
_PAGES = frozenset({MemoryKind.DIARY})


def page_of_day(day: date, *, made_by: str) -> Derivation:
    """Returns the derivation of a page, which covers its day by the local clock.

    Raises ValueError for the first and the last day of the calendar.
    """
    try:
        start = datetime(day.year, day.month, day.day)
        begins, ends = start.timestamp(), (start + timedelta(days=1)).timestamp()
    except (ValueError, OverflowError, OSError) as exc:
        raise ValueError(f"a diary cannot have a page of {day}: choose another day") from exc
    return Derivation(made_by=made_by, key=day.isoformat(), event_from=begins, event_to=ends)


class Diary:
    """Safe for many threads of one program."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory
        self._derived = DerivedMemories(memory)
        self._lock = threading.Lock()

    def write(self, namespace: Namespace, day: date, text: str, *, made_by: str = BY_USER) -> str:
        """Writes the page of a day in place of an older one, and returns its id.

        Private parts that the guard redacts or skips are replaced by marks.
        Raises ValueError for an empty text and for a day that page_of_day() refuses, StorageError.
        """
        if not text.strip():
            raise ValueError("a diary page needs a text")
        text = self._memory.guard.redact_text(namespace, text)
        with self._lock:
            known = self.page(namespace, day)
            if known is None:
                return self._derived.add(
                    namespace,
                    NewDerived(
                        kind=MemoryKind.DIARY,
                        text=text,
                        derived=page_of_day(day, made_by=made_by),
                        ts=self._memory.now(),
                    ),
                )
            if known.text != text:
                self._memory.edit(namespace, known.id, {"text": text})
            return known.id

    def page(self, namespace: Namespace, day: date) -> Memory | None:
        """Returns the page of a day, or None."""
        return next((page for own, page in self._pages(namespace) if own == day), None)

    def pages(
        self, namespace: Namespace, *, since: date | None = None, until: date | None = None
    ) -> list[Memory]:
        """Returns the pages from `since` to `until`, both days included, the latest day first."""
        found = list(self._pages(namespace))
        chosen = [(day, page) for day, page in found if is_day_within(day, since, until)]
        return [page for _, page in sorted(chosen, key=lambda dated: dated[0], reverse=True)]

    def remove(self, namespace: Namespace, day: date) -> bool:
        """Forgets the pages of a day; returns whether there were any."""
        with self._lock:
            ids = [page.id for own, page in self._pages(namespace) if own == day]
            if ids:
                self._memory.forget_exactly(namespace, ids)
            return bool(ids)

    def _pages(self, namespace: Namespace) -> Iterator[tuple[date, Memory]]:
        for page in self._derived.find(namespace, DerivedFilter(kinds=_PAGES)):
            if (day := day_of_page(page)) is not None:
                yield day, page


def maker_of_page(page: Memory) -> str:
    """Returns BY_USER, or the writer of the draft that became the page."""
    return page.derived.made_by if page.derived else BY_USER


def day_of_page(page: Memory) -> date | None:
    """Returns the day of a diary page. One that names none, as from POST /memories, belongs to the
    local day on which it was written; None if that is unknown, too.
    """
    with suppress(ValueError):
        if page.derived:
            return date.fromisoformat(page.derived.key)
    written = to_datetime(page.ts)
    return written.date() if written else None

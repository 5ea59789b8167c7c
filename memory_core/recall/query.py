"""What recall is asked: the message, who talks, and what must not come back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain

from ..records import nothing
from ..sentences import sentences
from ..terms import terms
from .dates import Named, spans

_FEW_WORDS = 1
_MOST_PARTS = 3


@dataclass(frozen=True, kw_only=True)
class Query:
    """`shown` holds content keys of what the prompt holds anyway, `stale` ids of memories that
    the chat no longer says, `sticky` the scores that earlier messages lend to what they recalled.
    `now` is when it is asked; without it no time is understood.
    """

    text: str
    names: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    sticky: Mapping[str, float] = field(default_factory=nothing)
    now: datetime | None = None

    @cached_property
    def times(self) -> tuple[Named, ...]:
        """The times that the message names."""
        return spans(self.text, self.now) if self.now else ()

    @cached_property
    def words(self) -> list[str]:
        """The terms to search for, without those of a time and the names, which say nothing here:
        every memory has the names, and what was said "yesterday" was not said yesterday.
        """
        return [word for part in self.parts for word in part]

    @cached_property
    def parts(self) -> list[list[str]]:
        """The words sentence by sentence, in at most three parts: a question is not to be drowned
        by what is said around it.
        """
        own = {word for name in self.names for word in terms(name)}
        found = [
            [word for word in terms(it) if word not in own] for it in sentences(self._timeless)
        ]
        spoken = [words for words in found if words]
        size = -(-len(spoken) // _MOST_PARTS) or 1
        return [list(chain(*spoken[at : at + size])) for at in range(0, len(spoken), size)]

    @property
    def asks_for_a_time(self) -> bool:
        """Whether the message is about a time and hardly anything else."""
        return bool(self.times) and len(set(self.words)) <= _FEW_WORDS

    @property
    def nameless(self) -> str:
        """The text without the names, for the embedder."""
        names = [re.escape(name) for name in self.names if name.strip()]
        if not names:
            return self.text
        pattern = rf"(?<!\w)(?:{'|'.join(names)})(?!\w)"
        return re.sub(pattern, " ", self.text, flags=re.IGNORECASE).strip() or self.text

    @property
    def _timeless(self) -> str:
        text = self.text
        for start, end in sorted({it.span for it in self.times}, reverse=True):
            text = f"{text[:start]} {text[end:]}"
        return text


def at(seconds: float) -> datetime:
    """This moment in the time zone of this machine; seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def warm_up() -> None:
    """Has compiled, before anybody waits, what the first query of a process would compile."""
    _ = Query(text="yesterday, 昨天", now=at(0.0)).words

"""A sitting and what it was about, said in its own words: no model, nothing invented."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import groupby

from ..injection.templates import date_in_digits
from ..quoted import NOTHING_QUOTED, Quoted
from ..records import Memory
from ..sentences import sentences
from ..speakers import USER, told
from ..terms import terms

_SHORTEST, _LONGEST = 12, 240
_GAP = " … "


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Exchanges of one conversation without a long pause between them, oldest first."""

    memories: tuple[Memory, ...]

    @property
    def started(self) -> float:
        return self.memories[0].ts or 0.0


def sessions(memories: Iterable[Memory], *, pause_s: float) -> list[Session]:
    """Dated exchanges grouped into sittings, the latest first."""
    dated = [it for it in memories if it.exchange is not None and it.ts is not None]
    dated.sort(key=lambda it: (it.conversation, it.ts, it.turn_id))
    found = [
        Session(memories=tuple(sitting))
        for _, talk in groupby(dated, key=lambda it: it.conversation)
        for sitting in _split(list(talk), pause_s)
    ]
    return sorted(found, key=lambda it: it.started, reverse=True)


def _split(talk: Sequence[Memory], pause_s: float) -> Iterable[list[Memory]]:
    sitting = [talk[0]]
    for memory in talk[1:]:
        if (memory.ts or 0.0) - (sitting[-1].ts or 0.0) > pause_s:
            yield sitting
            sitting = []
        sitting.append(memory)
    yield sitting


def summary(
    session: Session, *, limit: int, quoted: Quoted = NOTHING_QUOTED, tz: tzinfo | None = None
) -> str:
    """`(date) Name: sentence … sentence`: what the user said that the sitting turned on most, but
    nothing that is quoted already.

    Sentences are chosen by how much they hold of what recurs in the sitting (the mean weight of
    their terms, as SumBasic does: Nenkova and Vanderwende 2005), and stay in their order.
    """
    day = date_in_digits(session.started, tz)
    new = (it for it in _said(session) if not quoted.repeated(it))
    said = [(n, it) for n, it in enumerate(new) if _SHORTEST <= len(it) <= _LONGEST]
    name = session.memories[0].exchange.user_name if session.memories[0].exchange else ""
    head = f"({day}) {told(name, USER) + ': ' if name else ''}"
    chosen = _best([text for _, text in said], limit - len(head))
    return head + _GAP.join(chosen) if chosen else ""


def _said(session: Session) -> list[str]:
    texts = [it.exchange.user for it in session.memories if it.exchange]
    return list(dict.fromkeys(it for text in texts for it in sentences(text)))


def _best(candidates: Sequence[str], limit: int) -> list[str]:
    weights = Counter(word for text in candidates for word in set(terms(text)))
    chosen: list[int] = []
    left = limit
    while True:
        rest = [n for n in range(len(candidates)) if n not in chosen and len(candidates[n]) <= left]
        if not rest:
            return [candidates[n] for n in sorted(chosen)]
        best = max(rest, key=lambda n: (_weight(candidates[n], weights), -n))
        if not _weight(candidates[best], weights):
            return [candidates[n] for n in sorted(chosen)]
        chosen.append(best)
        left -= len(candidates[best]) + len(_GAP)
        for word in set(terms(candidates[best])):
            weights[word] = 0  # said now: what it said is no reason to say it again


def _weight(text: str, weights: Counter[str]) -> float:
    """What a sentence adds, the more the longer it is, but not in proportion."""
    words = set(terms(text))
    return sum(weights[word] for word in words) / math.sqrt(len(words)) if words else 0.0

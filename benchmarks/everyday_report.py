"""Figures of everyday messages and of the memories that they got.

See everyday.py for what they mean.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from statistics import fmean
from typing import Any

from benchmarks.everyday_data import History, Probe

ROOM = 10  # memories that the default settings let in


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One memory in the prompt: `exchange` is its index in the history."""

    exchange: int
    id: str
    form: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One message and the memories injected for it, best first.

    `open_first` holds the indices that an open gate would have let in, best first; `added_tokens`
    and `added_letters` count all that was added beside the system block, `text` is all that was.
    """

    history: History
    probe: Probe
    given: Sequence[Given]
    open_first: Sequence[int]
    added_tokens: int
    added_letters: int
    text: str

    @property
    def is_shown(self) -> bool:
        shown = _folded(self.text)
        return any(_folded(answer) in shown for answer in self.probe.answers)

    @property
    def is_delivered(self) -> bool:
        return not self.probe.want.isdisjoint(part.exchange for part in self.given)

    @property
    def is_delivered_open(self) -> bool:
        return not self.probe.want.isdisjoint(self.open_first[:ROOM])

    @property
    def is_first(self) -> bool:
        return bool(self.given) and self.given[0].exchange in self.probe.want


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def table(found: Sequence[Outcome]) -> dict[str, Any]:
    """Returns all figures, by kind, language and history."""
    wanting = [entry for entry in found if entry.probe.wants]
    idle = [entry for entry in found if not entry.probe.wants]
    return {
        "messages": len(found),
        "delivered": _served(wanting),
        "by_kind": {name: _served(own) for name, own in _grouped(wanting, "probe.kind").items()},
        "by_language": {
            name: _served(own) for name, own in _grouped(wanting, "history.language").items()
        },
        "by_history": {
            name: _served(own) for name, own in _grouped(wanting, "history.name").items()
        },
        "nothing_wanted": _disturbed(idle),
        "nothing_by_kind": {
            name: _disturbed(own) for name, own in _grouped(idle, "probe.kind").items()
        },
        "nothing_by_language": {
            name: _disturbed(own) for name, own in _grouped(idle, "history.language").items()
        },
    }


def _grouped(found: Iterable[Outcome], attribute: str) -> Mapping[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in found:
        groups.setdefault(attrgetter(attribute)(outcome), []).append(outcome)
    return groups


def _served(found: Sequence[Outcome]) -> dict[str, float]:
    return {
        "messages": len(found),
        "delivered": _mean(entry.is_delivered for entry in found),
        "shown": _mean(entry.is_shown for entry in found if entry.probe.answers),
        "open_gate": _mean(entry.is_delivered_open for entry in found),
        "first": _mean(entry.is_first for entry in found),
        "precision": _mean(
            given.exchange in entry.probe.want for entry in found for given in entry.given
        ),
        "small_talk": _mean(
            given.exchange in entry.history.small_talk for entry in found for given in entry.given
        ),
        "memories": _mean((len(entry.given) for entry in found), digits=2),
        "tokens": _mean((entry.added_tokens for entry in found), digits=1),
    }


def _disturbed(found: Sequence[Outcome]) -> dict[str, float]:
    return {
        "messages": len(found),
        "got_anything": _mean(bool(entry.given) for entry in found),
        "memories": _mean((len(entry.given) for entry in found), digits=2),
        "tokens": _mean((entry.added_tokens for entry in found), digits=1),
        "letters": _mean((entry.added_letters for entry in found), digits=1),
    }


def _mean(values: Iterable[float], *, digits: int = 4) -> float:
    listed = list(values)
    return round(fmean(listed), digits) if listed else 0.0


def rows(found: Iterable[Outcome]) -> list[dict[str, Any]]:
    """Returns one entry per message, with the memories injected beside the system block."""
    return [
        {
            "history": entry.history.name,
            "lang": entry.history.language,
            "kind": entry.probe.kind,
            "text": entry.probe.text,
            "want": sorted(entry.probe.want),
            "ok": sorted(entry.probe.ok),
            "delivered": entry.is_delivered,
            "shown": entry.is_shown,
            "tokens": entry.added_tokens,
            "letters": entry.added_letters,
            "injected": list(map(asdict, entry.given)),
            "open_gate": entry.open_first[:ROOM],
        }
        for entry in found
    ]


def print_table(title: str, figures: Mapping[str, Any]) -> None:
    print(f"\n{title}: {figures['messages']} messages")
    titles = (
        f"{'delivered':>11}{'shown':>8}{'open gate':>11}{'first':>8}{'precision':>11}{'tokens':>8}"
    )
    print(f"{'':18}{'n':>5}{titles}")
    for name, it in ({"all": figures["delivered"]} | _groups(figures, "by_")).items():
        print(
            f"{name:18}{it['messages']:5}{it['delivered']:11.3f}{it['shown']:8.3f}"
            f"{it['open_gate']:11.3f}{it['first']:8.3f}{it['precision']:11.3f}{it['tokens']:8.1f}"
        )
    print(f"{'wants nothing':18}{'n':>5}{'got any':>11}{'memories':>11}{'tokens':>8}{'letters':>8}")
    for name, it in ({"all": figures["nothing_wanted"]} | _groups(figures, "nothing_by_")).items():
        print(
            f"{name:18}{it['messages']:5}{it['got_anything']:11.3f}{it['memories']:11.2f}"
            f"{it['tokens']:8.1f}{it['letters']:8.1f}"
        )


def _groups(figures: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {**figures[f"{prefix}kind"], **figures[f"{prefix}language"]}

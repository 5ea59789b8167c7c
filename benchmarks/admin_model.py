"""Models the storage after an administrative operation that was killed beside a chat.

Each message says one word that no other says. `may[word]` holds the states that the word may be
in. It is a single state, except for operations under way when a process was killed.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.admin_child import FORGET

LIVE, GONE, FORGOTTEN = "live", "gone", "forgotten"
States = frozenset[str]
TAKES_AWAY = ("destroy", "replace")
NEVER = float("inf")
_ADDED = {LIVE: LIVE, FORGOTTEN: FORGOTTEN, GONE: LIVE}  # by a merging restore or an import


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A message, or forgetting one. `done` is infinite if it was never acknowledged."""

    act: str
    name: str
    word: str
    tried: float
    done: float = NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation. `kind` is one of TAKES_AWAY, "add" or "other"; `brings` maps each word of the
    backup or file to its state there. `began` is infinite if it never began.
    """

    act: str
    kind: str
    name: str
    other: str = ""
    brings: Mapping[str, States] = field(default_factory=dict)
    began: float = NEVER
    ended: float = NEVER
    is_done: bool = False


@dataclass(slots=True, kw_only=True)
class Verdict:
    lost: list[str] = field(default_factory=list)
    corrupt: list[str] = field(default_factory=list)


def events_of(journal: Path) -> list[Event]:
    """Returns the journal's events in the order in which they were tried."""
    found: dict[tuple[str, str], Event] = {}
    lines = journal.read_bytes().splitlines() if journal.exists() else []
    for act, name, word, is_done, moment in map(json.loads, lines):
        before = found.get((act, word))
        tried = before.tried if before else moment
        done = moment if is_done else NEVER
        found[act, word] = Event(act=act, name=name, word=word, tried=tried, done=done)
    return list(found.values())


class Ledger:
    """The words of one storage."""

    def __init__(self) -> None:
        self.may: dict[str, States] = {}
        self.names: list[str] = []
        self.meant: dict[str, str] = {}
        self._home: dict[str, str] = {}
        self.acknowledged = 0

    def new_name(self) -> str:
        name = f"k{len(self.names)}"
        self.names.append(name)
        self.meant[name] = name
        return name

    def places(self) -> list[str]:
        """Returns the current names of all namespaces with memories."""
        used = {self.meant[self._home[word]] for word, may in self.may.items() if LIVE in may}
        return sorted(used)

    def snapshot(self, name: str) -> dict[str, States]:
        """Returns the words below this name, with their present states."""
        return {word: may for word, may in self.may.items() if self._meant(word) == name}

    def _meant(self, word: str) -> str:
        return self.meant[self._home[word]]

    def offer(self, name: str, words: Iterable[str]) -> dict[str, States]:
        """Notes that a file with these words can be imported under this name."""
        for word in words:
            self._home[word] = name
            self.may[word] = frozenset([GONE])
        return {word: frozenset([LIVE]) for word in words}

    def take(self, events: Sequence[Event], operation: Operation) -> None:
        """Applies the journal's events before and after the operation."""
        before = [event for event in events if event.done < operation.began]
        after = [event for event in events if event.tried > operation.ended]
        during = [event for event in events if event not in before and event not in after]
        for event in before:
            self._settle(event)
        self._operate(operation)
        for event in during:
            self._overlap(event, operation)
        for event in after:
            self._settle(event)
        self.acknowledged += sum(event.done < NEVER for event in events) + operation.is_done

    def _settle(self, event: Event) -> None:
        becomes = frozenset([FORGOTTEN if event.act == FORGET else LIVE])
        self._home.setdefault(event.word, event.name)
        known = self.may.get(event.word, frozenset([GONE]))
        self.may[event.word] = becomes if event.done < NEVER else known | becomes

    def _overlap(self, event: Event, operation: Operation) -> None:
        """Allows both orders: an operation that removes words may have removed this one."""
        known = self.may.get(event.word, frozenset([GONE]))
        self._settle(event)
        if operation.kind in TAKES_AWAY and self._meant(event.word) == operation.name:
            self.may[event.word] |= known | {GONE}

    def _operate(self, operation: Operation) -> None:
        if operation.began == NEVER:
            return
        changes = {word: self._after(word, operation) for word in self.may}
        for word, becomes in changes.items():
            self.may[word] = becomes if operation.is_done else self.may[word] | becomes
        if operation.is_done and operation.act in ("merge", "rename"):
            moved = {it for it, of in self.meant.items() if of == operation.name}
            self.meant |= dict.fromkeys(moved, operation.other)

    def _after(self, word: str, operation: Operation) -> States:
        """Returns the possible states of a word after the operation."""
        may, brought = self.may[word], operation.brings.get(word)
        if operation.kind in TAKES_AWAY and self._meant(word) == operation.name:
            return brought or frozenset([GONE])
        if operation.kind == "add" and brought is not None and LIVE in brought:
            return frozenset(_ADDED[key] for key in may)
        return may

    def compare(self, seen: Mapping[str, Any]) -> Verdict:
        """Compares the words with the possible states, then uses their states as the known ones."""
        found = Verdict()
        self._compare_names(seen["meant"], found)
        self.meant = dict(seen["meant"])
        live: Counter[str] = Counter()
        for place, words in seen["live"].items():
            live.update(words)
            found.corrupt += [
                f"{word} is under {place}" for word in words if not self._is(word, place)
            ]
        found.corrupt += [f"{it} is there {n} times" for it, n in live.items() if n > 1]
        for word, may in self.may.items():
            self._compare_word(word, may, is_live=word in live, found=found)
        found.corrupt += [f"doctor: {it}" for it in seen["doctor"]]
        found.corrupt += [f"{it}: nobody's" for it in seen["strangers"]]
        return found

    def _is(self, word: str, place: str) -> bool:
        return word in self._home and self._meant(word) == place

    def _compare_names(self, meant: Mapping[str, str], found: Verdict) -> None:
        for name, of in self.meant.items():
            if of != meant[name] and meant[of] != meant[name]:
                found.corrupt.append(f"{name} means {meant[name]}, not {of}")

    def _compare_word(self, word: str, may: States, *, is_live: bool, found: Verdict) -> None:
        place = f"{word} of {self._home[word]} ({self._meant(word)})"
        if is_live:
            if LIVE not in may:
                found.corrupt.append(f"{place} is back: it was {sorted(may)}")
            self.may[word] = frozenset([LIVE])
        elif may == {LIVE}:
            found.lost.append(f"{place} is not there")
            self.may[word] = frozenset([GONE])
        else:
            self.may[word] = may - {LIVE}

"""Histories of everyday chat, and messages that need a memory of them or none.

A file holds a list of histories: `exchanges` with the days before `now` at which they were said,
and `probes`, each with the exchanges that it wants (`want`, any of them serves), those that would
not disturb (`ok`), texts of them that answer it (`answer`), and the messages just before it
(`context`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_core.domain.records import Exchange

DATA = Path(__file__).resolve().parent / "data" / "everyday"
FITTED, HELD_OUT = DATA / "fitted", DATA / "held_out"
CROWD = "files or folders of histories to add to each history of their language"
NOW = "2026-11-22T20:00"  # of a history that does not say when it is asked
WANTS_NOTHING = "none_"
_DAY_S = 86_400.0
_CROWD_S = 365 * _DAY_S  # the time over which further histories are spread
# The answer of a character that remembers nothing; in one chat each message needs an answer.
REPLIES = {
    "en": "I see.",
    "zh": "嗯，知道了。",  # noqa: RUF001
    "de": "Verstehe.",
    "es": "Entiendo.",
    "ja": "そうなんだ。",
    "fr": "Je vois.",
    "ru": "Понятно.",
    "pt": "Entendi.",
    "it": "Capisco.",
    "ko": "그렇구나.",
    "pl": "Rozumiem.",
    "nl": "Ik snap het.",
    "tr": "Anladım.",  # noqa: RUF001
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A message as people type it; `context` is the exchange just before it, if any.

    A prompt with one of the texts in `answers` says what is wanted. Not all histories have them.
    """

    text: str
    kind: str
    want: frozenset[int]
    ok: frozenset[int]
    context: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def wants(self) -> bool:
        return not self.kind.startswith(WANTS_NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """`chats` names the chat of each exchange; `now` is in seconds since the epoch."""

    name: str
    language: str
    user: str
    character: str
    now: float
    exchanges: Sequence[Exchange]
    chats: Sequence[str]
    probes: Sequence[Probe]


def read_histories(path: Path, crowd: Sequence[Path] = ()) -> list[History]:
    """Returns the histories of one file, or of all files in a folder.

    Each gets the exchanges of the histories in `crowd` that are in its language.
    """
    found = _read(path)
    if not found:
        raise SystemExit(f"{path} holds no histories")
    others = [history for other in crowd for history in _read(other)]
    return [_crowded(history, others) for history in found] if others else found


def _read(path: Path) -> list[History]:
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    return [
        _history(record)
        for file in files
        for record in json.loads(file.read_text(encoding="utf-8"))
    ]


def _crowded(history: History, others: Sequence[History]) -> History:
    """Returns the history with those of the others in its language in chats of its own.

    They are told by the same two people within the year before, as after months of chats.
    """
    crowd = [one for one in others if one.language == history.language and one != history]
    told = [
        (f"{one.name} {chat}", _retold(exchange, history, one, number / len(crowd)))
        for number, one in enumerate(crowd)
        for chat, exchange in zip(one.chats, one.exchanges, strict=True)
    ]
    return replace(
        history,
        exchanges=[*history.exchanges, *(exchange for _, exchange in told)],
        chats=[*history.chats, *(chat for chat, _ in told)],
    )


def _retold(exchange: Exchange, history: History, other: History, share: float) -> Exchange:
    """Returns another history's exchange as if said by this one's people, a share of a year ago."""
    age = other.now - (exchange.ts or other.now)
    return replace(
        exchange,
        user_name=history.user,
        assistant_name=history.character,
        ts=history.now - age - share * _CROWD_S,
    )


def _history(raw: dict[str, Any]) -> History:
    now = datetime.fromisoformat(raw.get("now", NOW)).timestamp()
    return History(
        name=raw["id"],
        language=raw["lang"],
        user=raw["user"],
        character=raw["character"],
        now=now,
        exchanges=[_exchange(exchange, raw, now) for exchange in raw["exchanges"]],
        chats=[exchange["chat"] for exchange in raw["exchanges"]],
        probes=[_probe(probe) for probe in raw["probes"]],
    )


def _exchange(raw: dict[str, Any], history: dict[str, Any], now: float) -> Exchange:
    return Exchange(
        user=raw["user"],
        assistant=raw["assistant"],
        user_name=history["user"],
        assistant_name=history["character"],
        ts=now - _DAY_S * raw["day"],
    )


def _probe(raw: dict[str, Any]) -> Probe:
    return Probe(
        text=raw["text"],
        kind=raw["kind"],
        want=frozenset(raw["want"]),
        ok=frozenset(raw["ok"]),
        context=tuple(raw["context"]),
        answers=tuple(raw.get("answer", ())),
    )

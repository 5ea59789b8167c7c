"""LoCoMo's format: dated conversations of two people, and questions that name their evidence turns.

The data set: https://github.com/snap-research/locomo. Its pictures are left out.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_core.domain.records import Exchange

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
CHAT_TURN = "chat turn"
_EXCHANGE_S = 60.0  # only sessions are dated: an exchange a minute
_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")  # also 'D8:6; D9:17', 'D:11:26', 'D30:05'

Json = Mapping[str, Any]
TurnId = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """The position of an exchange: the number of its session, and its index there, from 0."""

    session: int
    exchange: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question. `evidence` is the place of each evidence turn, twice if it means both turns of
    an exchange. `context` are the messages just before, if known, and `shown` the keys of those
    that are stored, because the prompt shows them. `turns` are the evidence turns themselves.
    """

    text: str
    category: str
    evidence: tuple[Place, ...]
    context: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    turns: tuple[TurnId, ...] = ()

    def after(self, exchange: Exchange) -> "Question":
        """Returns the question as asked right after this stored exchange."""
        said = tuple(side for side in (exchange.user, exchange.assistant) if side)
        return replace(self, context=said, shown=frozenset({exchange.key}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation; `chat_turns` are messages of its continuation, if the file has any.

    `now` is the time of all questions: the last session's date, unless the file has another.
    `places` maps each turn to its exchange.
    """

    name: str
    speakers: tuple[str, str]
    exchanges: Mapping[Place, Exchange]
    questions: Sequence[Question]
    chat_turns: Sequence[Question]
    now: float
    places: Mapping[TurnId, Place] = field(default_factory=dict)


def read_conversations(path: Path) -> list[Conversation]:
    """Reads the file without questions of other categories, or whose evidence has no turn."""
    return [conversation_of(record) for record in json.loads(path.read_text(encoding="utf-8"))]


def turn_ids(evidence: Sequence[str]) -> list[TurnId]:
    """Returns the turns named, each once; entries without a turn are ignored."""
    named = (match.groups() for entry in evidence for match in _TURN_ID.finditer(entry))
    return list(dict.fromkeys((int(session), int(turn)) for session, turn in named))


def conversation_of(sample: Json) -> Conversation:
    """Returns one of the conversations in a file of LoCoMo."""
    talk = sample["conversation"]
    sessions = {int(found[1]): talk[key] for key in talk if (found := _SESSION.fullmatch(key))}
    dates = {number: _seconds(talk[f"session_{number}_date_time"]) for number in sessions}
    places = dict(_places(sessions))
    exchanges = {
        Place(number, index): exchange
        for number in sorted(sessions)
        for index, exchange in enumerate(_exchanges(sessions[number], dates[number]))
    }
    return Conversation(
        name=sample["sample_id"],
        speakers=(talk["speaker_a"], talk["speaker_b"]),
        exchanges=exchanges,
        questions=list(_questions(sample["qa"], places)),
        chat_turns=list(_chat_turns(sample.get("chat_queries", ()), places)),
        now=_seconds(sample["now"]) if "now" in sample else max(dates.values()),
        places=places,
    )


def _places(sessions: Mapping[int, Sequence[Json]]) -> Iterator[tuple[TurnId, Place]]:
    for number, turns in sessions.items():
        for index, turn in enumerate(turns):
            for turn_id in turn_ids([turn["dia_id"]]):
                yield turn_id, Place(number, index // 2)


def _exchanges(turns: Sequence[Json], begun: float) -> Iterator[Exchange]:
    for start in range(0, len(turns), 2):
        first, *answer = turns[start : start + 2]
        yield Exchange(
            user=first["text"],
            user_name=first["speaker"],
            assistant=answer[0]["text"] if answer else "",
            assistant_name=answer[0]["speaker"] if answer else "",
            ts=begun + _EXCHANGE_S * (start // 2),
        )


def _questions(asked: Sequence[Json], places: Mapping[TurnId, Place]) -> Iterator[Question]:
    for question in asked:
        category, evidence = CATEGORIES.get(question["category"]), _evidence(question, places)
        if category and evidence:
            turns = tuple(turn for turn in turn_ids(question["evidence"]) if turn in places)
            yield Question(
                text=question["question"], category=category, evidence=evidence, turns=turns
            )


def _chat_turns(asked: Sequence[Json], places: Mapping[TurnId, Place]) -> Iterator[Question]:
    for question in asked:
        if evidence := _evidence(question, places):
            context = tuple(turn["text"] for turn in question.get("context", ()))
            yield Question(
                text=question["text"], category=CHAT_TURN, evidence=evidence, context=context
            )


def _evidence(asked: Json, places: Mapping[TurnId, Place]) -> tuple[Place, ...]:
    return tuple(places[turn_id] for turn_id in turn_ids(asked["evidence"]) if turn_id in places)


def _seconds(date: str) -> float:
    """Returns the seconds since the epoch of '1:56 pm on 8 May, 2023', in local time."""
    return datetime.strptime(date, "%I:%M %p on %d %B, %Y").timestamp()

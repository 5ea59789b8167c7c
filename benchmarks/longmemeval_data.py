"""LongMemEval's format: one question with the sessions of a user and an assistant before it.

The data set: https://github.com/xiaowu0162/LongMemEval (MIT). An instance has `question_id`,
`question_type`, `question`, `answer`, `question_date`, `haystack_session_ids`, `haystack_dates`,
`haystack_sessions` and `answer_session_ids`; a turn that holds evidence has `has_answer`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.locomo import Conversation, Place, Question
from memory_core.domain.records import Exchange

ABSTENTION = "_abs"  # the end of a question's id: the sessions do not answer it
_EXCHANGE_S = 60.0  # only sessions are dated: an exchange a minute
_WEEKDAY = re.compile(r"\s*\([^)]*\)\s*")

Json = Mapping[str, Any]


class BadInstance(ValueError):
    """An instance does not have the format of LongMemEval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A question, the conversation before it, and the sessions and exchanges that answer it.

    `sessions` are numbers of sessions, as in Place.
    """

    id: str
    type: str
    answer: str
    conversation: Conversation
    sessions: frozenset[int]
    exchanges: frozenset[Place]

    @property
    def question(self) -> Question:
        return self.conversation.questions[0]

    @property
    def is_unanswerable(self) -> bool:
        return self.id.endswith(ABSTENTION)


def read_records(path: Path) -> list[Json]:
    """Returns the file's records, unread. Raises BadInstance if it is no list of objects."""
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as exc:
        raise BadInstance(f"{path} is no JSON: {exc}") from exc
    if not isinstance(records, list) or not all(isinstance(entry, dict) for entry in records):
        raise BadInstance(f"{path} is no list of instances: is it a file of LongMemEval?")
    return records


def read_instance(record: Json) -> Instance:
    """Returns one instance. Raises BadInstance, which names the field at fault."""
    try:
        return _instance(record)
    except KeyError as exc:
        raise BadInstance(f"{record.get('question_id', 'an instance')} lacks {exc}") from exc
    except (ValueError, TypeError, AttributeError) as exc:
        raise BadInstance(f"{record.get('question_id', 'an instance')}: {exc}") from exc


def _instance(record: Json) -> Instance:
    ids = list(record["haystack_session_ids"])
    dates = [_seconds(date) for date in record["haystack_dates"]]
    order = sorted(range(len(ids)), key=lambda index: dates[index])
    exchanges: dict[Place, Exchange] = {}
    evidence: list[Place] = []
    for number, index in enumerate(order, start=1):
        for place, exchange, is_evidence in _session(
            number, record["haystack_sessions"][index], dates[index]
        ):
            exchanges[place] = exchange
            evidence += [place] if is_evidence else []
    answering = set(record["answer_session_ids"])
    question = Question(
        text=record["question"], category=record["question_type"], evidence=tuple(evidence)
    )
    return Instance(
        id=record["question_id"],
        type=record["question_type"],
        answer=str(record["answer"]),
        conversation=Conversation(
            name=record["question_id"],
            speakers=("user", "assistant"),
            exchanges=exchanges,
            questions=(question,),
            chat_turns=(),
            now=_seconds(record["question_date"]),
        ),
        sessions=frozenset(
            number for number, index in enumerate(order, start=1) if ids[index] in answering
        ),
        exchanges=frozenset(evidence),
    )


def _session(
    number: int, turns: Sequence[Json], begun: float
) -> Iterator[tuple[Place, Exchange, bool]]:
    for index, pair in enumerate(_pairs(turns)):
        texts = {turn["role"]: turn["content"] for turn in pair}
        exchange = Exchange(
            user=texts.get("user", ""),
            assistant=texts.get("assistant", ""),
            user_name="user",
            assistant_name="assistant",
            ts=begun + _EXCHANGE_S * index,
        )
        yield Place(number, index), exchange, any(turn.get("has_answer") for turn in pair)


def _pairs(turns: Sequence[Json]) -> Iterator[list[Json]]:
    """Groups each turn of the user with the answer after it; any other turn stands alone."""
    pair: list[Json] = []
    for turn in turns:
        if pair and (turn["role"], pair[0]["role"]) != ("assistant", "user"):
            yield pair
            pair = []
        pair.append(turn)
        if turn["role"] == "assistant":
            yield pair
            pair = []
    if pair:
        yield pair


def _seconds(date: str) -> float:
    """Returns the seconds since the epoch of '2023/05/20 (Sat) 02:21', in local time."""
    return datetime.strptime(_WEEKDAY.sub(" ", date), "%Y/%m/%d %H:%M").timestamp()

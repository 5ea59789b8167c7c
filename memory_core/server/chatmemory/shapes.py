"""The JSON of ChatMemory's endpoints. Times are written in UTC without a zone, as there."""

from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, BeforeValidator, Field

from ...infra.calendar_time import to_datetime
from ..rest.shapes import Body, Metadata, Name, NameOrNames, Time, WrittenText

_MAX_MESSAGES = 10_000  # of one call
_PLACE = frozenset({"user_id", "session_id", "channel"})  # of a message, in GET /history

WithinSeconds = Annotated[
    int, Query(ge=-(10**10), le=10**10, description="Only the last N seconds; 0 or less: any time.")
]
RowLimit = Annotated[int, Query(ge=0, le=10**9)]


def _day_of(given: object) -> object:
    """Returns the day of a time, as ChatMemory's own examples give both."""
    with suppress(ValueError):
        return datetime.fromisoformat(given).date() if isinstance(given, str) else given
    return given


Day = Annotated[date, BeforeValidator(_day_of)]


def _without_place(given: object) -> object:
    """Returns a message of GET /history without what its call says, so that it can be sent back."""
    return {k: v for k, v in given.items() if k not in _PLACE} if isinstance(given, dict) else given


class HistoryMessage(Body):
    created_at: Time | None = None
    role: Name
    content: str
    metadata: Metadata = Field(default_factory=dict)


class AddHistory(Body):
    user_id: Name
    session_id: Annotated[Name, Field(min_length=1)]
    messages: list[Annotated[HistoryMessage, BeforeValidator(_without_place)]] = Field(
        max_length=_MAX_MESSAGES
    )
    channel: Name | None = None


class Status(BaseModel):
    status: str


class HistoryMessageOut(BaseModel):
    created_at: str | None
    role: str
    content: str
    metadata: dict[str, Any]
    user_id: str
    session_id: str
    channel: str | None


class History(BaseModel):
    messages: list[HistoryMessageOut]


class SessionIds(BaseModel):
    session_ids: list[str]


class SessionOut(BaseModel):
    created_at: str | None
    user_id: str
    session_id: str
    channel: str | None


class Sessions(BaseModel):
    sessions: list[SessionOut]


class SummaryOut(BaseModel):
    """`made_by` names the model; "extractive" means sentences of the session itself."""

    created_at: str | None
    session_id: str
    summary: str
    made_by: str


class Summaries(BaseModel):
    summaries: list[SummaryOut]


class AddKnowledge(Body):
    user_id: Name
    knowledge: WrittenText


class KnowledgeOut(BaseModel):
    created_at: str | None
    knowledge: str
    id: int
    user_id: str


class KnowledgeList(BaseModel):
    knowledge: list[KnowledgeOut]


class UpsertDiary(Body):
    user_id: Name
    diary_date: Day
    content: WrittenText
    metadata: Metadata = Field(default_factory=dict)
    created_at: Time | None = None


class DiaryOut(BaseModel):
    created_at: str | None
    user_id: str
    diary_date: date
    content: str
    metadata: dict[str, Any]


class Diaries(BaseModel):
    diaries: list[DiaryOut]


class SearchRequest(Body):
    """`since` and `until` are days where the clock is `utc_offset_hours` ahead of UTC."""

    user_id: NameOrNames
    query: Annotated[str, Field(min_length=1)]
    top_k: Annotated[int, Field(ge=1, le=100)] = 5
    search_content: bool = False
    include_retrieved_data: bool = False
    since: Day | None = None
    until: Day | None = None
    utc_offset_hours: Annotated[float, Field(ge=-24, le=24)] = 0


class SearchResult(BaseModel):
    answer: str
    retrieved_data: str | None = None


class SearchResponse(BaseModel):
    result: SearchResult


def naive_utc(ts: float | None) -> str | None:
    """Returns a time as ChatMemory writes it; None for an unknown or impossible one."""
    moment = to_datetime(ts, UTC)
    return moment.replace(tzinfo=None).isoformat() if moment else None

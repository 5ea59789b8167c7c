"""The JSON of the memory endpoints, with examples for the OpenAPI document."""

import re
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from ...admin.exporters.row_fields import conversation_name
from ...admin.importers.metadata import parse_metadata
from ...config.section import Count
from ...domain.errors import ImportFailed
from ...domain.records import Memory, MemoryKind
from ...storage.log.projection import MemoryRecord, MemoryStatus
from ..chat.request import LONGEST_NAME
from ..chat.retrieved import iso_time
from ..errors import RequestRefused

T = TypeVar("T", float, date)

_UNESCAPED_ZONE = re.compile(r"(\S+[T ]\S+) (\d\d:?\d\d)", re.ASCII)
_LETTERS_OF_DAY, _DIGITS_OF_DAY = len("2025-02-20"), len("20250220")
MOST_RESULTS = 1000
MOST_USERS = 100  # of one search

Name = Annotated[str, Field(max_length=LONGEST_NAME)]
WrittenText = Annotated[str, Field(pattern=r"\S")]  # not blank; with words in invalid_requests.py
UserId = Annotated[Name, Field(description="The user, as `user` names it in chats.")]


def _names(given: object, read: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401  (a union)
    try:
        return read(given)
    except ValidationError as exc:  # pydantic reports a fault for each form that it tried
        message = "write a name, or a list of 1 to {most} names of at most {longest} letters"
        limits = {"most": MOST_USERS, "longest": LONGEST_NAME}
        raise PydanticCustomError("names", message, limits) from exc


NameOrNames = Annotated[
    Name | Annotated[list[Name], Field(min_length=1, max_length=MOST_USERS)],
    WrapValidator(_names),
]
Users = Annotated[
    NameOrNames,
    Field(description="The user, or several whose memories are searched together."),
]
UtcOffset = Annotated[
    float,
    Field(ge=-24, le=24, description="The time zone of times that name none, in hours."),
]
Character = Annotated[
    Name,
    Field(description="The character; empty or _instruct: chats without one; _shared: for all."),
]
Limit = Annotated[int, Field(ge=1, le=MOST_RESULTS)]


def _plain_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    try:
        return dict(parse_metadata(metadata, "the message"))
    except ImportFailed as exc:
        raise ValueError(str(exc)) from exc


Metadata = Annotated[dict[str, Any], AfterValidator(_plain_metadata)]
Offset = Annotated[Count, Field(description="Number of results to skip.")]


def _dashed(given: object) -> object:
    """Returns 20250220 as 2025-02-20, which would be read as seconds since 1970 otherwise.

    A time zone that was not escaped in an address comes with a space in place of its plus.
    """
    if isinstance(given, str) and (unescaped := _UNESCAPED_ZONE.fullmatch(given)):
        return "+".join(unescaped.groups())
    is_day = isinstance(given, str) and len(given) == _DIGITS_OF_DAY and given.isdigit()
    return f"{given[:4]}-{given[4:6]}-{given[6:]}" if is_day and isinstance(given, str) else given


def _end_of_day(given: object) -> object:
    """Returns the end of a day that is given without a time; anything else as it is."""
    found = _dashed(given)
    is_day = isinstance(found, str) and len(found) == _LETTERS_OF_DAY
    return f"{found}T23:59:59.999999" if is_day else found


Time = Annotated[datetime, BeforeValidator(_dashed)]
Until = Annotated[
    datetime, BeforeValidator(_end_of_day), Field(description="A day belongs to the window.")
]


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class NoteKind(StrEnum):
    """The kinds of memories that a call may add as a text."""

    KNOWLEDGE = "knowledge"
    DIARY = "diary"
    OBSERVATION = "observation"
    INSIGHT = "insight"
    SUMMARY = "summary"


class MessageIn(Body):
    role: Name
    content: str
    created_at: Time | None = Field(default=None, description="Default: now.")
    metadata: Metadata = Field(default_factory=dict)


class AddMemory(Body):
    """Either `text` or `messages` is to be given."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "ana",
                "text": "Ana is allergic to nuts.",
                "kind": "knowledge",
            }
        }
    )
    user_id: UserId = ""
    character: Character = ""
    text: str = ""
    kind: NoteKind = NoteKind.KNOWLEDGE
    pinned: bool = False
    messages: list[MessageIn] = Field(default_factory=list, max_length=MOST_RESULTS)
    conversation_id: Name = ""
    channel: Name = ""


class UpdateMemory(Body):
    """Fields that are left out stay as they are."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "ana", "text": "Ana is allergic to peanuts."}}
    )
    user_id: UserId = ""
    character: Character = ""
    text: WrittenText | None = None
    user: str | None = None
    assistant: str | None = None
    pinned: bool | None = None


class SearchMemories(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {"user_id": "ana", "query": "What is Ana allergic to?", "explain": True}
        }
    )
    user_id: Users = ""
    character: Character = ""
    query: str
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    kinds: list[MemoryKind] = Field(default_factory=list, max_length=10)
    conversation_id: Name = ""
    since: Time | None = None
    until: Until | None = None
    utc_offset_hours: UtcOffset = 0
    explain: bool = Field(default=False, description="Tell the parts of scores, and the dropped.")


class AskMemories(Body):
    """A question to the memories of one or several users.

    `since` and `until` limit the answer to what was said between them.
    """

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "ana", "question": "What is Ana allergic to?"}}
    )
    user_id: Users = ""
    character: Character = ""
    question: WrittenText
    top_k: Annotated[int, Field(ge=1, le=100)] = 5
    since: Time | None = None
    until: Until | None = None
    utc_offset_hours: UtcOffset = 0


class MemoryOut(BaseModel):
    id: str
    kind: MemoryKind
    text: str
    user: str | None = None
    assistant: str | None = None
    created_at: str | None = None
    conversation_id: str = ""
    turn_id: int = 0
    channel: str = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    pinned: bool = False
    status: MemoryStatus = MemoryStatus.LIVE


class AnswerOut(BaseModel):
    """`answer` is empty if no model gave one; `fault` then says why. `used` are the memories that
    the model named, `sources` all that it was given.
    """

    answer: str
    stage: str
    fault: str
    used: list[MemoryOut]
    sources: list[MemoryOut]


class MemoryPage(BaseModel):
    """`next_offset` is null on the last page."""

    results: list[MemoryOut]
    next_offset: int | None = None


class Added(BaseModel):
    results: list[MemoryOut]


class Explanation(BaseModel):
    parts: dict[str, float]
    cosine: float | None = None


class Hit(BaseModel):
    memory: MemoryOut
    user_id: str = ""
    score: float
    explanation: Explanation | None = None


class DroppedHit(BaseModel):
    id: str
    score: float
    reason: str
    detail: str


class SearchResults(BaseModel):
    """`degraded` says in plain words what was missing, such as the embedder."""

    results: list[Hit]
    dropped: list[DroppedHit] | None = None
    degraded: list[str]
    elapsed_ms: float


class HistoryEntry(BaseModel):
    """`text` is what the memory said from then on, if the event changed it."""

    event: str
    created_at: str | None = None
    text: str | None = None


class MemoryHistory(BaseModel):
    results: list[HistoryEntry]


class Forgotten(BaseModel):
    forgotten: list[str]


class NamespaceOut(BaseModel):
    user_id: str
    character: str
    memories: int
    conversations: int


class Namespaces(BaseModel):
    results: list[NamespaceOut]


class Imported(BaseModel):
    chats: int
    exchanges: int
    added: int
    changed: int
    notes: int
    failures: list[str]


class Health(BaseModel):
    ok: bool


class EmbedHealth(BaseModel):
    ok: bool
    dim: int = 0
    detail: str = ""


class LLMHealth(BaseModel):
    ok: bool
    sample: str = ""
    detail: str = ""


def memory_out(memory: Memory, *, status: MemoryStatus = MemoryStatus.LIVE) -> MemoryOut:
    exchange = memory.exchange
    return MemoryOut(
        id=memory.id,
        kind=memory.kind,
        text=memory.text,
        user=exchange.user if exchange else None,
        assistant=exchange.assistant if exchange else None,
        created_at=iso_time(memory.ts),
        conversation_id=conversation_name(memory),
        turn_id=memory.turn_id,
        channel=exchange.channel if exchange else "",
        metadata=dict(exchange.metadata) if exchange else {},
        pinned=memory.pinned,
        status=status,
    )


def record_out(record: MemoryRecord) -> MemoryOut:
    return memory_out(record.memory, status=record.status)


def seconds(moment: datetime | None, utc_offset_hours: float = 0.0) -> float | None:
    """Returns a time in seconds since the epoch; one without a time zone has this offset."""
    if moment is None:
        return None
    if moment.tzinfo:
        return moment.timestamp()
    return moment.replace(tzinfo=UTC).timestamp() - utc_offset_hours * 3600.0


def window_of(
    since: datetime | None, until: datetime | None, utc_offset_hours: float = 0.0
) -> tuple[float | None, float | None]:
    """Returns both ends in seconds since the epoch. Raises RequestRefused if they are exchanged."""
    first, last = seconds(since, utc_offset_hours), seconds(until, utc_offset_hours)
    refuse_exchanged(first, last)
    return first, last


def refuse_exchanged(since: T | None, until: T | None) -> None:
    """Raises RequestRefused if the beginning is later than the end."""
    if since is not None and until is not None and since > until:
        raise RequestRefused("since is later than until: exchange them", param="since")

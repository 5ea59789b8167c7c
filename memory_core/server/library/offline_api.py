"""OfflineAPI: OpenPersistentMemory's Python API, for the chats of many users."""

import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, TypedDict, Unpack

from ...admin.importers.metadata import parse_metadata
from ...admin.importers.pairing import role_of, to_single_exchanges
from ...consolidation.diary_drafts import DiaryDrafter
from ...consolidation.service import Consolidation
from ...domain.errors import ConfigError, ImportFailed, LooksPrivate
from ...domain.namespaces import Namespace
from ...domain.records import MemoryKind, Role, Turn
from ...memory.browse import get_sessions, history
from ...memory.diary import Diary
from ...memory.questions import Question
from ...providers.llm.base import LanguageModel
from ...storage.contract import SearchFilter
from ...storage.listing import SessionQuery
from ...text.commands.parser import is_command_message, is_unstored_request
from ...text.time_windows import Moment, time_window
from ..chat.messages import Message
from ..chat.retrieved import StoreResult
from ..chat.turns import PreparedTurn
from ..memory_access import existing, remember_fact, search_all
from .fields import memory_fields, page_fields, session_fields, to_day
from .opening import OwnsRuntime, endpoint_settings, open_runtime
from .turn_engine import CompletionRequest, TurnEngine, owner_of

_CHANNEL = "api"
Users = str | Sequence[str]


class MessageSettings(TypedDict, total=False):
    """OpenPersistentMemory's settings for one message."""

    recent_turns: int
    candidate_n: int
    retrieve_k: int
    use_gate: bool
    gate_keep_max: int
    use_rerank: bool
    incognito: bool
    user_name: str
    temperature: float
    max_tokens: int


class TimeSpan(TypedDict, total=False):
    """A span of time: days or times, in the time zone `utc_offset_hours` or this machine's."""

    since: Moment
    until: Moment
    utc_offset_hours: float | None


class OfflineAPI(OwnsRuntime):
    """Chats of many users with one character, or with none. Safe for many threads.

    `settings` go by their names in docs/settings.md. `llm` is a model object of your own. Close it
    after use, or use it as a context manager.
    """

    def __init__(  # noqa: PLR0913  (each is one line in the caller's program)
        self,
        folder: str | Path,
        *,
        character: str = "",
        base_url: str = "",
        model: str = "",
        api_key: str = "",
        settings: Mapping[str, Any] | None = None,
        llm: LanguageModel | None = None,
    ) -> None:
        """Opens the memory. Raises ConfigError for a bad setting, StorageFailed."""
        endpoint = endpoint_settings(base_url, model, api_key)
        self.runtime = open_runtime(folder, settings or {}, endpoint, llm=llm)
        self._character = character
        self._engine = TurnEngine(self.runtime)
        self._consolidation = Consolidation(self.runtime)

    def add_history(
        self,
        user_id: str,
        conv_id: str,
        messages: Iterable[Mapping[str, Any]],
        *,
        channel: str = _CHANNEL,
    ) -> list[str]:
        """Stores past messages; returns the ids of the memories, which are then on disk.

        Each message of the user is paired with the answer directly after it; messages without a
        partner are skipped, as are commands to the memory. A message has `role` and `content`, and
        may have `created_at` (seconds since the epoch, or ISO 8601), `name` and `metadata`, a
        dictionary. Exchanges that the guard skips have no id. Raises ConfigError.
        """
        owner, memory = self._owner(user_id), self.runtime.memory
        turns = [_turn(number, message) for number, message in enumerate(messages)]
        if not self.runtime.settings.ltm_writes.enabled:
            return []
        owner, conversation = memory.aliases.resolve_chat(owner, owner.character, conv_id)
        ids: list[str] = []
        for exchange in to_single_exchanges(turns, channel):
            is_whole = bool(exchange.user and exchange.assistant)
            if is_whole and not self._is_command(exchange.user):
                with suppress(LooksPrivate):  # the guard has reported it, and the rest is stored
                    ids.append(memory.remember(owner, conversation, exchange))
        self.runtime.schedule(owner)
        return ids

    def _is_command(self, message: str) -> bool:
        """Returns whether the message is a command, or asks in plain words not to be stored."""
        reads_words = self.runtime.settings.commands.enabled
        return is_command_message(message) or (reads_words and is_unstored_request(message))

    def chat(
        self,
        user_id: str,
        conv_id: str,
        messages: str | Sequence[Message],
        **settings: Unpack[MessageSettings],
    ) -> dict[str, Any]:
        """Answers as OpenAI's chat completions do, with the memories in the field `retrieved`.

        A text, or messages that end with the user's. Without earlier messages among them, the
        conversation's last exchanges are shown. Raises LLMUnavailable, ConfigError without a model.
        """
        model = self._engine.model()
        wanted = self._request(user_id, conv_id, messages, settings)
        turn = self._engine.prepare(wanted)
        text, stored = self._engine.complete(wanted, turn)
        return _completion(model.name, turn, text, stored)

    def search(
        self,
        query: str,
        user_id: Users,
        *,
        limit: int = 5,
        kinds: Iterable[str] = (),
        **window: Unpack[TimeSpan],
    ) -> list[dict[str, Any]]:
        """Returns the best memories of one or several users, the best first. Raises ConfigError."""
        since, until = _span(window)
        owners = self._owners(user_id)
        only = SearchFilter(since=since, until=until, kinds=frozenset(map(_kind, kinds)))
        found = search_all(self.runtime, owners, query, limit=limit, search_filter=only)
        return [
            {
                **memory_fields(recalled.memory),
                "user_id": owner.user,
                "score": round(recalled.candidate.score, 4),
            }
            for owner, recalled in found
        ]

    def answer(
        self, query: str, user_id: Users, *, limit: int = 5, **window: Unpack[TimeSpan]
    ) -> dict[str, Any]:
        """Answers a question from the memories of these users, and names the memories used.

        `answer` is empty if no model answered; `fault` then says why. Raises ConfigError.
        """
        since, until = _span(window)
        owners = tuple(self._owners(user_id))
        question = Question(text=query, namespaces=owners, top_k=limit, since=since, until=until)
        found = self.runtime.memory.answer(question)
        return {
            "answer": found.text,
            "fault": found.fault,
            "used": [memory_fields(source.memory) for source in found.used],
            "sources": [memory_fields(source.memory) for source in found.sources],
        }

    def remember(self, user_id: str, text: str) -> str:
        """Stores a note that is in every prompt of this user; returns its id.

        Raises ConfigError for an empty one, and while Remember (ltm_writes.enabled) is off.
        """
        if not text.strip():
            raise ConfigError("the note is empty", key="text")
        return remember_fact(self.runtime, self._owner(user_id), text)

    def forget(self, user_id: str, memory_ids: str | Sequence[str]) -> None:
        """Forgets one or several memories of a user. Raises UnknownMemory."""
        ids = [memory_ids] if isinstance(memory_ids, str) else list(memory_ids)
        self.runtime.forget(self._owner(user_id), ids)

    def get_sessions(
        self,
        user_id: Users,
        *,
        channel: str = "",
        limit: int = 0,
        **window: Unpack[TimeSpan],
    ) -> list[dict[str, Any]]:
        """Returns the sessions of one or several users, the latest first; 0 for all."""
        query = _session_query(channel, window)
        found = get_sessions(self.runtime.memory, self._owners(user_id), query)
        return [session_fields(session) for session in found[: limit or None]]

    def get_session_ids(self, user_id: Users) -> list[str]:
        """Returns the names of the sessions, the latest first."""
        found = get_sessions(self.runtime.memory, self._owners(user_id), SessionQuery())
        return list(dict.fromkeys(session.conversation for session in found))

    def get_history(
        self, user_id: str, conv_id: str = "", *, channel: str = "", **window: Unpack[TimeSpan]
    ) -> list[dict[str, Any]]:
        """Returns the exchanges of a conversation, or of all, the oldest first."""
        query = _session_query(channel, window)
        owner = self._owner(user_id)
        found = history(self.runtime.memory, owner, query, conversation=conv_id)
        return [memory_fields(memory) for memory in found]

    def delete_history(
        self, user_id: str, conv_id: str = "", *, channel: str = "", **window: Unpack[TimeSpan]
    ) -> int:
        """Forgets the exchanges that get_history returns; returns how many memories are gone."""
        query = _session_query(channel, window)
        owner, memory = self._owner(user_id), self.runtime.memory
        ids = [found.id for found in history(memory, owner, query, conversation=conv_id)]
        if ids:
            self.runtime.forget_exactly(owner, ids)
        return len(ids)

    def write_diary(self, user_id: str, day: date | str, text: str) -> str:
        """Writes a user's page of a day in place of an older one; returns its id."""
        if not text.strip():
            raise ConfigError("the page is empty", key="text")
        owner = self._owner(user_id)
        memory_id = Diary(self.runtime.memory).write(owner, to_day(day), text)
        self.runtime.schedule(owner)
        return memory_id

    def draft_diary(self, user_id: str, day: date | str) -> dict[str, Any]:
        """Returns a draft from the exchanges of a day, which is not stored.

        Without a model it quotes the user's messages; `fault` then says why.
        """
        runtime = self.runtime
        drafter = DiaryDrafter.of(runtime.memory, runtime.models, runtime.settings)
        draft = drafter.draft(self._owner(user_id), to_day(day))
        return {"text": draft.text, "made_by": draft.made_by, "fault": draft.fault}

    def get_diary(
        self, user_id: str, *, since: date | str | None = None, until: date | str | None = None
    ) -> list[dict[str, Any]]:
        """Returns the pages of these days, both included, the latest first."""
        first, last = (None if day is None else to_day(day) for day in (since, until))
        if first and last and first > last:
            raise ConfigError("since is later than until: exchange them", key="since")
        diary = Diary(self.runtime.memory)
        return [
            page_fields(page)
            for owner in self._owners(user_id)  # none for a user without memories
            for page in diary.pages(owner, since=first, until=last)
        ]

    def delete_diary(self, user_id: str, day: date | str) -> bool:
        """Forgets the page of a day; returns whether there was one."""
        return Diary(self.runtime.memory).remove(self._owner(user_id), to_day(day))

    def _owner(self, user_id: str) -> Namespace:
        return owner_of(user_id, self._character)

    def _owners(self, user_id: Users) -> list[Namespace]:
        users = [user_id] if isinstance(user_id, str) else list(user_id)
        return existing(self.runtime, [self._owner(user) for user in users])

    def _request(
        self,
        user_id: str,
        conv_id: str,
        messages: str | Sequence[Message],
        settings: MessageSettings,
    ) -> CompletionRequest:
        if unknown := sorted(settings.keys() - MessageSettings.__annotations__.keys()):
            known = ", ".join(MessageSettings.__annotations__)
            raise ConfigError(f"chat() knows no {unknown[0]}; it takes {known}", key=unknown[0])
        given: list[Message] = (
            [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)
        )
        fields = dict(settings)
        temperature, max_tokens = fields.pop("temperature", None), fields.pop("max_tokens", None)
        if conv_id and not any(message.get("role") == "assistant" for message in given):
            fields.setdefault("recent_turns", self.runtime.settings.backend.recent_turns)
        return CompletionRequest(
            owner=self._owner(user_id),
            conversation=conv_id,
            messages=given,
            metadata=fields,
            temperature=temperature,  # type: ignore[arg-type]
            max_tokens=max_tokens,  # type: ignore[arg-type]
        )


def _completion(model: str, turn: PreparedTurn, text: str, stored: StoreResult) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "retrieved": turn.retrieved.payload(stored),
    }


def _turn(number: int, message: Mapping[str, Any]) -> Turn:
    given = message if isinstance(message, Mapping) else {}
    role, content = given.get("role"), given.get("content")
    if not isinstance(role, str) or not isinstance(content, str):
        where = f"messages[{number}]"
        raise ConfigError(f"{where} must have a role and a content, both texts", key=where)
    return Turn(
        role=role_of(role) or Role.SYSTEM,
        text=content,
        name=str(message.get("name") or ""),
        ts=_time(number, message.get("created_at")),
        metadata=_metadata(number, message.get("metadata")),
    )


def _metadata(number: int, given: object) -> Mapping[str, Any]:
    where = f"messages[{number}].metadata"
    if given is not None and not isinstance(given, Mapping):
        raise ConfigError(f"{where} must be a dictionary", key=where)
    try:
        return parse_metadata(dict(given or {}), where)
    except ImportFailed as exc:
        raise ConfigError(str(exc), key=where) from exc


def _time(number: int, given: Moment) -> float:
    try:
        found, _ = time_window(given, None)
    except ValueError as exc:
        where = f"messages[{number}].created_at"
        raise ConfigError(f"{where}: {exc}", key=where) from exc
    return time.time() if found is None else found


def _session_query(channel: str, window: TimeSpan) -> SessionQuery:
    since, until = _span(window)
    return SessionQuery(channel=channel, since=since, until=until)


def _span(window: TimeSpan) -> tuple[float | None, float | None]:
    if unknown := sorted(window.keys() - TimeSpan.__annotations__.keys()):
        message = f"there is no argument {unknown[0]}: use since, until or utc_offset_hours"
        raise ConfigError(message, key=unknown[0])
    try:
        return time_window(window.get("since"), window.get("until"), window.get("utc_offset_hours"))
    except ValueError as exc:
        raise ConfigError(str(exc), key="since") from exc


def _kind(name: str) -> MemoryKind:
    try:
        return MemoryKind(name)
    except ValueError as exc:
        known = ", ".join(MemoryKind)
        raise ConfigError(f"{name!r} is no kind of memory; there are {known}", key="kinds") from exc

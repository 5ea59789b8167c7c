"""A chat with memory in a few lines of Python, with MemoryScope's `chat_with_memory`."""

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...config.memoryscope_arguments import read_arguments
from ...config.model_settings import HistoryStrategy
from ...config.schema import Settings
from ...consolidation.service import Consolidation
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...memory.derived_memories import exchanges_in, memorised_ids
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...providers.llm.base import LanguageModel
from ...text.prompt_fence import escape_control_tokens, fence
from ..chat.messages import Message
from ..chat.retrieved import Retrieved, StoreResult
from ..chat.turns import PreparedTurn
from .opening import OwnsRuntime, endpoint_settings, open_runtime
from .operations import Operations
from .turn_engine import CompletionRequest, TurnEngine, owner_of

FROM_SETTINGS = "settings"
_USER = "default"
_KEY = "history_message_strategy"

Strategy = str | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOptions:
    """The circumstances of one message, under MemoryScope's names.

    `role_name`: the user who speaks, by default that of the chat. `memory_prompt`: a text after
    `system_prompt`. `temporary_memories`: memories for only this message, which are not stored.
    `history_message_strategy`: "auto", "recent", a number of exchanges, None for none, or
    "settings" for backend.history_message_strategy. With `remember_response` False nothing is
    stored.
    """

    role_name: str | None = None
    system_prompt: str | None = None
    memory_prompt: str | None = None
    temporary_memories: str | Sequence[str] | None = None
    history_message_strategy: Strategy = FROM_SETTINGS
    remember_response: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatResponse:
    """An answer. `meta_data["memories"]` is the text of the memories in the prompt, a line each:
    first those of every prompt, such as notes and the last sessions, then the recalled ones.

    `retrieved` has them as OpenPersistentMemory does, in the lists `replay` and `summary_only`.
    `delta` is the new text of a streamed answer.
    """

    message: ChatMessage
    meta_data: Mapping[str, Any]
    retrieved: Mapping[str, Any]
    delta: str = ""

    @property
    def text(self) -> str:
        return self.message.content


class ChatThread:
    """Chats over a runtime, which the caller closes. For one thread at a time.

    Without `conversation` a new one begins.
    """

    def __init__(self, runtime: Runtime, owner: Namespace, conversation: str = "") -> None:
        self.runtime = runtime
        self.owner = owner
        self.conversation = conversation or _new_name()
        self.last_response: ChatResponse | None = None
        self._engine = TurnEngine(runtime)

    def start_over(self) -> None:
        """Starts a new conversation, in which the earlier ones can be recalled."""
        self.conversation = _new_name()

    def chat(self, query: str) -> str:
        """Returns the model's answer. Raises LLMUnavailable, ConfigError without a model."""
        return self.answer(query, TurnOptions()).text

    def chat_with_memory(  # noqa: PLR0913  (MemoryScope's names)
        self,
        query: str,
        role_name: str | None = None,
        system_prompt: str | None = None,
        memory_prompt: str | None = None,
        temporary_memories: str | Sequence[str] | None = None,
        history_message_strategy: Strategy = FROM_SETTINGS,
        remember_response: bool = True,
    ) -> ChatResponse:
        """Returns the answer with the memories behind it; see TurnOptions.

        Raises LLMUnavailable, ConfigError without a model.
        """
        options = TurnOptions(
            role_name=role_name,
            system_prompt=system_prompt,
            memory_prompt=memory_prompt,
            temporary_memories=temporary_memories,
            history_message_strategy=history_message_strategy,
            remember_response=remember_response,
        )
        return self.answer(query, options)

    def answer(self, query: str, options: TurnOptions) -> ChatResponse:
        """Returns the answer with the memories behind it. Raises LLMUnavailable, ConfigError."""
        self._engine.model()
        wanted = self._request(query, options)
        turn = self._engine.prepare(wanted)
        text, stored = self._engine.complete(wanted, turn)
        return self._respond(turn, text, stored)

    def stream(self, query: str, options: TurnOptions | None = None) -> Iterator[str]:
        """Yields the answer piece by piece; afterwards `last_response` has the whole answer."""
        self._engine.model()
        wanted = self._request(query, options or TurnOptions())
        turn = self._engine.prepare(wanted)
        text, stored = yield from self._engine.stream(wanted, turn)
        self._respond(turn, text, stored)

    def run_service_operation(
        self, name: str, role_name: str | None = None, **arguments: str | int | float
    ) -> str:
        """Runs one of MemoryScope's operations; returns its result as text. Raises ConfigError."""
        return self.operations(role_name).run(
            name, {key: str(value) for key, value in arguments.items()}
        )

    def operations(self, role_name: str | None = None) -> Operations:
        return Operations(self.runtime, self._speaker(role_name), self.conversation)

    def _speaker(self, role_name: str | None) -> Namespace:
        return owner_of(role_name, self.owner.character) if role_name else self.owner

    def _request(self, query: str, options: TurnOptions) -> CompletionRequest:
        owner = self._speaker(options.role_name)
        shown = _exchanges_to_show(
            self.runtime.memory,
            self.runtime.settings,
            owner,
            self.conversation,
            options.history_message_strategy,
        )
        return CompletionRequest(
            owner=owner,
            conversation=self.conversation,
            messages=[*_system_messages(options), {"role": "user", "content": query}],
            metadata={"recent_turns": shown},
            is_stored=options.remember_response,
        )

    def _respond(self, turn: PreparedTurn, text: str, stored: StoreResult) -> ChatResponse:
        response = ChatResponse(
            message=ChatMessage(role="assistant", content=text),
            meta_data={"memories": _memory_text(turn.retrieved)},
            retrieved=turn.retrieved.payload(stored),
        )
        self.last_response = response
        return response


class MemoryChat(OwnsRuntime, ChatThread):
    """A chat of one user with one character, whose memories are in a folder.

    `settings` go by their names in docs/settings.md; `arguments` are MemoryScope's. `llm` is a
    model object of your own. Close it after use, or use it as a context manager.
    """

    def __init__(  # noqa: PLR0913  (each is one line in the caller's program)
        self,
        folder: str | Path,
        *,
        user: str = "",
        character: str = "",
        conversation: str = "",
        base_url: str = "",
        model: str = "",
        api_key: str = "",
        settings: Mapping[str, Any] | None = None,
        arguments: Mapping[str, Any] | None = None,
        llm: LanguageModel | None = None,
    ) -> None:
        """Opens the memory. Raises ConfigError for a bad setting or argument, StorageFailed."""
        read = read_arguments(arguments)
        read.refuse_unknown()
        read.log_notes()
        endpoint = endpoint_settings(base_url, model, api_key)
        runtime = open_runtime(folder, read.settings, settings or {}, endpoint, llm=llm)
        owner = owner_of(user or read.human_name or _USER, character or read.assistant_name)
        super().__init__(runtime, owner, conversation)
        self._consolidation = Consolidation(runtime)


def _system_messages(options: TurnOptions) -> list[Message]:
    given = options.temporary_memories
    memories = given if isinstance(given, str) else "\n".join(given or ())
    fenced = fence(escape_control_tokens(memories)) if memories.strip() else ""
    parts = [part for part in (options.system_prompt, options.memory_prompt, fenced) if part]
    return [{"role": "system", "content": "\n\n".join(parts)}] if parts else []


def _exchanges_to_show(
    memory: LongTermMemory,
    settings: Settings,
    owner: Namespace,
    conversation: str,
    strategy: Strategy,
) -> int:
    """Returns the number of exchanges to show.

    `strategy` may be that number, as in MemoryScope; None shows none. Raises ConfigError for other
    values.
    """
    chosen = settings.backend.history_message_strategy if strategy == FROM_SETTINGS else strategy
    if chosen is None:
        return 0
    if isinstance(chosen, int) and not isinstance(chosen, bool) and chosen >= 0:
        return chosen
    if chosen == HistoryStrategy.RECENT:
        configured = settings.ltm_context.recent_turns
        return settings.backend.recent_turns if configured is None else configured
    if chosen == HistoryStrategy.AUTO:
        return _not_yet_memorised(memory, settings, owner, conversation)
    raise ConfigError(
        f"{_KEY} = {chosen!r}: allowed is auto, recent, None or a number of exchanges",
        key=_KEY,
    )


def _not_yet_memorised(
    memory: LongTermMemory, settings: Settings, owner: Namespace, conversation: str
) -> int:
    """Counts the exchanges after the last one that a derived memory was made of."""
    limit = exchanges_in(settings.backend.history_max_messages)
    said = memory.conversation(owner, conversation, limit) if limit else []
    sources = memorised_ids(memory, owner, [exchange.id for exchange in said])
    latest_first = enumerate(reversed(said))
    fresh = next((index for index, one in latest_first if one.id in sources), len(said))
    return min(fresh, exchanges_in(settings.backend.context_max_messages))


def _memory_text(retrieved: Retrieved) -> str:
    replayed = (f"{row['raw_user']}\n{row['raw_assistant']}".strip() for row in retrieved.replay)
    lines = (str(row["summary"]) for row in retrieved.summary_only)
    return "\n".join(dict.fromkeys([*retrieved.standing, *replayed, *lines]))


def _new_name() -> str:
    return f"{time.strftime('%Y-%m-%d %H-%M-%S')} {secrets.token_hex(2)}"

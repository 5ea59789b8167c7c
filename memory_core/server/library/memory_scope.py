"""MemoryScope's Python API, so that its programs need another import and no other change."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...config.memoryscope_arguments import ASSISTANT, HUMAN, as_arguments, read_arguments
from ...config.memoryscope_files import read_arguments_file
from ...consolidation.service import Consolidation
from ...domain.records import EMPTY_MAPPING
from ...providers.llm.base import LanguageModel
from .chat_thread import ChatMessage, ChatResponse, ChatThread, Strategy, TurnOptions
from .opening import OwnsRuntime, endpoint_settings, open_runtime
from .turn_engine import owner_of

_WAIT_S = 600.0


class Arguments(dict[str, Any]):
    """MemoryScope's arguments by their names, such as Arguments(human_name="Ana")."""


class MemoryScopeService:
    """Runs operations, also as methods of their names: `list_memory()`."""

    def __init__(self, thread: ChatThread, consolidation: Consolidation) -> None:
        self._thread = thread
        self._consolidation = consolidation

    @property
    def human_name(self) -> str:
        return self._thread.owner.user

    @property
    def assistant_name(self) -> str:
        return self._thread.owner.character

    def init_service(self) -> None:
        """Does nothing: operations need no preparation here."""

    def run_operation(
        self, name: str, role_name: str | None = "", **arguments: str | int | float
    ) -> str:
        """Runs an operation; returns its result as text. Raises ConfigError, LLMUnavailable."""
        return self._thread.run_service_operation(name, role_name, **arguments)

    def start_backend_service(self, name: str | None = None) -> None:
        """Lets the language model begin its background work, whatever its name."""
        self._consolidation.run_now()

    def stop_backend_service(self, wait_service: bool = False) -> None:
        self._consolidation.pause()
        if wait_service:
            self._consolidation.wait(_WAIT_S)

    def __getattr__(self, name: str) -> Callable[..., str]:
        if name not in self._thread.operations().names:
            raise AttributeError(f"{name} is no operation")
        return partial(self.run_operation, name)


class MemoryScopeChat:
    """Chats as MemoryScope does: unless told otherwise, with history_message_strategy "auto"."""

    def __init__(
        self, thread: ChatThread, memory_service: MemoryScopeService, *, stream: bool
    ) -> None:
        self._thread = thread
        self.memory_service = memory_service
        self.stream = stream

    @property
    def human_name(self) -> str:
        return self.memory_service.human_name

    @property
    def assistant_name(self) -> str:
        return self.memory_service.assistant_name

    def chat_with_memory(  # noqa: PLR0913  (MemoryScope's names)
        self,
        query: str,
        role_name: str | None = None,
        system_prompt: str | None = None,
        memory_prompt: str | None = None,
        temporary_memories: str | list[str] | None = None,
        history_message_strategy: Strategy = "auto",
        remember_response: bool = True,
    ) -> ChatResponse | Iterator[ChatResponse]:
        """Returns the answer; with `stream`, yields it piece by piece, in the field `delta`.

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
        if self.stream:
            return self._stream(query, options)
        return self._thread.answer(query, options)

    def run_service_operation(
        self, name: str, role_name: str | None = None, **arguments: str | int | float
    ) -> str:
        return self.memory_service.run_operation(name, role_name, **arguments)

    def start_backend_service(self) -> None:
        self.memory_service.start_backend_service()

    def _stream(self, query: str, options: TurnOptions) -> Iterator[ChatResponse]:
        """Yields a response for each piece, with the text so far; the last one has all."""
        text = ""
        for piece in self._thread.stream(query, options):
            text += piece
            message = ChatMessage(role="assistant", content=text)
            yield ChatResponse(message=message, meta_data={}, retrieved={}, delta=piece)
        if self._thread.last_response is not None:
            yield replace(self._thread.last_response, delta="")


class MemoryScope(OwnsRuntime):
    """A memory with one chat. Close it after use, or use it as a context manager.

    The arguments come from a file, from keywords and from `arguments`; later ones win. `folder` is
    that of the memories, by default the one of the command `chat`. `settings` go by their names in
    docs/settings.md. `llm` is a model object of your own.
    """

    def __init__(  # noqa: PLR0913  (each is one line in the caller's program)
        self,
        config_path: str | Path | None = None,
        arguments: Mapping[str, Any] | None = None,
        *,
        folder: str | Path | None = None,
        base_url: str = "",
        api_key: str = "",
        settings: Mapping[str, Any] = EMPTY_MAPPING,
        llm: LanguageModel | None = None,
        **given: Any,  # noqa: ANN401  (MemoryScope's arguments have many types)
    ) -> None:
        """Opens the memory. Raises ConfigError for a bad setting or argument, StorageFailed."""
        from_file = read_arguments_file(Path(config_path)) if config_path else {}
        read = read_arguments({**from_file, **given, **as_arguments(arguments)})
        read.refuse_unknown()
        read.log_notes()
        endpoint = endpoint_settings(base_url, "", api_key)
        self.runtime = open_runtime(folder, read.settings, settings, endpoint, llm=llm)
        owner = owner_of(read.human_name or HUMAN, read.assistant_name or ASSISTANT)
        thread = ChatThread(self.runtime, owner)
        self.default_memory_service = MemoryScopeService(thread, Consolidation(self.runtime))
        self.default_memory_chat = MemoryScopeChat(
            thread, self.default_memory_service, stream=bool(read.streams)
        )

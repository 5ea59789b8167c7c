"""MemoryChat: a chat with memory in a few lines of Python."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...config.memoryscope_arguments import read_arguments
from ...consolidation.service import Consolidation
from ...providers.llm.base import LanguageModel
from .chat_thread import ChatThread
from .opening import OwnsRuntime, endpoint_settings, open_runtime
from .turn_engine import owner_of

_USER = "default"


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

"""ChatMemory's constructor and router, so that its servers need another import and a folder."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config.fields import name_hint
from ...consolidation.service import Consolidation
from ...domain.errors import ConfigError
from ...domain.records import EMPTY_MAPPING
from ...providers.llm.base import LanguageModel
from .opening import OwnsRuntime, open_runtime

if TYPE_CHECKING:
    from fastapi import APIRouter

_NO_DATABASE = "the memories are in files; for PostgreSQL see docs/scale.md"
_OWN_PROMPTS = "put your own prompts into files, see docs/consolidation.md"
_NO_ADDRESS = (
    "openai_api_key and the models have no effect without openai_base_url; for OpenAI itself give "
    "https://api.openai.com/v1, with settings={'allow_remote': True}"
)
_WITHOUT_EFFECT = {
    **dict.fromkeys(("db_name", "db_user", "db_password", "db_host", "db_port"), _NO_DATABASE),
    **dict.fromkeys(
        (
            "search_system_prompt",
            "search_user_prompt",
            "search_user_prompt_content",
            "summarize_system_prompt",
        ),
        _OWN_PROMPTS,
    ),
}
_log = logging.getLogger("long_term_memory")


class ChatMemory(OwnsRuntime):
    """A memory whose router has ChatMemory's endpoints, and all others of the server.

    The models of `openai_base_url` answer, summarise and embed; without `embedding_model`, the
    embedder of the settings does. `folder` is that of the memories, by default the one of the
    command line. `settings` go by their names in docs/settings.md. `llm` is a model object of your
    own. Close it when your program ends.
    """

    def __init__(  # noqa: PLR0913  (ChatMemory's names)
        self,
        *,
        openai_api_key: str = "",
        openai_base_url: str = "",
        llm_model: str = "",
        embedding_model: str = "",
        embedding_dimension: int | None = None,
        folder: str | Path | None = None,
        settings: Mapping[str, Any] = EMPTY_MAPPING,
        llm: LanguageModel | None = None,
        **given: Any,  # noqa: ANN401  (names without effect here have many types)
    ) -> None:
        """Opens the memory. Raises ConfigError for a bad setting or name, StorageFailed."""
        _note(given)
        if (openai_api_key or llm_model or embedding_model) and not openai_base_url:
            _log.warning("%s", _NO_ADDRESS)
        chat = {"base_url": openai_base_url, "model": llm_model, "api_key": openai_api_key}
        embedding = {
            "base_url": openai_base_url,
            "model": embedding_model,
            "api_key": openai_api_key,
            "dimensions": embedding_dimension,
        }
        wanted: dict[str, Any] = {f"llm.{name}": value for name, value in chat.items() if value}
        if embedding_model and openai_base_url:
            wanted |= {f"embedder.{name}": value for name, value in embedding.items() if value}
        self.runtime = open_runtime(folder, wanted, settings, llm=llm)
        self._consolidation = Consolidation(self.runtime)

    def get_router(self, prefix: str | None = None) -> "APIRouter":
        """Returns the endpoints for a FastAPI application, below `prefix`."""
        from ..app import get_router

        return get_router(self.runtime, prefix or "")


def _note(given: Mapping[str, Any]) -> None:
    """Logs the names without effect. Raises ConfigError for one that ChatMemory does not know."""
    for name in given:
        if name not in _WITHOUT_EFFECT:
            hint = name_hint(name, [*_WITHOUT_EFFECT, *_NAMES], offered=_NAMES)
            raise ConfigError(f"{name} is not an argument of ChatMemory; {hint}", key=name)
        _log.warning("%s has no effect: %s", name, _WITHOUT_EFFECT[name])


_NAMES = (
    "openai_api_key", "openai_base_url", "llm_model", "embedding_model", "embedding_dimension",
    "folder", "settings", "llm",
)  # fmt: skip

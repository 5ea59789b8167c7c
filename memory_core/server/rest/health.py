"""The endpoints /health, /health/embed and /health/llm."""

from ... import bootstrap
from ...config.model_settings import LLMSettings
from ...domain.errors import LongTermMemoryError, OutsideServiceError
from ...domain.records import Role, Turn
from ...memory.runtime import Runtime
from ...providers.llm.base import LanguageModel
from ..chat.backend import backend_address
from .shapes import EmbedHealth, Health, LLMHealth

_SAMPLE_TOKENS = 8
_WAIT_S = 20.0
_QUESTION = (Turn(role=Role.USER, text="Say OK."),)
_CHATS_ONLY = (
    "this is the chats' server; the memory itself has no language model, which use_gate, summaries "
    "and answers need: set llm.base_url"
)


class HealthChecks:
    """Checks whether the parts that memory depends on work now."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def server(self) -> Health:
        """Tells that the server runs. Needs no key."""
        return Health(ok=True)

    def embedder(self) -> EmbedHealth:
        """Embeds a word. Without an embedder, recall works by words alone."""
        embedder = self._runtime.memory.embedder
        if embedder is None:
            return EmbedHealth(ok=False, detail="no embedder: recall goes on by words alone")
        try:
            vector = embedder.embed_query("hello", timeout_s=_WAIT_S)
        except OutsideServiceError as exc:
            return EmbedHealth(ok=False, detail=str(exc))
        return EmbedHealth(ok=True, dim=int(vector.shape[-1]))

    def language_model(self) -> LLMHealth:
        """Asks the chats' model server and the memory's own language model for a word each."""
        try:
            models = [one for one in (self._chat_model(), self._runtime.llm) if one is not None]
            samples = [
                model.complete(
                    _QUESTION, max_tokens=_SAMPLE_TOKENS, temperature=0.0, timeout_s=_WAIT_S
                )
                for model in models
            ]
        except LongTermMemoryError as exc:
            return LLMHealth(ok=False, detail=str(exc))
        if not samples:
            detail = "no language model: set server.backend_url or llm.base_url"
            return LLMHealth(ok=False, detail=detail)
        detail = "" if self._runtime.llm else _CHATS_ONLY
        return LLMHealth(ok=True, sample=samples[0][:200], detail=detail)

    def _chat_model(self) -> LanguageModel | None:
        """Returns the server of the chats, if it is another one than that of the memory."""
        settings = self._runtime.settings
        if not settings.server.backend_url:
            return None
        address = backend_address(settings)
        llm = LLMSettings(base_url=address.base_url, api_key=address.api_key)
        return bootstrap.language_model(llm, settings.allow_remote)

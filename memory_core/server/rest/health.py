"""The endpoints /health, /health/embed and /health/llm."""

from ... import bootstrap
from ...config.model_settings import LLMSettings
from ...domain.errors import LLMUnavailable, LongTermMemoryError, OutsideServiceError
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
_BACKEND_KEYS = {
    "; check llm.model too": "",  # each chat names its model
    "llm.base_url": "server.backend_url (--backend)",
    "llm.api_key": "server.backend_api_key",
}


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
            return EmbedHealth(ok=False, detail="no embedding model: recall goes on by words alone")
        try:
            vector = embedder.embed_query("hello", timeout_s=_WAIT_S)
        except OutsideServiceError as exc:
            return EmbedHealth(ok=False, detail=str(exc))
        return EmbedHealth(ok=True, dim=int(vector.shape[-1]))

    def language_model(self) -> LLMHealth:
        """Asks the chats' model server and the memory's own language model for a word each."""
        own = self._runtime.llm
        try:
            samples = [*self._chat_sample(), *([_sample(own)] if own else ())]
        except LongTermMemoryError as exc:
            return LLMHealth(ok=False, detail=str(exc))
        if not samples:
            detail = "no language model: set server.backend_url or llm.base_url"
            return LLMHealth(ok=False, detail=detail)
        detail = "" if own else _CHATS_ONLY
        return LLMHealth(ok=True, sample=samples[0][:200], detail=detail)

    def _chat_sample(self) -> list[str]:
        """Asks the server of the chats, if it is another one than that of the memory.

        Raises LLMUnavailable, which names the settings of this server.
        """
        settings = self._runtime.settings
        if not settings.server.backend_url:
            return []
        address = backend_address(settings)
        llm = LLMSettings(base_url=address.base_url, api_key=address.api_key)
        model = bootstrap.language_model(llm, settings.allow_remote)
        try:
            return [_sample(model)] if model else []
        except LLMUnavailable as exc:
            message = str(exc)
            for key, own in _BACKEND_KEYS.items():
                message = message.replace(key, own)
            raise LLMUnavailable(message) from exc


def _sample(model: LanguageModel) -> str:
    return model.complete(_QUESTION, max_tokens=_SAMPLE_TOKENS, temperature=0.0, timeout_s=_WAIT_S)

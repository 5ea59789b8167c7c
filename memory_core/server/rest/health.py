"""The endpoints /health, /health/embed and /health/llm."""

from ...domain.errors import OutsideServiceError
from ...domain.records import Role, Turn
from ...memory.runtime import Runtime
from .shapes import EmbedHealth, Health, LLMHealth

_SAMPLE_TOKENS = 8
_WAIT_S = 20.0


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
        """Asks the memory's own language model for a word."""
        llm = self._runtime.llm
        if llm is None:
            return LLMHealth(ok=False, detail="no language model: set llm.base_url")
        said = [Turn(role=Role.USER, text="Say OK.")]
        try:
            sample = llm.complete(
                said, max_tokens=_SAMPLE_TOKENS, temperature=0.0, timeout_s=_WAIT_S
            )
        except OutsideServiceError as exc:
            return LLMHealth(ok=False, detail=str(exc))
        return LLMHealth(ok=True, sample=sample[:200])

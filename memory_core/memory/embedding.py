"""Embeds queries, and the texts of a namespace that have no vectors yet."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..domain.errors import EmbedderUnavailable, StorageError
from ..providers.embedders.base import Embedder
from ..recall.cue_by_meaning import wording_by_meaning
from ..recall.informative import informative_regression
from ..recall.languages import language_mix
from ..recall.query import Query
from ..recall.query_adapter import adapt_query
from ..recall.vector_score import QueryVector, embed_query_text
from .language_trust import LanguageTrust
from .namespace_memory import NamespaceMemory

_PROBE = "dimension"
_UPKEEP_AFTER = 16_384  # texts; new vectors are searched slowly until upkeep indexes them
NO_EMBEDDER = "no embedding model: words only"
NOT_READY = "embeddings are not ready yet: words only"
CHANGED = "the embedding model has just changed: words only"
# Raised for vectors of another width, closed files, or a catalog that cannot be read.
OF_ANOTHER_MODEL = (ValueError, OSError, StorageError)

OpenNamespace = Callable[[], AbstractContextManager[NamespaceMemory]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProgress:
    """The number of texts embedded so far; `is_reembedding` after a change of model."""

    done: int
    total: int
    is_reembedding: bool


def embedding_progress(
    opened: NamespaceMemory, embedder: Embedder | None
) -> EmbeddingProgress | None:
    """Returns None if nothing is left to embed, or if the model is not in use yet."""
    if embedder is None or opened.active_model.model != embedder.fingerprint:
        return None
    counts = opened.query(lambda store: store.counts())
    total, missing = counts["vectors"], counts["lacking"]
    if not missing:
        return None
    is_reembedding = opened.query(lambda store: store.vectors.has_other_models())
    return EmbeddingProgress(done=total - missing, total=total, is_reembedding=is_reembedding)


class EmbeddingWorker:
    """Embeds texts in batches, in one thread. `languages` holds the trust in the embedder.

    activate_last_model() and embed_query() may be called from any thread.
    """

    def __init__(self, root: Path) -> None:
        self.languages = LanguageTrust(root)
        self._answered: Embedder | None = None
        self._dim = 0
        self._done_since_upkeep = 0

    def activate_last_model(self, opened: NamespaceMemory) -> None:
        """Makes a namespace that was just opened search the vectors of the last model in use.

        No other thread uses the namespace yet, so no recall waits for a lock. If another program
        writes here, embed_batch() tries again.
        """
        if self._answered is not None:
            with suppress(StorageError):
                opened.use_model(self._answered.fingerprint, self._dim)

    def embed_query(
        self, opened: NamespaceMemory, embedder: Embedder, query: Query, timeout_s: float
    ) -> tuple[QueryVector | None, str]:
        """Returns the query's vector, or None and the reason.

        Raises one of OF_ANOTHER_MODEL if the model changes meanwhile.
        """
        if opened.active_model.model != embedder.fingerprint:
            fault = getattr(embedder, "fault", "") or getattr(embedder, "load_fault", "")
            return None, f"words only: {fault}" if fault else NOT_READY
        try:
            alone, vector = embed_query_text(query, embedder, timeout_s=timeout_s)
        except EmbedderUnavailable as exc:
            return None, f"words only: {exc}"
        dim = opened.active_model.dim
        if vector.shape != (dim,):
            return (
                None,
                f"words only: the embedding model returned shape {vector.shape}, not ({dim},)",
            )
        baseline = opened.active_model.similarity_baseline()
        mix = language_mix(query.text, baseline.languages)
        trust, note = self.languages.trust_for_message(embedder.fingerprint, mix)
        wording = wording_by_meaning(embedder.fingerprint, alone, trust)
        found = QueryVector(
            vector=adapt_query(embedder.fingerprint, vector),
            baseline=baseline,
            trust=trust,
            note=note,
            wording=wording,
            informative=informative_regression(embedder.fingerprint),
        )
        return found, ""

    def embed_batch(self, using: OpenNamespace, embedder: Embedder, batch: int) -> int:
        """Embeds the next texts; returns how many, plus one if a new model was activated.

        The extra one delays upkeep, which would slow the first recall on a cold disk. No namespace
        is open while the model works. A new model is activated only after its first answer: until
        then the old vectors stay. Raises EmbedderUnavailable.
        """
        dim, fingerprint = self._vector_width(embedder), embedder.fingerprint
        with using() as opened:
            is_new = opened.active_model.model != fingerprint
            if is_new:
                opened.use_model(fingerprint, dim)
            pending = opened.query(lambda store: store.vectors.pending(batch))
            if not pending:
                opened.active_model.refresh_full_baseline()
        if pending:
            texts = [row.text for row in pending]
            self.languages.queue_languages_of(fingerprint, texts)
            vectors = embedder.embed(texts)
            if vectors.shape != (len(pending), dim):
                raise EmbedderUnavailable(
                    f"{embedder.name} returned vectors of shape {vectors.shape}"
                )
            with using() as opened:
                opened.active_model.add(fingerprint, [row.vector_id for row in pending], vectors)
        return len(pending) + is_new

    def count_until_upkeep(self, done: int) -> bool:
        """Counts items that were just done; returns whether the indexes need upkeep now.

        They do after many items, and when nothing was left to do. The count then starts again.
        """
        self._done_since_upkeep += done
        if done and self._done_since_upkeep < _UPKEEP_AFTER:
            return False
        self._done_since_upkeep = 0
        return True

    def _vector_width(self, embedder: Embedder) -> int:
        """Returns the width of the embedder's vectors, after embedding a text once."""
        if self._answered is not embedder:
            self._dim = embedder.embed([_PROBE]).shape[1]
            self._answered = embedder
        return self._dim

"""Between a namespace and the embedder: what a message means here, and what is not embedded yet."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..domain.errors import EmbedderUnavailable, StorageError
from ..providers.embedders.base import Embedder
from ..recall.language_mix import language_mix
from ..recall.query import Query
from ..recall.vector_score import QueryVector, embed_query_text
from .language_trust import LanguageTrust
from .namespace_memory import NamespaceMemory

_PROBE = "dimension"
CHANGED = "the embedding model has just changed: words only"
# A sample of another width, files that were let go of, a catalogue that could not be asked.
OF_ANOTHER_MODEL = (ValueError, OSError, StorageError)

OpenNamespace = Callable[[], AbstractContextManager[NamespaceMemory]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProgress:
    """How far embedding has come, in texts; `anew` where another model had done it before."""

    done: int
    total: int
    is_reembedding: bool


def embedding_progress(
    archive: NamespaceMemory, embedder: Embedder | None
) -> EmbeddingProgress | None:
    """None where nothing is left to embed, or the model is not at it yet."""
    if embedder is None or archive.active_model.model != embedder.fingerprint:
        return None
    counts = archive.query(lambda store: store.counts())
    whole, lacking = counts["vectors"], counts["lacking"]
    if not lacking:
        return None
    anew = archive.query(lambda store: store.has_other_models())
    return EmbeddingProgress(done=whole - lacking, total=whole, is_reembedding=anew)


class EmbeddingWorker:
    """Has texts embedded, batch by batch. For one thread at a time but for begin() and search().

    `languages` says how far the embedder can be believed in each language.
    """

    def __init__(self, root: Path) -> None:
        self.languages = LanguageTrust(root)
        self._answered: Embedder | None = None
        self._dim = 0

    def activate_last_model(self, archive: NamespaceMemory) -> None:
        """Has what was just opened search the vectors of the model that answered last.

        Nobody else has it by then, so that whoever recalls waits for no lock. Where another program
        writes, the deriver tries again.
        """
        if self._answered is not None:
            with suppress(StorageError):
                archive.use_model(self._answered.fingerprint, self._dim)

    def meaning(
        self, archive: NamespaceMemory, embedder: Embedder | None, query: Query, timeout_s: float
    ) -> tuple[QueryVector | None, str]:
        """What the embedder makes of the message, or why it makes nothing.

        Raises one of OF_ANOTHER_MODEL where the model changes meanwhile.
        """
        if embedder is None:
            return None, "no embedder: words only"
        if archive.active_model.model != embedder.fingerprint:
            return None, "embeddings are not ready yet: words only"
        try:
            vector = embed_query_text(query, embedder, timeout_s=timeout_s)
        except EmbedderUnavailable as exc:
            return None, f"words only: {exc}"
        dim = archive.active_model.dim
        if vector.shape != (dim,):
            return None, f"words only: a vector of shape {vector.shape}, not ({dim},)"
        backdrop = archive.active_model.similarity_baseline()
        mix = language_mix(query.text, backdrop.languages)
        trust, note = self.languages.trust_for_message(embedder.fingerprint, mix)
        return QueryVector(vector=vector, baseline=backdrop, trust=trust, note=note), ""

    def embed_batch(self, using: OpenNamespace, embedder: Embedder, batch: int) -> int:
        """Embeds the next texts; returns how many, and one more where a model was begun with: so
        upkeep comes later, and does not share a cold disk with whoever asks first. Raises
        EmbedderUnavailable.

        Nothing is held open while the model is asked. Another model is begun with only once it has
        answered: until then the vectors that there are stay as they are.
        """
        dim, fingerprint = self._vector_width(embedder), embedder.fingerprint
        with using() as archive:
            is_new = archive.active_model.model != fingerprint
            if is_new:
                archive.use_model(fingerprint, dim)
            waiting = archive.query(lambda store: store.pending_embeddings(batch))
        if waiting:
            texts = [it.text for it in waiting]
            self.languages.queue_languages_of(fingerprint, texts)
            vectors = embedder.embed(texts)
            if vectors.shape != (len(waiting), dim):
                raise EmbedderUnavailable(f"{embedder.name} gave vectors of shape {vectors.shape}")
            with using() as archive:
                archive.active_model.add(fingerprint, [it.vector_id for it in waiting], vectors)
        return len(waiting) + is_new

    def _vector_width(self, embedder: Embedder) -> int:
        """As its first answer shows it."""
        if self._answered is not embedder:
            self._dim = embedder.embed([_PROBE]).shape[1]
            self._answered = embedder
        return self._dim

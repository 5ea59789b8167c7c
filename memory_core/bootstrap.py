"""Turns settings into a working memory: the only file that names concrete classes."""

import importlib.util
import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

from .admin.late_writes import LateWrites
from .admin.move_namespaces import finish_renames
from .config.limits import Limits
from .config.model_settings import EmbedderSettings, LLMSettings, RerankerSettings
from .config.schema import Settings, Visible
from .config.store_settings import StoreBackend
from .consolidation import registry
from .consolidation.answers import answers_with
from .domain.errors import ConfigError, StorageFailed
from .domain.records import MemoryKind
from .infra.durable_files import remove_abandoned_temporaries
from .memory.erasure import ErasureSchedule
from .memory.factories import Factories, Models
from .memory.installation import Installation
from .memory.long_term_memory import LongTermMemory
from .memory.runtime import Runtime
from .providers.embedders.base import Embedder
from .providers.embedders.built_in import BuiltInEmbedder
from .providers.embedders.fastembed import FastEmbedEmbedder
from .providers.embedders.local_model import DEFAULT_MODEL
from .providers.embedders.openai import OpenAIEmbedder
from .providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from .providers.llm.base import BackgroundModel, LanguageModel
from .providers.llm.in_background import ForegroundModelInBackground
from .providers.llm.openai import OpenAILanguageModel
from .providers.llm.openai_background import OpenAIBackgroundModel, PatienceModel
from .providers.plugins import custom_embedder, custom_language_model, custom_reranker
from .providers.rerankers.base import ScoringReranker
from .providers.rerankers.fastembed import CrossEncoderReranker
from .providers.rerankers.http_endpoint import EndpointReranker
from .providers.resilient import (
    ResilientEmbedder,
    ResilientLanguageModel,
    ResilientReranker,
    RetryingModel,
)
from .recall import llm_judge
from .recall.gate import Gate, ScoreGate
from .recall.llm_judge import LLMGate, LLMRerank
from .recall.pipeline import Pipeline, RecallLimits
from .recall.rerank import RerankByModel, RerankByScore, Reranker
from .storage.engine import (
    Engine,
    OpenStore,
    mark_database,
    open_shared,
    postgres_engine,
    unmark_database,
)
from .storage.folder_swap import finish_interrupted_swaps
from .storage.index.local import LocalStore
from .storage.shared import SharedStorage
from .text.prompt_files import PromptBook

STORE = LocalStore
PROMPTS = (llm_judge.GATE, llm_judge.RERANK, *registry.PROMPTS)
_log = logging.getLogger("long_term_memory")


def build_runtime(
    home: Installation,
    *,
    clock: Callable[[], float] = time.time,
    host_model: BackgroundModel | None = None,
    llm: LanguageModel | None = None,
) -> Runtime:
    """Builds the runtime of this installation; its threads are not started yet.

    `host_model` is the model that the host has loaded, used for llm.kind host. `llm` replaces
    every language model of the settings.
    """
    build_all = partial(build_models, host_model=host_model)
    factories = Factories(
        models=build_all if llm is None else partial(_build_models_around, llm),
        models_part=model_settings,
        memory=build,
        reconfigure=reconfigure,
        unserved=unused_features,
    )
    runtime = Runtime(home, factories, clock=clock)
    runtime.add_idle_duty(LateWrites(runtime).run_due)
    runtime.add_idle_duty(ErasureSchedule(runtime).run_due)
    return runtime


def build(settings: Settings, models: Models, *, root: Path) -> LongTermMemory:
    """Opens the memory in the folder `root`, after finishing interrupted changes."""
    remove_abandoned_temporaries(root)
    for problem in (*finish_interrupted_swaps(root), *finish_renames(root)):
        _log.warning(problem)
    memory = LongTermMemory(
        root,
        open_store=_open_store(settings, root),
        embedder=models.embedder,
        pipeline=_pipeline(settings, models),
        limits=build_limits(settings),
    )
    memory.answer_question = answers_with(models, settings)
    return memory


def _open_store(settings: Settings, root: Path) -> OpenStore:
    """Returns the opener of stores and logs, and notes in the folder where the memories are."""
    if settings.store.backend is StoreBackend.LOCAL:
        _note_place(unmark_database, root)
        return STORE
    engine = open_database(settings, settings.store.dsn, root)
    _note_place(mark_database, root)
    return engine


def shared_storage(settings: Settings, root: Path) -> AbstractContextManager[SharedStorage]:
    """Opens the files that programs share beside the memories. Raises ConfigError."""
    return open_shared(_open_store(settings, root), root)


def _note_place(note: Callable[[Path], None], root: Path) -> None:
    try:
        note(root)
    except StorageFailed as exc:  # the chat continues; opening a memory there reports it
        _log.warning("%s", exc)


def open_database(settings: Settings, dsn: str, root: Path) -> Engine:
    """Returns the engine of this database. Raises ConfigError."""
    return postgres_engine(dsn, root, time_limit_s=settings.recall.time_limit_s)


def reconfigure(memory: LongTermMemory, settings: Settings, models: Models) -> None:
    """Applies these settings and models to an open memory."""
    memory.reconfigure(
        embedder=models.embedder,
        pipeline=_pipeline(settings, models),
        limits=build_limits(settings),
    )
    memory.answer_question = answers_with(models, settings)


def build_limits(settings: Settings) -> Limits:
    return Limits(
        query_timeout_s=min(settings.embedder.query_timeout_s, settings.recall.time_limit_s),
        undo_forget_s=settings.ltm_writes.undo_forget_s,
        next_session_only=settings.recall.visible is Visible.NEXT_SESSION,
        guard=settings.guard.rules,
    )


def _pipeline(settings: Settings, models: Models) -> Pipeline:
    return build_pipeline(settings, models.judge, reranker=models.reranker, prompts=models.prompts)


def build_pipeline(
    settings: Settings,
    llm: LanguageModel | None,
    *,
    reranker: ScoringReranker | None = None,
    prompts: PromptBook | None = None,
) -> Pipeline:
    """Builds the recall pipeline, without the steps that need a language model if there is none."""
    prompts = prompts or PromptBook()
    recall = settings.recall
    sizes = RecallLimits(
        candidates=recall.candidate_n,
        replay=recall.retrieve_k,
        lines=recall.lines,
        total=settings.ltm_reads.num_memories_to_fetch,
    )
    return Pipeline(
        gate=_gate(settings, llm, prompts),
        reranker=_rerank_step(settings, llm, reranker, prompts),
        sizes=sizes,
        min_letters=settings.ltm_writes.min_message_length,
        kind_weights={
            MemoryKind.SUMMARY: settings.recall.summary_weight,
            MemoryKind.OBSERVATION: settings.recall.observation_weight,
            MemoryKind.INSIGHT: settings.recall.insight_weight,
        },
    )


def _gate(settings: Settings, llm: LanguageModel | None, prompts: PromptBook) -> Gate:
    by_score = ScoreGate(
        min_need=settings.recall.min_need,
        full_need=settings.recall.full_need,
        min_score=settings.recall.min_score,
        min_share=settings.recall.min_share,
        min_letters=settings.ltm_writes.min_message_length,
        max_cosine_distance=settings.ltm_reads.max_cosine_distance,
    )
    if llm is None or not settings.recall.use_gate:
        return by_score
    return LLMGate(
        by_score,
        llm,
        keep_max=settings.recall.gate_keep_max,
        timeout_s=settings.recall.time_limit_s,
        prompt=prompts.load(llm_judge.GATE),
    )


def _rerank_step(
    settings: Settings,
    llm: LanguageModel | None,
    reranker: ScoringReranker | None,
    prompts: PromptBook,
) -> Reranker:
    timeout_s = settings.recall.time_limit_s
    if llm is not None and settings.recall.use_rerank:
        prompt = prompts.load(llm_judge.RERANK)
        return LLMRerank(llm, k=settings.recall.retrieve_k, timeout_s=timeout_s, prompt=prompt)
    if reranker is not None:
        return RerankByModel(
            reranker, max_candidates=settings.reranker.candidates, timeout_s=timeout_s
        )
    return RerankByScore()


def model_settings(settings: Settings) -> tuple[object, ...]:
    """Returns the settings from which the models are built."""
    return settings.embedder, settings.reranker, settings.llm, settings.allow_remote


def build_models(
    settings: Settings, cache: Path, *, host_model: BackgroundModel | None = None
) -> Models:
    """Builds the models. One that cannot be set up is left out and listed in `problems`.

    `cache` is the folder of downloaded models; the user's own prompts lie beside it.
    """
    problems: list[str] = []
    embedder: Embedder | None = None
    reranker: ScoringReranker | None = None
    llm: LanguageModel | None = None
    background: BackgroundModel | None = None
    try:
        embedder = _embedder(settings.embedder, settings.allow_remote, cache)
    except ConfigError as exc:
        problems.append(f"recall goes on by words alone: {exc}")
    try:
        reranker = _reranker(settings.reranker, settings.allow_remote, cache)
    except ConfigError as exc:
        problems.append(f"what is recalled is ordered by score: {exc}")
    try:
        llm = language_model(settings.llm, settings.allow_remote)
        background = _background_model(settings.llm, llm, host_model)
    except ConfigError as exc:
        problems.append(f"no language model: {exc}")
    prompts = PromptBook(cache.parent / "prompts")
    for contract in PROMPTS:
        prompts.load(contract)
    return Models(
        embedder=embedder,
        llm=llm,
        reranker=reranker,
        judge=llm and ResilientLanguageModel(llm),
        background=background,
        prompts=prompts,
        problems=(*problems, *prompts.problems),
        has_host_model=host_model is not None,
    )


def _build_models_around(llm: LanguageModel, settings: Settings, cache: Path) -> Models:
    """Builds the models with this language model instead of a configured one."""
    without = settings.llm.model_copy(update={"kind": "none"})
    return replace(
        build_models(settings.model_copy(update={"llm": without}), cache),
        llm=llm,
        judge=ResilientLanguageModel(llm),
        background=RetryingModel(ForegroundModelInBackground(llm), retries=settings.llm.retries),
    )


def unused_features(settings: Settings, llm: LanguageModel | None) -> list[str]:
    """Lists features that are switched on but cannot work, with reasons in plain words."""
    wanted = {
        "recall.use_gate": settings.recall.use_gate,
        "recall.use_rerank": settings.recall.use_rerank,
        "consolidation.enabled": settings.consolidation.enabled and settings.llm.kind != "host",
    }
    is_host = settings.llm.kind == "host"
    reason = (
        "the host's own model does background work only"
        if is_host
        else "no language model is configured (llm.base_url)"
    )
    missing = [
        f"{key} is on, but {reason}: it is left out"
        for key, is_on in wanted.items()
        if is_on and llm is None
    ]
    return [*missing, *_unused_reranker(settings, llm)]


def _unused_reranker(settings: Settings, llm: LanguageModel | None) -> list[str]:
    """Returns the reason in a list if a configured reranker is not used, else no reason."""
    if settings.reranker.kind != "none":
        if llm is not None and settings.recall.use_rerank:
            return ["recall.use_rerank is on: the language model orders, reranker.kind is left out"]
    elif settings.reranker.base_url:
        return ["reranker.base_url is set, but reranker.kind is none: it is left out"]
    return []


def _embedder(settings: EmbedderSettings, allow_remote: bool, cache: Path) -> Embedder | None:
    kind = _chosen_kind(settings)
    if kind == "none":
        return None
    if kind == "openai":
        return ResilientEmbedder(
            OpenAIEmbedder(
                base_url=settings.base_url,
                model=settings.model,
                api_key=settings.api_key,
                dimensions=settings.dimensions,
                timeout_s=settings.timeout_s,
                allow_remote=allow_remote,
            )
        )
    if kind == "built-in":
        return BuiltInEmbedder()
    if kind in ("fastembed", "sentence-transformers"):
        build = FastEmbedEmbedder if kind == "fastembed" else SentenceTransformersEmbedder
        return build(cache_dir=cache, model=settings.model, allow_download=settings.allow_download)
    return ResilientEmbedder(custom_embedder(settings))


def _chosen_kind(settings: EmbedderSettings) -> str:
    """Returns the kind to build. Where fastembed is missing, its default is the built-in model."""
    kind, is_default = settings.kind, settings.model in ("", DEFAULT_MODEL)
    if kind == "auto" and settings.base_url:
        return "openai"
    if kind == "auto":
        kind = "fastembed" if settings.model else "built-in"
    has_fastembed = importlib.util.find_spec("fastembed") is not None
    return "built-in" if kind == "fastembed" and is_default and not has_fastembed else kind


def _reranker(
    settings: RerankerSettings, allow_remote: bool, cache: Path
) -> ScoringReranker | None:
    if settings.kind == "none":
        return None
    reranker: ScoringReranker
    if settings.kind == "endpoint":
        reranker = EndpointReranker(
            base_url=settings.base_url,
            model=settings.model,
            api_key=settings.api_key,
            allow_remote=allow_remote,
        )
    elif settings.kind == "fastembed":
        reranker = CrossEncoderReranker(
            cache_dir=cache, model=settings.model, allow_download=settings.allow_download
        )
    else:
        reranker = custom_reranker(settings)
    return ResilientReranker(reranker)


def language_model(settings: LLMSettings, allow_remote: bool) -> LanguageModel | None:
    if settings.kind in ("none", "host") or (settings.kind == "auto" and not settings.base_url):
        return None
    if settings.kind in ("auto", "openai"):
        return OpenAILanguageModel(
            base_url=settings.base_url,
            model=settings.model,
            api_key=settings.api_key,
            allow_remote=allow_remote,
        )
    return custom_language_model(settings)


def _background_model(
    settings: LLMSettings, llm: LanguageModel | None, host_model: BackgroundModel | None
) -> BackgroundModel | None:
    """Returns the model for background work. Raises ConfigError if a host is needed and missing."""
    if settings.kind == "host":
        if host_model is None:
            message = "llm.kind is host, but this program does not run inside text-generation-webui"
            raise ConfigError(message, key="llm.kind")
        return RetryingModel(host_model, retries=0)
    if llm is None:
        return None
    if isinstance(llm, OpenAILanguageModel):
        return RetryingModel(PatienceModel(OpenAIBackgroundModel(llm)), retries=settings.retries)
    return RetryingModel(ForegroundModelInBackground(llm), retries=settings.retries)

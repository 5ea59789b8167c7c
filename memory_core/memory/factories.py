"""The functions that build a memory's parts from the settings, each time these change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ..config.schema import Settings
from ..providers.embedders.base import Embedder
from ..providers.llm.base import BackgroundModel, LanguageModel
from ..providers.rerankers.base import ScoringReranker
from ..text.prompt_files import PromptBook
from .long_term_memory import LongTermMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The outside models in use; `problems` says in plain words why one is missing.

    `llm` answers chats. `judge` is that model for gate and rerank: after a failure it fails at once
    for a while. `background` does the work that nobody waits for. `prompts` loads the prompts,
    including the user's own. `has_host_model`: a host around this program could lend its model.
    """

    embedder: Embedder | None
    llm: LanguageModel | None
    reranker: ScoringReranker | None = None
    judge: LanguageModel | None = None
    background: BackgroundModel | None = None
    prompts: PromptBook = field(default_factory=PromptBook)
    problems: tuple[str, ...] = ()
    has_host_model: bool = False


class OpenMemory(Protocol):
    """Opens a memory over the folder `root`."""

    def __call__(self, settings: Settings, models: Models, *, root: Path) -> LongTermMemory: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Factories:
    """The functions that Runtime builds with; bootstrap.py chooses them.

    `models` takes the folder of downloaded models, `models_part` returns the settings that models
    are built from, and `unserved` lists features that are switched on but cannot work.
    """

    models: Callable[[Settings, Path], Models]
    models_part: Callable[[Settings], object]
    memory: OpenMemory
    reconfigure: Callable[[LongTermMemory, Settings, Models], None]
    unserved: Callable[[Settings, LanguageModel | None], Sequence[str]]


def judge_problems(models: Models) -> list[str]:
    """Returns the reason why gate and rerank are skipped for a while; empty if they are not."""
    fault = str(getattr(models.judge, "fault", ""))
    meanwhile = "recall goes on without the language model, which is left alone for a while"
    return [f"{meanwhile}: {fault}"] if fault else []

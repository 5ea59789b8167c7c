"""The functions that build a memory's parts from the settings, each time these change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..config.schema import Settings
from ..providers.embedders.base import Embedder
from ..providers.llm.base import LanguageModel
from ..providers.rerankers.base import ScoringReranker
from .long_term_memory import LongTermMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The outside models in use; `problems` tells in plain words why one is missing."""

    embedder: Embedder | None
    llm: LanguageModel | None
    reranker: ScoringReranker | None = None
    problems: tuple[str, ...] = ()


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

"""How a running memory gets its parts from the settings, whenever these change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .embedders.base import Embedder
from .llm.base import LanguageModel
from .long_term_memory import LongTermMemory
from .rerankers.base import ScoringReranker
from .settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The outside models in use; `problems` says in plain words why one is missing."""

    embedder: Embedder | None
    llm: LanguageModel | None
    reranker: ScoringReranker | None = None
    problems: tuple[str, ...] = ()


class OpenMemory(Protocol):
    """Opens a memory over the folder `root`."""

    def __call__(self, settings: Settings, models: Models, *, root: Path) -> LongTermMemory: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Factories:
    """What Runtime builds with: bootstrap.py chooses them.

    `models` takes the folder in which downloaded ones are kept, `models_part` gives the settings
    that they are built from; `unserved` tells in plain words what is switched on but left out.
    """

    models: Callable[[Settings, Path], Models]
    models_part: Callable[[Settings], object]
    memory: OpenMemory
    reconfigure: Callable[[LongTermMemory, Settings, Models], None]
    unserved: Callable[[Settings, LanguageModel | None], Sequence[str]]

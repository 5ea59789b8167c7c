"""Questions to the memories, and their answers."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ..domain.namespaces import Namespace
from ..domain.records import Memory

if TYPE_CHECKING:
    from .long_term_memory import LongTermMemory


class Stage(StrEnum):
    """The memories that an answer rests on."""

    CONDENSED = "condensed"
    EXCHANGES = "exchanges"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about the memories of these namespaces, each with the user's shared ones.

    `since` and `until` limit the answer to what was said in this half-open interval, in seconds
    since the epoch.
    """

    text: str
    namespaces: tuple[Namespace, ...]
    top_k: int = 5
    since: float | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A memory that an answer could use."""

    namespace: Namespace
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer and its sources.

    `text` is empty if no model answered; `fault` then says why. `used` are the sources that the
    model named, `sources` all that it was given. `is_enough` is False if these lack the answer.
    """

    text: str = ""
    used: tuple[Source, ...] = ()
    sources: tuple[Source, ...]
    stage: Stage
    fault: str = ""
    is_enough: bool = True


AnswerQuestion = Callable[["LongTermMemory", Question], Answer]


def answer_nothing(memory: "LongTermMemory", question: Question) -> Answer:
    """Returns an Answer with a fault: this memory was opened without bootstrap.py."""
    fault = "this memory cannot answer questions: bootstrap.build() did not open it"
    return Answer(text="", sources=(), stage=Stage.CONDENSED, fault=fault, is_enough=False)

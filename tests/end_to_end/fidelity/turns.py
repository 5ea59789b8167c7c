"""The ways in which a turn of a chat can go, on the page and through the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class End(StrEnum):
    """The end of a turn."""

    DONE = "done"
    STOPPED = "stopped"
    PAGE_CLOSED = "page closed"
    PROMPT_FAILS = "no prompt can be built"
    OUTPUT_FAILS = "another extension's output hook fails"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """The course of a turn: its end, the seconds of writing, the tool calls before."""

    end: End = End.DONE
    seconds: float = 0.0
    tools: int = 0
    attachment: bool = False


AT_ONCE = How()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A client of the API. `rows` are its chat so far, as the host reads them.

    A row has two cells, or four with a tool's words and metadata.
    """

    mode: str
    user: str
    rows: Sequence[Sequence[Any]]
    hangs_up: bool = False

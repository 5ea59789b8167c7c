"""How a turn of a chat can go, on the page and by the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class End(StrEnum):
    """How a turn ends."""

    DONE = "done"
    STOPPED = "stopped"
    PAGE_CLOSED = "page closed"
    PROMPT_FAILS = "no prompt can be built"
    OUTPUT_FAILS = "another extension's output hook fails"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a turn goes: its end, how long the model writes, how many tools it calls first."""

    end: End = End.DONE
    seconds: float = 0.0
    tools: int = 0
    attachment: bool = False


AT_ONCE = How()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A client of the API. `rows` are of its chat so far, as the host reads them: two cells, or
    four with a tool's words and what else is known of it.
    """

    mode: str
    user: str
    rows: Sequence[Sequence[Any]]
    hangs_up: bool = False

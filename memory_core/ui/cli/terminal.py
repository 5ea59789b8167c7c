"""What a command of the command line has to speak to people and programs."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """`say` is the command's result (standard output), `note` what happens meanwhile (errors)."""

    say: Callable[[str], None]
    note: Callable[[str], None]

"""What a command of the command line has to speak to people and programs."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """`say` is the command's result (standard output), `note` what happens meanwhile (errors)."""

    say: Callable[[str], None]
    note: Callable[[str], None]


def counted(number: int, noun: str, plural: str = "") -> str:
    """Returns a number with its noun: "1 chat", "1,200 chats". A bare s is the default plural."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def memories(number: int) -> str:
    return counted(number, "memory", "memories")

"""The memories in a prompt, from which the demo answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...domain.records import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMemory:
    """A memory in the prompt. `is_recalled` is False for one that is always there.

    `is_of_asked_time`: the message names a time, and the memory is of that time.
    `fits_without_shared_words`: the message asks what was said of a subject ("what do I do for
    work"), or wants something that the memory limits ("I'm hungry").
    """

    memory: Memory
    is_recalled: bool = True
    is_of_asked_time: bool = False
    fits_without_shared_words: bool = False


class PromptMemories(Protocol):
    def latest(self) -> Sequence[PromptMemory]:
        """Returns the memories in the newest prompt of the chat, best first."""
        ...

    def about_user(self) -> Sequence[str]:
        """Returns the most telling statements of the users about themselves."""
        ...


class NoMemories:
    def latest(self) -> Sequence[PromptMemory]:
        return ()

    def about_user(self) -> Sequence[str]:
        return ()

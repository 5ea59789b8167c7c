"""Language models as users may write them, for `package.module:Class`."""

from collections.abc import Iterator, Sequence
from typing import Never

from memory_core.domain.records import Turn


class Echo:
    name = "echo"

    def __init__(self, *, settings: object) -> None:
        pass

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        return turns[-1].text

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        yield from turns[-1].text


class Raising(Echo):
    def complete(self, turns: Sequence[Turn], **options: object) -> Never:
        raise ZeroDivisionError("oops")

    def stream(self, turns: Sequence[Turn], **options: object) -> Iterator[str]:
        yield "a"
        raise ZeroDivisionError("oops")


class Mute(Echo):
    def complete(self, turns: Sequence[Turn], **options: object) -> None:
        return None

    def stream(self, turns: Sequence[Turn], **options: object) -> Iterator[str]:
        yield None

"""A language model with scripted replies, for tests and demos."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ...domain.errors import LLMUnavailable
from ...domain.records import Turn

Reply = str | LLMUnavailable
Script = Callable[[Sequence[Turn]], Reply]


class ScriptedLLM:
    """Gives the scripted replies in order, or the result of a function of the turns.

    Raises replies that are an LLMUnavailable, and LLMUnavailable after the last reply. `asked`
    holds the turns of every call.
    """

    def __init__(self, script: Script | Iterable[Reply], *, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[tuple[Turn, ...]] = []
        self._script = script if callable(script) else _in_turn(script)

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        self.asked.append(tuple(turns))
        reply = self._script(turns)
        if isinstance(reply, LLMUnavailable):
            raise reply
        return reply

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        """Yields one word at a time, with the space before it."""
        whole = self.complete(
            turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
        )
        first, *others = whole.split(" ")
        yield first
        yield from (f" {word}" for word in others)


def _in_turn(replies: Iterable[Reply]) -> Script:
    remaining = iter(replies)
    return lambda turns: next(remaining, LLMUnavailable("the script has no more replies"))

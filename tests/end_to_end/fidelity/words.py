"""Texts for the stand-in's chats, each with the clean words that memory should hold."""

from dataclasses import dataclass
from enum import StrEnum, auto
from itertools import count

from memory_core.text.prompt_fence import HEAD, fence

THOUGHT = "pondering"
LOOKED_UP = "lookup"
INJECTED = "brought-back"
UNSAID = (THOUGHT, LOOKED_UP, INJECTED)  # words that may stand in no memory


class Manner(StrEnum):
    """The manner in which a model writes its reply."""

    PLAIN = auto()
    SHORT = auto()  # the same words each time
    THINKING = auto()
    ESCAPED = auto()
    WITH_TOOL_MARKUP = auto()
    ECHOING = auto()  # it repeats the block of memories that it was shown
    CHINESE = auto()


@dataclass(frozen=True, slots=True)
class Reply:
    """Yields the reply so far at each step; the last one is complete."""

    steps: tuple[str, ...]

    @property
    def whole(self) -> str:
        return self.steps[-1]


class Words:
    """Makes texts that were never said before, and remembers what of each is to be kept.

    `mark` is put into each text from now on.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._clean: dict[str, str] = {"": ""}
        self.mark = ""

    def clean(self, raw: str) -> str:
        """Returns the clean words of a text. A KeyError is a fault of the stand-in."""
        return self._clean[raw]

    def keep(self, raw: str, clean: str) -> str:
        self._clean[raw] = clean.strip()
        return raw

    def message(self, manner: Manner) -> str:
        number = next(self._numbers)
        said = {
            Manner.SHORT: "ok",
            Manner.ESCAPED: f'Is {number} < {number + 1} & "so" on?\nTell me.',
            Manner.CHINESE: f"第{number}个问题：你喜欢什么？",
        }.get(manner, f"Message {number} of the day.") + self.mark
        return self.keep(said, said)

    def reply(self, manner: Manner) -> Reply:
        number = next(self._numbers)
        hidden = {
            Manner.THINKING: f"<think>\n{THOUGHT} {number}{self.mark}",
            Manner.WITH_TOOL_MARKUP: f'<tool_call>\n{{"name": "{LOOKED_UP}-{number}{self.mark}"',
            Manner.ECHOING: fence(f"{INJECTED} {number}"),
        }.get(manner, "")
        closed = {
            Manner.THINKING: f"{hidden} on.\n</think>\n\n",
            Manner.WITH_TOOL_MARKUP: f"{hidden}}}\n</tool_call>\n",
            Manner.ECHOING: f"{hidden}\n\n",
        }.get(manner, "")
        said = {
            Manner.SHORT: "Fine.",
            Manner.ESCAPED: f"{number} < {number + 1} && 'so' on",
            Manner.CHINESE: f"第{number}个回答。",
        }.get(manner, f"Reply {number} begins") + self.mark
        steps = [self.keep(hidden, "")] if hidden else []
        steps.append(self.keep(closed + said, said))
        if manner is not Manner.SHORT:
            steps.append(self.keep(f"{closed}{said} and ends.", f"{said} and ends."))
        return Reply(tuple(steps))

    def more(self, before: str) -> Reply:
        """Continues a reply, or its reasoning if it broke off within that."""
        number = next(self._numbers)
        added = f" More {number}.{self.mark}"
        kept = self.clean(before)
        in_thoughts = bool(before) and not kept and not before.startswith(HEAD)
        clean = "" if in_thoughts else f"{kept}{added}"
        return Reply((before, self.keep(f"{before}{added}", clean)))

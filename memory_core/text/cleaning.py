"""What a message said: without the reasoning that led to it, tool markup or injected memories.

A person does neither reason nor call tools in marks: who writes them speaks of them. So of a
person's own words only media and memory blocks are left out.

One pass over the marks in a text: each look-up of a closing mark is a bisection, so that no text
takes more than linear time. Code, fenced or in backticks, stays as it is.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from ..domain.records import Role
from ..infra.lru_cache import memoize
from .prompt_fence import HEADS
from .recited_memory import without_recital

GREETING_MARK = "<|BEGIN-VISIBLE-CHAT|>"

_CACHE_CHARS = 8_000_000
_PASSES = 6
_INDENT = 64

_REASONING = "think|thinking|thought|reasoning|seed:think"
_TOOLS = (
    r"tool_calls?|tool_response|tool_results?|tool_outputs?|function_calls?|function_results?"
    r"|function_response|minimax:tool_call|antml:function_calls"
)
_MEDIA = "audio|video|iframe"
_PLACEHOLDER = "<__media__>"  # the host's, where a picture of the API stood
_PIPE = "[|\uff5c]"


class Unclosed(Enum):
    """How much a block that never ends takes with it."""

    REST_OF_OWN_LINE = auto()  # all that follows, if it stands first in its line
    REST = auto()
    MARK = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What goes, from an opening mark up to its closing one."""

    close: str
    unclosed: Unclosed = Unclosed.REST_OF_OWN_LINE


def _pair(tag: str, unclosed: Unclosed = Unclosed.REST_OF_OWN_LINE) -> Block:
    return Block(close=rf"</{tag}\s{{0,9}}>", unclosed=unclosed)


_BLOCKS: Mapping[str, Block] = {
    **{tag: _pair(tag) for tag in _REASONING.split("|")},
    **{tag: _pair(tag, Unclosed.MARK) for tag in _MEDIA.split("|")},
    "[think]": Block(close=r"(?-i:\[/THINK\])"),
    "[tool_calls]": Block(close=r"(?=\n[ \t]{0,20}\n)", unclosed=Unclosed.REST),
    "[tool_results]": Block(close=r"(?-i:\[/TOOL_RESULTS\])"),
    "[available_tools]": Block(close=r"(?-i:\[/AVAILABLE_TOOLS\])"),
    "channel": Block(
        close=r"<\|(?:end|call|return)\|>|(?=<\|start\|>)|(?=<\|channel\|>final)",
        unclosed=Unclosed.REST,
    ),
    "thought": Block(close=r"<channel\|>", unclosed=Unclosed.REST),
    "bare": Block(close=r"<channel\|>"),
    "solar": Block(
        close=r"<\|end\|>\s{0,9}(?:(?:<\|begin\|>assistant\s{0,9})?<\|content\|>)?|<\|content\|>"
    ),
    "pipe": Block(
        close=rf"<{_PIPE}(?:/tool[^<>\s]{{0,60}}|tool[^<>\s]{{0,60}}end){_PIPE}>|<tool_\w{{1,20}}\|>",
        unclosed=Unclosed.REST,
    ),
    "python": Block(close=r"<\|eo[mt]_id\|>", unclosed=Unclosed.REST),
}
# Looking for the marks themselves takes five times as long.
_START = re.compile(r"[`<\[!](?<![<\[!](?=[\s<>]))")
_CODE = r"(?P<fence>`{3,})|(?P<code>(?P<ticks>`{1,2})(?!`)[^`\n]+(?P=ticks)(?!`))"
_PLAYER = rf"<(?P<media>{_MEDIA})\s[^<>]*>"
_PICTURE = (
    r"</?(?:img|source|track|picture|embed)\s[^<>]*>|</picture\s{0,9}>"
    r"|!\[[^\]\n]{0,200}\]\(data:[^()\s]*\)"
)
_MARK = re.compile(
    rf"{_CODE}|{_PLAYER}"
    rf"|<(?P<tag>{_REASONING}|{_TOOLS}|memories)\s{{0,9}}>"
    r"|<(?P<called>function|invoke|parameter)(?:=|\sname=)[^<>\n]{0,200}>"
    r"|\[(?P<square>(?-i:THINK|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS))\]"
    r"|(?P<channel>(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b)"
    r"|(?P<thought><\|channel>thought\b)"
    r"|(?P<bare>\s{0,9}(?-i:thought)\n)"
    r"|(?P<solar>(?:<\|begin\|>assistant\s{0,9})?<\|think\|>)"
    r"|(?P<python><\|python_tag\|>)"
    rf"|(?P<unopened></(?:{_REASONING})\s{{0,9}}>|(?-i:\[/THINK\]))"
    rf"|(?P<pipe><{_PIPE}tool(?![^<>\s]{{0,60}}end)[^<>\s]{{0,60}}>)"
    r"|(?P<void>(?:<\|start\|>assistant)?<\|channel\|>final[^<>\n]{0,40}(?:<\|message\|>)?"
    r"|<\|(?:end|return|call)\|>|<channel\|>|(?:<\|begin\|>assistant\s{0,9})?<\|content\|>"
    rf"|</(?:{_TOOLS}|{_MEDIA}|memories|function|invoke)\s{{0,9}}>|{_PICTURE}"
    rf"|{_PLACEHOLDER}|<{_PIPE}/?tool[^<>\s]{{0,60}}>|<tool_\w{{1,20}}\|>)",
    re.IGNORECASE,
)
_OWN_MARK = re.compile(
    rf"{_CODE}|{_PLAYER}|(?=(?-i:{HEADS}))<(?P<tag>memories)>"
    rf"|(?P<void></(?:{_MEDIA})\s{{0,9}}>|{_PICTURE}|{_PLACEHOLDER})",
    re.IGNORECASE,
)
_HARMLESS_BRACKETS = str.maketrans({"<": "\u2039", "[": "\uff3b"})


def clean_for_role(text: str, role: Role) -> str:
    return clean_user_message(text) if role is Role.USER else clean_answer(text)


def clean_answer(text: str) -> str:
    """The model's message as its reader saw it, without what it lists from memory. Cleaning twice
    gives the same.
    """
    bare = text.strip()
    return without_recital(_without_marks(text) if _may_hold_marks(bare) else bare)


def clean_user_message(text: str) -> str:
    """A person's message, with whatever it says about marks. Cleaning twice gives the same."""
    bare = text.strip()
    return _without_own_marks(text) if _may_hold_marks(bare) else bare


def _may_hold_marks(text: str) -> bool:
    return "<" in text or "[" in text or text.startswith("thought")


@memoize(chars=_CACHE_CHARS)
def _without_marks(text: str) -> str:
    return _until_stable(text, _MARK)


@memoize(chars=_CACHE_CHARS)
def _without_own_marks(text: str) -> str:
    return _until_stable(text, _OWN_MARK)


def _until_stable(text: str, marks: re.Pattern[str]) -> str:
    for _ in range(_PASSES):
        bare = _cut_once(text, marks)
        if bare == text:
            return bare
        text = bare
    # Marks nested into each other to come out of the cleaning: nobody wrote that by chance.
    return text.translate(_HARMLESS_BRACKETS).strip()


def _cut_once(text: str, marks: re.Pattern[str]) -> str:
    if not _may_hold_marks(text):
        return text.strip()
    bare = _MarkCutter(text, marks).text_without_marks().strip()
    return "" if bare == GREETING_MARK else bare


@dataclass(slots=True)
class _ClosingTags:
    """Where the closing marks of each kind stand, looked up once per text and kind."""

    text: str
    _found: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)

    def end_of_next(self, close: str, at: int) -> int | None:
        """The end of the first one from `at` on."""
        if close not in self._found:
            spans = [it.span() for it in re.finditer(close, self.text, re.IGNORECASE)]
            self._found[close] = [it[0] for it in spans], [it[1] for it in spans]
        starts, ends = self._found[close]
        first = bisect_left(starts, at)
        return ends[first] if first < len(starts) else None


class _MarkCutter:
    """Walks over one text and leaves out what was not said in it."""

    def __init__(self, text: str, marks: re.Pattern[str]) -> None:
        self.text = text
        self._marks = marks
        self._closings = _ClosingTags(text)
        self._kept: list[str] = []
        self._at = 0  # all before is decided
        self._was_cut = False

    def text_without_marks(self) -> str:
        mark = self._next(0)
        while mark is not None:
            self._handle_mark(mark)
            mark = self._next(max(mark.end(), self._at))
        self._keep(len(self.text))
        return "".join(self._kept)

    def _next(self, at: int) -> re.Match[str] | None:
        """The first mark from there on; a mere word is one where the text begins or was cut."""
        if (at == 0 or self._was_cut) and at == self._at:
            mark = self._marks.match(self.text, at)
            if mark is not None:
                return mark
        for start in _START.finditer(self.text, at):
            mark = self._marks.match(self.text, start.start())
            if mark is not None:
                return mark
        return None

    def _handle_mark(self, mark: re.Match[str]) -> None:
        kind = mark.lastgroup
        if kind == "fence":
            self._skip_code(mark)
        elif kind == "code":
            self._keep(mark.end())
        elif kind == "void":
            self._cut(mark.start(), mark.end())
        elif kind == "unopened":
            self._drop_reasoning_before(mark)
        else:
            self._handle_block(mark)

    def _drop_reasoning_before(self, mark: re.Match[str]) -> None:
        """All before it was thought, but for a word in a sentence about such marks."""
        around = self.text[mark.start() - 1 : mark.start()], self.text[mark.end() : mark.end() + 1]
        if around != (" ", " "):
            self._kept.clear()
            self._at, self._was_cut = mark.end(), True

    def _skip_code(self, mark: re.Match[str]) -> None:
        """Code that is not closed reaches to the end, unless it is part of what was thought."""
        end = self._closings.end_of_next("`{3,}", mark.end())
        if end is not None:
            self._keep(end)
        elif self._end_of_reasoning(mark.end()) is None:
            self._keep(len(self.text))

    def _end_of_reasoning(self, at: int) -> int | None:
        return self._closings.end_of_next(rf"</(?:{_REASONING})\s{{0,9}}>|(?-i:\[/THINK\])", at)

    def _handle_block(self, mark: re.Match[str]) -> None:
        block = _block(mark)
        end = self._closings.end_of_next(block.close, mark.end())
        if end is not None:
            self._cut(mark.start(), end)
        elif block.unclosed is Unclosed.MARK:
            self._cut(mark.start(), mark.end())
        elif block.unclosed is Unclosed.REST or self._begins_line(mark.start()):
            self._cut(mark.start(), len(self.text))

    def _begins_line(self, start: int) -> bool:
        """Nothing but blanks before it in its line, or since what was cut."""
        first = self._at if self._was_cut else 0
        low = max(first, start - _INDENT)
        before = self.text[low:start].rstrip(" \t")
        return before.endswith("\n") or (not before and low == first)

    def _keep(self, end: int) -> None:
        piece = self.text[self._at : end]
        if self._was_cut:
            piece = self._joined(piece)
        if piece:
            self._kept.append(piece)
            self._was_cut = False
        self._at = max(self._at, end)

    def _joined(self, piece: str) -> str:
        """One gap where what was cut had one on either side."""
        words = piece.lstrip()
        gap = piece[: len(piece) - len(words)]
        if self._kept:
            last = self._kept.pop()
            kept = last.rstrip()
            gap = last[len(kept) :] + gap
            self._kept.append(kept)
        return (min(gap.count("\n"), 2) * "\n" or gap[:1]) + words

    def _cut(self, start: int, end: int) -> None:
        self._keep(start)
        self._at, self._was_cut = end, True


def _block(mark: re.Match[str]) -> Block:
    kind = str(mark.lastgroup)
    name = mark[kind].lower()
    match kind:
        case "tag":
            return _BLOCKS.get(name) or _pair(name)
        case "called":
            return _pair(name)
        case "media":
            return _BLOCKS[name]
        case "square":
            return _BLOCKS[f"[{name}]"]
    return _BLOCKS[kind]

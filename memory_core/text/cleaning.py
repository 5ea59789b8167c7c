"""Removes reasoning, tool markup, injected and recited memories from messages.

A person who writes such marks talks about them. So a person's messages lose only media and memory
blocks. Lists of memories that an answer recites go too, because each is stored elsewhere already:
the demo answers with such a list without a language model, and so do models when asked.

The cutter passes over the marks of a text once and finds closing marks by bisection, in linear
time. Code in fences or backticks stays unchanged.
"""

# ruff: noqa: RUF001

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from ..domain.records import Role
from ..infra.lru_cache import memoize
from .prompt_fence import HEADS

_TAG = r"(?:think|thinking|thought|reasoning|reflection)"
_REASONING_BLOCKS = (
    re.compile(rf"<{_TAG}>.*?(?:</{_TAG}>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"\[THINK\].*?(?:\[/THINK\]|\Z)", re.DOTALL),
    re.compile(r"◁think▷.*?(?:◁/think▷|\Z)", re.DOTALL),
    re.compile(
        r"<\|channel\|>(?:analysis|commentary).*?(?:<\|end\|>|(?=<\|channel\|>final)|\Z)", re.DOTALL
    ),
    # If the template opens the thought, the answer holds only its end.
    re.compile(rf"\A.*(?:</{_TAG}>|\[/THINK\]|◁/think▷)", re.DOTALL | re.IGNORECASE),
)
# The markers around a final answer, of harmony and of Gemma.
_ANSWER_MARKERS = re.compile(
    r"<\|start\|>\w*|<\|channel\|>\s*final|<\|message\|>|<\|(?:end|return)\|>|<end_of_turn>"
)
OPENING = "(No language model is configured. I looked through our past talks.)"
OPENING_ZH = "（没有配置语言模型，我翻了翻我们以前的对话。）"
ALSO, ALSO_ZH = "I also remember: ", "我还记得："
_HINTS_ZH = (OPENING_ZH, "记得", "記得")
_LEAD = re.compile(
    r"""\s{0,9}[*_#>]{0,3}\s{0,3}
    (?:(?:I\ also\ remember|我[还還][记記]得)[*_]{0,3}\s{0,3}[:：]
      |(?:(?:here(?:['’]s|\ is|\ are)|this\ is)\ (?:(?:all|everything|the\ things|what|that)\ ){1,2}
          I(?:['’]ve)?\ (?:can\ |do\ |still\ )?remember(?:ed)?\b
        |(?:以下是|[这這]是|[这這]些是)我(?:所|[还還])?[记記]得的)
       (?:[^\n:：]{0,60}[:：]|[.。]?[*_]{0,3}\s{0,9}$))""",
    re.IGNORECASE | re.VERBOSE,
)
_ITEM = re.compile(r"\s*(?:[-*•–·]\s|\d{1,3}[.)、]|\(\d)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


def without_reasoning(answer: str) -> str:
    """Returns the answer without its reasoning and without the markers of channels.

    An answer that breaks off while the model still reasons is empty.
    """
    for reasoning in _REASONING_BLOCKS:
        answer = reasoning.sub("", answer)
    return _ANSWER_MARKERS.sub("", answer)


def strip_recited_memories(text: str) -> str:
    """Returns an answer without recited memories, stripped of blanks at both ends."""
    has_hint = "remember" in text or OPENING in text
    if not has_hint and (text.isascii() or not any(hint in text for hint in _HINTS_ZH)):
        return text
    for opening in (OPENING, OPENING_ZH):
        text = text.partition(opening)[0]
    paragraphs: list[str] = []
    is_listing = False
    for paragraph in _PARAGRAPH.split(text):
        lines = paragraph.split("\n")
        lead = next((index for index, line in enumerate(lines) if _LEAD.match(line)), None)
        if lead is not None:
            paragraphs += ["\n".join(lines[:lead])] if lead else []
            is_listing = True
        elif not (is_listing and _ITEM.match(paragraph)):
            paragraphs.append(paragraph)
            is_listing = False
    return "\n\n".join(paragraphs).strip()


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
MEDIA_MARK = "<__media__>"  # the host writes it in place of a picture from the API
_PIPE = "[|\uff5c]"


class Unclosed(Enum):
    """Extent of a block without a closing mark."""

    REST_OF_OWN_LINE = auto()  # the rest of the text, if the mark begins its line
    REST = auto()
    MARK = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A removed block, from an opening mark to the closing mark `close` (a pattern)."""

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
# A search for these first characters is five times as fast as for whole marks.
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
    rf"|{MEDIA_MARK}|<{_PIPE}/?tool[^<>\s]{{0,60}}>|<tool_\w{{1,20}}\|>)",
    re.IGNORECASE,
)
_OWN_MARK = re.compile(
    rf"{_CODE}|{_PLAYER}|(?=(?-i:{HEADS}))<(?P<tag>memories)>"
    rf"|(?P<void></(?:{_MEDIA})\s{{0,9}}>|{_PICTURE}|{MEDIA_MARK})",
    re.IGNORECASE,
)
_HARMLESS_BRACKETS = str.maketrans({"<": "\u2039", "[": "\uff3b"})


def clean_for_role(text: str, role: Role) -> str:
    return clean_user_message(text) if role is Role.USER else clean_answer(text)


def clean_answer(text: str) -> str:
    """Returns the model's message as its reader saw it, without recited memories.

    Cleaning the result again changes nothing.
    """
    bare = text.strip()
    return strip_recited_memories(_without_marks(text) if _may_hold_marks(bare) else bare)


def clean_user_message(text: str) -> str:
    """Returns a person's message without media and memory blocks.

    Cleaning the result again changes nothing.
    """
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
    # Only a deliberate attack nests marks so deep that cleaning produces new ones.
    return text.translate(_HARMLESS_BRACKETS).strip()


def _cut_once(text: str, marks: re.Pattern[str]) -> str:
    if not _may_hold_marks(text):
        return text.strip()
    bare = _MarkCutter(text, marks).text_without_marks().strip()
    return "" if bare == GREETING_MARK else bare


@dataclass(slots=True)
class _ClosingTags:
    """Positions of the closing marks of each kind, looked up once per text and kind."""

    text: str
    _positions: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)

    def end_of_next(self, close: str, position: int) -> int | None:
        """Returns the end of the first closing mark from `position` on, or None."""
        if close not in self._positions:
            spans = [match.span() for match in re.finditer(close, self.text, re.IGNORECASE)]
            self._positions[close] = [start for start, _ in spans], [end for _, end in spans]
        starts, ends = self._positions[close]
        first = bisect_left(starts, position)
        return ends[first] if first < len(starts) else None


class _MarkCutter:
    """Walks over one text and removes its marks and blocks."""

    def __init__(self, text: str, marks: re.Pattern[str]) -> None:
        self.text = text
        self._marks = marks
        self._closings = _ClosingTags(text)
        self._pieces: list[str] = []
        self._position = 0  # everything before is done
        self._was_cut = False

    def text_without_marks(self) -> str:
        mark = self._next(0)
        while mark is not None:
            self._handle_mark(mark)
            mark = self._next(max(mark.end(), self._position))
        self._keep(len(self.text))
        return "".join(self._pieces)

    def _next(self, position: int) -> re.Match[str] | None:
        """Returns the first mark from `position` on.

        The plain word "thought" is a mark only at the beginning of the text or after a cut.
        """
        if (position == 0 or self._was_cut) and position == self._position:
            mark = self._marks.match(self.text, position)
            if mark is not None:
                return mark
        for start in _START.finditer(self.text, position):
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
        # Between blanks, the mark is a word in a sentence about such marks.
        around = self.text[mark.start() - 1 : mark.start()], self.text[mark.end() : mark.end() + 1]
        if around != (" ", " "):
            self._pieces.clear()
            self._position, self._was_cut = mark.end(), True

    def _skip_code(self, mark: re.Match[str]) -> None:
        """Keeps a code block. An unclosed one ends with the text, unless it is within reasoning."""
        end = self._closings.end_of_next("`{3,}", mark.end())
        if end is not None:
            self._keep(end)
        elif self._end_of_reasoning(mark.end()) is None:
            self._keep(len(self.text))

    def _end_of_reasoning(self, start: int) -> int | None:
        return self._closings.end_of_next(rf"</(?:{_REASONING})\s{{0,9}}>|(?-i:\[/THINK\])", start)

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
        """Returns True if only blanks precede `start` in its line or since the last cut."""
        first = self._position if self._was_cut else 0
        low = max(first, start - _INDENT)
        before = self.text[low:start].rstrip(" \t")
        return before.endswith("\n") or (not before and low == first)

    def _keep(self, end: int) -> None:
        piece = self.text[self._position : end]
        if self._was_cut:
            piece = self._joined(piece)
        if piece:
            self._pieces.append(piece)
            self._was_cut = False
        self._position = max(self._position, end)

    def _joined(self, piece: str) -> str:
        """Merges the blanks on both sides of a cut into one gap."""
        words = piece.lstrip()
        gap = piece[: len(piece) - len(words)]
        if self._pieces:
            last = self._pieces.pop()
            stripped = last.rstrip()
            gap = last[len(stripped) :] + gap
            self._pieces.append(stripped)
        return (min(gap.count("\n"), 2) * "\n" or gap[:1]) + words

    def _cut(self, start: int, end: int) -> None:
        self._keep(start)
        self._position, self._was_cut = end, True


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

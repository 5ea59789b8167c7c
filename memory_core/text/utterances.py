"""Removes the speakers' names that a model writes before the lines of its answer, as in a script.

An answer with the lines "Mira: a" and "Mira: b" says a and b. In a later line "Ana: c" the model
invents Ana's reply, so that line is removed. The log keeps the text of the chat's file.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import lru_cache

from ..domain.records import Exchange, Role, Turn
from .names import CHAT_CHANNELS, replace_macros

_LONGEST_NAME = 100
_CODE = "```"
_LISTED = re.compile(r"\W{0,3}\w[^\n:：]{0,40}[:：]")  # "Ben: pears"
_INTRODUCES = (":", "：")


class _Speaker(Enum):
    SELF = auto()
    OTHER = auto()
    NOBODY = auto()


def without_speaker_labels(exchange: Exchange) -> Exchange:
    """Returns the exchange for storage as a memory, or the same object if nothing changes."""
    shown = replace_macros(exchange)
    own, other = shown.assistant_name.strip(), shown.user_name.strip()
    if shown.channel not in CHAT_CHANNELS or not 0 < len(own) <= _LONGEST_NAME:
        return shown
    answer = without_speaker_names(shown.assistant, own, other)
    turns = tuple(_turn(turn, own, other) for turn in shown.turns)
    if (answer, turns) == (shown.assistant, shown.turns):
        return shown
    return replace(shown, assistant=answer, turns=turns)


def without_speaker_names(text: str, own: str, other: str) -> str:
    """Removes the name `own` before lines, and the lines of `other` at the end of the text.

    If both speak in turns, only the first name is removed; the others show who speaks.
    Code and lists of names stay unchanged.
    """
    if own not in text and not (other and other in text):
        return text
    lines = text.split("\n")
    speakers = list(_speakers(lines, own, other))
    end = _end(lines, speakers)
    lines, speakers = lines[:end], speakers[:end]
    both = _Speaker.OTHER in speakers
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    bare = [
        _without_names(line, own, other)
        if speaker is _Speaker.SELF and (index == first or not both)
        else line
        for index, (line, speaker) in enumerate(zip(lines, speakers, strict=True))
    ]
    return "\n".join(bare).strip() or text if bare != lines or end < len(text) else text


def _without_names(line: str, own: str, other: str) -> str:
    """Removes the name before a line, and within it: "Mira: a Mira: b" says a and b.

    If the other speaks within the line, too, the names within it stay to show who speaks.
    """
    rest = _prefix(own).sub("", line, count=1)
    if other and _within(other).search(rest):
        return rest
    return _within(own).sub("", rest)


def _turn(turn: Turn, own: str, other: str) -> Turn:
    if turn.role is not Role.ASSISTANT:
        return turn
    return replace(turn, text=without_speaker_names(turn.text, own, other))


def _speakers(lines: Sequence[str], own: str, other: str) -> Iterator[_Speaker]:
    """Yields the speaker named before each line, NOBODY within code."""
    in_code = False
    for line in lines:
        in_code ^= line.lstrip().startswith(_CODE)
        if in_code:
            yield _Speaker.NOBODY
        elif _prefix(own).match(line):
            yield _Speaker.SELF
        else:
            is_other = bool(other) and _prefix(other).match(line) is not None
            yield _Speaker.OTHER if is_other else _Speaker.NOBODY


def _end(lines: Sequence[str], speakers: Sequence[_Speaker]) -> int:
    """Returns the number of lines before the final lines of the other speaker."""
    own_lines = (index for index, who in enumerate(speakers) if who is _Speaker.SELF)
    rest = range(max(own_lines, default=-1) + 1, len(lines))
    start = next((index for index in rest if speakers[index] is _Speaker.OTHER), len(lines))
    earlier = range(start - 1, -1, -1)
    before = next((index for index in earlier if lines[index].strip()), None)
    if before is None or lines[before].rstrip().endswith(_INTRODUCES):
        return len(lines)
    is_listed = speakers[before] is _Speaker.NOBODY and _LISTED.match(lines[before])
    return len(lines) if is_listed else start


@lru_cache(maxsize=64)
def _prefix(name: str) -> re.Pattern[str]:
    """Matches the name and a colon at the beginning of a line, also in bold or italics."""
    return re.compile(rf"[ \t]{{0,20}}{_label(name)}")


@lru_cache(maxsize=64)
def _within(name: str) -> re.Pattern[str]:
    """Matches the name and a colon after a blank."""
    return re.compile(rf"(?<=[ \t]){_label(name)}")


def _label(name: str) -> str:
    colon = r"[ \t]?[:：]"
    marked = rf"(?P<mark>\*\*|__|\*|_){re.escape(name)}(?:(?P=mark){colon}|{colon}(?P=mark))"
    return rf"(?:{re.escape(name)}{colon}|{marked})(?![/\d])[ \t]*"

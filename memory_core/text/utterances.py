"""Removes the names that a model writes before the lines of its answer, as in a script.

An answer with the lines "Mira: a" and "Mira: b" says a and b. In an "Ana: c" behind them the model
guesses Ana's reply, which nobody said. The transcript keeps the text of the chat's file, as with
macros.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import lru_cache

from ..domain.records import Exchange, Role, Turn
from .macros import CHAT_CHANNELS, replace_macros

_LONGEST_NAME = 100
_CODE = "```"
_LISTED = re.compile(r"\W{0,3}\w[^\n:：]{0,40}[:：]")  # "Ben: pears"
_INTRODUCES = (":", "：")


class _Speaker(Enum):
    SELF = auto()
    OTHER = auto()
    NOBODY = auto()


def without_speaker_labels(exchange: Exchange) -> Exchange:
    """What a chat's file says as a memory of it; the very same where nothing has to be changed."""
    shown = replace_macros(exchange)
    own, other = shown.assistant_name.strip(), shown.user_name.strip()
    if shown.channel not in CHAT_CHANNELS or not 0 < len(own) <= _LONGEST_NAME:
        return shown
    answer = without_speaker_names(shown.assistant, own, other)
    turns = tuple(_turn(it, own, other) for it in shown.turns)
    if (answer, turns) == (shown.assistant, shown.turns):
        return shown
    return replace(shown, assistant=answer, turns=turns)


def without_speaker_names(text: str, own: str, other: str) -> str:
    """The text of `own` without that name before its lines, nor what `other` says at its end.

    Where both speak by turns, only the first name goes: the others tell who says what. So nothing
    is left out of code, nor of a list of names.
    """
    if own not in text and not (other and other in text):
        return text
    lines = text.split("\n")
    speakers = list(_speakers(lines, own, other))
    end = _end(lines, speakers)
    lines, speakers = lines[:end], speakers[:end]
    both = _Speaker.OTHER in speakers
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    bare = [
        _prefix(own).sub("", line, count=1)
        if speaker is _Speaker.SELF and (at == first or not both)
        else line
        for at, (line, speaker) in enumerate(zip(lines, speakers, strict=True))
    ]
    return "\n".join(bare).strip() or text if bare != lines or end < len(text) else text


def _turn(turn: Turn, own: str, other: str) -> Turn:
    if turn.role is not Role.ASSISTANT:
        return turn
    return replace(turn, text=without_speaker_names(turn.text, own, other))


def _speakers(lines: Sequence[str], own: str, other: str) -> Iterator[_Speaker]:
    """Who is named before each line; nobody within code."""
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
    """Where the last words of `own` end: behind them the other speaks, and nobody else."""
    own_until = max((at for at, it in enumerate(speakers) if it is _Speaker.SELF), default=-1)
    rest = range(own_until + 1, len(lines))
    start = next((at for at in rest if speakers[at] is _Speaker.OTHER), len(lines))
    before = next((at for at in range(start - 1, -1, -1) if lines[at].strip()), None)
    if before is None or lines[before].rstrip().endswith(_INTRODUCES):
        return len(lines)
    is_listed = speakers[before] is _Speaker.NOBODY and _LISTED.match(lines[before])
    return len(lines) if is_listed else start


@lru_cache(maxsize=64)
def _prefix(name: str) -> re.Pattern[str]:
    """The name and a colon at a line's beginning, also in bold or italics."""
    colon = r"[ \t]?[:：]"
    marked = rf"(?P<mark>\*\*|__|\*|_){re.escape(name)}(?:(?P=mark){colon}|{colon}(?P=mark))"
    return re.compile(rf"[ \t]{{0,20}}(?:{re.escape(name)}{colon}|{marked})(?![/\d])[ \t]*")

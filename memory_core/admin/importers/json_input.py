"""JSON of unknown making: parsed piece by piece, and looked at without trusting its shape."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...domain.errors import ImportFailed
from ...infra.unicode import well_formed
from .base import AGAIN, refused
from .text_input import letters, lines

# In letters. What is parsed takes about four times as many bytes.
LARGEST_ELEMENT = 64 * 2**20
LARGEST_WHOLE = 128 * 2**20

# An error nearer to the end than the longest token may be the end's own doing.
_TOKEN = 16
_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def parsed(text: str, where: Path | str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise _not_json(where, exc) from exc


def _not_json(where: Path | str, exc: Exception) -> ImportFailed:
    if isinstance(exc, RecursionError):
        return refused(where, "is nested too deeply", "No chat looks like this; leave it out")
    return refused(where, f"is no JSON ({exc})", AGAIN)


def whole(path: Path) -> Any:  # noqa: ANN401
    """All of a small file at once."""
    if path.is_file() and path.stat().st_size > LARGEST_WHOLE:
        what = f"is larger than {LARGEST_WHOLE >> 20} MB"
        raise refused(path, what, "Export it in parts")
    return parsed("".join(letters(path)), path)


def objects(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(line number, object) for every line of a JSONL file that is not blank."""
    for number, line in lines(letters(path), path):
        if line.strip():
            where = f"{path}, line {number}"
            value = parsed(line, where)
            if not isinstance(value, dict):
                raise refused(where, "is no JSON object", AGAIN)
            yield number, value


def elements(pieces: Iterable[str], where: Path | str) -> Iterator[Mapping[str, Any]]:
    """The objects of an array, one at a time; or the one object that is not in an array."""
    stream = _Stream(pieces, where)
    if stream.peek() == "{":
        yield stream.take()
    else:
        stream.expect("[")
        while stream.peek() != "]":
            yield stream.take()
            if stream.peek() != "]":
                stream.expect(",")
        stream.expect("]")
    if stream.peek():
        raise refused(where, f"goes on after its end (letter {stream.position})", AGAIN)


class _Stream:
    """Letters that come in pieces. An object is tried anew with twice as many letters until it
    parses: that costs no more than parsing it three times, and needs no parser of our own.
    """

    def __init__(self, pieces: Iterable[str], where: Path | str) -> None:
        self._pieces = iter(pieces)
        self._where = where
        self._text = ""
        self._at = 0
        self._before = 0

    @property
    def position(self) -> int:
        return self._before + self._at

    def peek(self) -> str:
        """The next letter that is no blank; empty at the end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(1):
                return ""

    def expect(self, letter: str) -> None:
        found = self.peek()
        if found != letter:
            raise self._unexpected(found, letter)
        self._at += 1

    def take(self) -> Mapping[str, Any]:
        """The object that begins here."""
        found = self.peek()
        if found != "{":
            raise self._unexpected(found, "{")
        while True:
            tried = len(self._text) - self._at
            try:
                value, self._at = _DECODER.raw_decode(self._text, self._at)
                return dict(value)
            except json.JSONDecodeError as exc:
                if not self._cut_off(exc):
                    raise self._broken(exc) from exc
            except (ValueError, RecursionError) as exc:
                raise _not_json(self._here, exc) from exc
            self._grow(tried)

    def _grow(self, tried: int) -> None:
        if tried > LARGEST_ELEMENT:
            what = f"an object is larger than {LARGEST_ELEMENT >> 20} million letters"
            raise refused(self._here, what, "It is not a chat's; take it out and try again")
        if not self._more(tried):
            raise self._unexpected("", "}")

    def _more(self, wanted: int) -> bool:
        """Reads at least so many letters, if there are any."""
        parts, got = [self._text[self._at :]], 0
        for piece in self._pieces:
            parts.append(piece)
            got += len(piece)
            if got >= wanted:
                break
        self._before += self._at
        self._text, self._at = "".join(parts), 0
        return got > 0

    def _cut_off(self, exc: json.JSONDecodeError) -> bool:
        """Whether more letters could mend it."""
        return exc.msg.startswith("Unterminated string") or exc.pos > len(self._text) - _TOKEN

    def _broken(self, exc: json.JSONDecodeError) -> ImportFailed:
        return refused(self._where, f"letter {self._before + exc.pos}: {exc.msg}", AGAIN)

    def _unexpected(self, found: str, wanted: str) -> ImportFailed:
        if not found:
            return refused(self._here, "the file ends too early: it is cut off", AGAIN)
        return refused(self._here, f"found {found!r} instead of {wanted!r}", AGAIN)

    @property
    def _here(self) -> str:
        return f"{self._where}, letter {self.position}"


def text_of(value: object) -> str:
    """A text or a number as text; empty for anything else."""
    if isinstance(value, str):
        return value if value.isascii() else well_formed(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else ""


def object_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()

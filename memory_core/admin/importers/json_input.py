"""Parses JSON of unknown origin in pieces, and reads it without trusting its shape."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...domain.errors import ImportFailed
from ...domain.unicode import well_formed
from .base import RETRY_ADVICE, import_error
from .text_input import read_text, split_lines

# In characters. Parsed objects take about four times as many bytes.
MAX_ELEMENT_BYTES = 64 * 2**20
MAX_WHOLE_BYTES = 128 * 2**20

# An error nearer to the end than the longest token may come from a token that is cut off there.
_MAX_TOKEN_CHARS = 16
_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def parse_json(text: str, where: Path | str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise _json_error(where, exc) from exc


def _json_error(where: Path | str, exc: Exception) -> ImportFailed:
    if isinstance(exc, RecursionError):
        return import_error(where, "is nested too deeply", "No chat looks like this; leave it out")
    return import_error(where, f"is no JSON ({exc})", RETRY_ADVICE)


def read_json(path: Path) -> Any:  # noqa: ANN401
    """Returns the JSON value of a small file. Raises ImportFailed."""
    if path.is_file() and path.stat().st_size > MAX_WHOLE_BYTES:
        what = f"is larger than {MAX_WHOLE_BYTES >> 20} MB"
        raise import_error(path, what, "Export it in parts")
    return parse_json("".join(read_text(path)), path)


def read_json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields (line number, object) for every non-blank line of a JSONL file."""
    for number, line in split_lines(read_text(path), path):
        if line.strip():
            yield number, _parse_object(line, f"{path}, line {number}")


def _parse_object(line: str, where: str) -> Mapping[str, Any]:
    value = parse_json(line, where)
    if not isinstance(value, dict):
        raise import_error(where, "is no JSON object", RETRY_ADVICE)
    return value


def read_whole_lines(path: Path, torn: list[int]) -> Iterator[Mapping[str, Any]]:
    """Yields the objects of a JSONL file whose program itself passes over torn lines.

    Adds the numbers of lines that are no JSON object to `torn`. Raises ImportFailed if all are.
    """
    is_any_whole, failure = False, None
    for number, line in split_lines(read_text(path), path):
        if not line.strip():
            continue
        try:
            value = _parse_object(line, f"{path}, line {number}")
        except ImportFailed as exc:
            failure = failure or exc
            torn.append(number)
        else:
            is_any_whole = True
            yield value
    if failure and not is_any_whole:
        raise failure


def torn_lines_warning(path: Path, torn: Sequence[int]) -> str:
    """Returns a warning that names the torn lines, at least one."""
    first, *others = torn
    more = f" and {len(others)} more" if others else ""
    return f"{path}, line {first}{more}: no whole JSON object, so it is left out."


def iter_array_objects(pieces: Iterable[str], where: Path | str) -> Iterator[Mapping[str, Any]]:
    """Yields the objects of an array one by one, or a single object outside an array."""
    stream = _JsonStream(pieces, where)
    if stream.peek() == "{":
        yield stream.read_object()
    else:
        stream.expect("[")
        while stream.peek() != "]":
            yield stream.read_object()
            if stream.peek() != "]":
                stream.expect(",")
        stream.expect("]")
    if stream.peek():
        raise import_error(where, f"goes on after its end (letter {stream.position})", RETRY_ADVICE)


class _JsonStream:
    """Reads objects from text that comes in pieces.

    Retries an object with twice as much text until it parses. That costs no more than parsing it
    three times, and needs no parser of our own.
    """

    def __init__(self, pieces: Iterable[str], where: Path | str) -> None:
        self._pieces = iter(pieces)
        self._source = where
        self._text = ""
        self._index = 0
        self._consumed = 0

    @property
    def position(self) -> int:
        return self._consumed + self._index

    def peek(self) -> str:
        """Returns the next non-blank character; empty at the end."""
        while True:
            blank = _BLANK.match(self._text, self._index)
            self._index = blank.end() if blank else self._index
            if self._index < len(self._text):
                return self._text[self._index]
            if not self._fill_buffer(1):
                return ""

    def expect(self, letter: str) -> None:
        found = self.peek()
        if found != letter:
            raise self._unexpected_error(found, letter)
        self._index += 1

    def read_object(self) -> Mapping[str, Any]:
        """Reads the object that starts here."""
        found = self.peek()
        if found != "{":
            raise self._unexpected_error(found, "{")
        while True:
            tried = len(self._text) - self._index
            try:
                value, self._index = _DECODER.raw_decode(self._text, self._index)
                return dict(value)
            except json.JSONDecodeError as exc:
                if not self._is_truncated(exc):
                    raise self._syntax_error(exc) from exc
            except (ValueError, RecursionError) as exc:
                raise _json_error(self._location, exc) from exc
            self._extend_object(tried)

    def _extend_object(self, tried: int) -> None:
        if tried > MAX_ELEMENT_BYTES:
            what = f"an object is larger than {MAX_ELEMENT_BYTES >> 20} million letters"
            raise import_error(
                self._location, what, "It is not a chat's; take it out and try again"
            )
        if not self._fill_buffer(tried):
            raise self._unexpected_error("", "}")

    def _fill_buffer(self, wanted: int) -> bool:
        """Reads until `wanted` characters are buffered; returns False at the end of the input."""
        parts, got = [self._text[self._index :]], 0
        for piece in self._pieces:
            parts.append(piece)
            got += len(piece)
            if got >= wanted:
                break
        self._consumed += self._index
        self._text, self._index = "".join(parts), 0
        return got > 0

    def _is_truncated(self, exc: json.JSONDecodeError) -> bool:
        """Returns True if the error may come from text not read yet."""
        return (
            exc.msg.startswith("Unterminated string")
            or exc.pos > len(self._text) - _MAX_TOKEN_CHARS
        )

    def _syntax_error(self, exc: json.JSONDecodeError) -> ImportFailed:
        return import_error(
            self._source, f"letter {self._consumed + exc.pos}: {exc.msg}", RETRY_ADVICE
        )

    def _unexpected_error(self, found: str, wanted: str) -> ImportFailed:
        if not found:
            return import_error(
                self._location, "the file ends too early: it is cut off", RETRY_ADVICE
            )
        return import_error(self._location, f"found {found!r} instead of {wanted!r}", RETRY_ADVICE)

    @property
    def _location(self) -> str:
        return f"{self._source}, letter {self.position}"


def as_text(value: object) -> str:
    """Returns a text or a number as text, and an empty text for anything else."""
    if isinstance(value, str):
        return value if value.isascii() else well_formed(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else ""


def as_object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()

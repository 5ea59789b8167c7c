"""Searches every byte of a folder for words and vectors, as a thief of the disk would."""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memory_core.domain.records import Memory, content_key, side_key
from memory_core.providers.embedders.base import Vectors, unit
from memory_core.storage.index.catalog.rows import vector_ids_of

_LETTERS, _SIGNS = 5, 2  # a database may keep the end of a word apart from its beginning
_SLICE = 8  # numbers of a vector
_ALIKE = 0.9  # correlation
_GAP, _GAP_LEFT = re.compile(rb"\0{512,}"), 256  # zeros


class DenseEmbedder:
    """Makes vectors without zeros from a text's hash, so that pieces of them can be found."""

    name = "dense"
    dim = 128
    fingerprint = "dense:128"

    def embed(self, texts: Sequence[str]) -> Vectors:
        drawn = b"".join(hashlib.shake_128(text.encode()).digest(self.dim) for text in texts)
        return unit(np.frombuffer(drawn, dtype=np.int8).reshape(-1, self.dim).astype(np.float32))

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        return np.asarray(self.embed([text])[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    what: str
    data: bytes

    @property
    def is_lower(self) -> bool:
        return self.data == self.data.lower()


def words_needles(words: Sequence[str]) -> list[Needle]:
    """Returns pieces of these words in every encoding, in lower case."""
    found = []
    for word in words:
        size = _LETTERS if word.isascii() else _SIGNS
        for start in range(len(word) - size + 1):
            piece = word[start : start + size].casefold()
            found += [Needle(what=f"{word}: {piece}", data=it) for it in _encoded(piece)]
    return found


def _encoded(piece: str) -> list[bytes]:
    forms = {piece.encode(), piece.encode("utf-16-le"), piece.encode("utf-16-be")}
    return sorted(forms | {json.dumps(piece)[1:-1].encode().lower()})


def memory_needles(memory: Memory) -> list[Needle]:
    """Returns byte patterns of a text's hashes and vectors, by which a guess could be checked."""
    user, assistant = memory.sides
    hashes = [memory.key, content_key(user, assistant)]
    hashes += [side_key(side) for side in (user, assistant) if side]
    found = [Needle(what="a hash of the words", data=digest.encode()) for digest in hashes]
    for number in vector_ids_of(memory):
        forms = (number.to_bytes(8, order) for order in ("little", "big"))
        found += [Needle(what="a vector's id", data=form) for form in forms]
    texts = [side for side in (user, assistant) if side.strip()]
    return [*found, *vector_needles(DenseEmbedder().embed(texts))]


def vector_needles(rows: Vectors) -> list[Needle]:
    found = []
    for kind in (np.float16, np.float32):
        for row in rows.astype(kind):
            pieces = (row[start : start + _SLICE].tobytes() for start in range(0, len(row), _SLICE))
            found += [Needle(what=f"a vector ({kind.__name__})", data=piece) for piece in pieces]
    return found


def likenesses(folder: Path, rows: Vectors) -> list[str]:
    """Files with bytes that rise and fall as one of these rows does: a byte for each number.

    By chance that happens with none of a million places.
    """
    shapes = [unit(row - row.mean()) for row in rows]
    return [
        f"{name}: a vector in bytes"
        for name, data in _all(folder)
        if _likest(data, shapes) > _ALIKE
    ]


def _likest(data: bytes, shapes: Sequence[Vectors]) -> float:
    """Returns the greatest correlation of any stretch of the data with one of the shapes."""
    values, size = np.frombuffer(data, dtype=np.uint8).astype(np.float64), DenseEmbedder.dim
    if len(values) < size:
        return 0.0
    sums = np.concatenate([[0.0], values.cumsum()])
    squares = np.concatenate([[0.0], (values**2).cumsum()])
    spread = squares[size:] - squares[:-size] - (sums[size:] - sums[:-size]) ** 2 / size
    scale = np.sqrt(np.maximum(spread, 1.0))
    products = (np.correlate(values, shape, mode="valid") for shape in shapes)
    return max((float((product / scale).max()) for product in products), default=0.0)


def holding(folder: Path, data: bytes) -> list[str]:
    """Returns the names of the files that contain these bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(file.name for file in files if data in file.read_bytes())


def leaks(folder: Path, needles: Sequence[Needle]) -> list[str]:
    """Returns the patterns found with their files, also with other capitals; looks into zip files
    too.
    """
    in_lower = [needle for needle in needles if needle.is_lower]
    as_written = [needle for needle in needles if not needle.is_lower]
    found: set[str] = set()
    for name, data in _all(folder):
        lower = data.lower()
        found |= {f"{name}: {needle.what}" for needle in in_lower if needle.data in lower}
        found |= {f"{name}: {needle.what}" for needle in as_written if needle.data in data}
    return sorted(found)


def _all(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yields what is written: names and bytes, with long gaps of zeros shortened.

    Half of a small database is zeros. What remains is longer than anything that is searched for.
    """
    for name, data in _all_bytes(folder):
        yield name, _GAP.sub(bytes(_GAP_LEFT), data)


def _all_bytes(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        yield name, name.encode()
        if path.is_file():
            yield name, path.read_bytes()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                yield from (
                    (f"{name}/{member}", archive.read(member)) for member in archive.namelist()
                )

"""Reads ltm_config.json and writes changes into it without losing order, comments or other keys."""

import json
import os
import re
import stat
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ..domain.errors import ConfigError
from ..infra import durable_files, regular_files

SECRET_NAME = re.compile("key|token(?!s)|secret|password|dsn", re.IGNORECASE)
_COMMENT = ("$", "//")
_MAX_LEVELS = 64
_HINTS = (
    (re.compile(r"[}\]]|,\s*[}\]]"), "remove the comma before it"),
    (re.compile(r"//|/\*|#"), 'write a comment as an entry named "//"'),
    (re.compile(r"'"), 'put names and texts in "double quotes"'),
    (re.compile(r"[“”„«\u2018\u2019]"), "use straight quotation marks"),
    (re.compile(r"True|False|None"), "write true, false or null in small letters"),
    (re.compile(r"$"), "a closing bracket is missing at the end"),
)
_HINTS_BY_FAULT = {
    "Expecting ',' delimiter": "is a comma missing before it?",
    "Unterminated string starting at": "its closing quotation mark is missing",
    "Invalid \\escape": r"write each \ of a path twice, or use / instead",
}
_rewriting = threading.Lock()


@dataclass(slots=True)
class OrderedJsonObject:
    """A JSON object as written: in order, with its comments and duplicate keys."""

    pairs: list[tuple[str, Any]]

    def entries(self) -> dict[str, Any]:
        """Returns the values by key, without comments. The last of duplicate keys wins."""
        return {name: value for name, value in self.pairs if not name.startswith(_COMMENT)}

    def duplicate_names(self) -> list[str]:
        counts = Counter(name for name, _ in self.pairs if not name.startswith(_COMMENT))
        return [name for name, times in counts.items() if times > 1]

    def set_entry(self, name: str, value: object) -> None:
        """Changes the last entry of that name in its place, or adds one at the end."""
        positions = [index for index, (known, _) in enumerate(self.pairs) if known == name]
        if positions:
            self.pairs[positions[-1]] = (name, value)
        else:
            self.pairs.append((name, value))


def parse(data: bytes) -> OrderedJsonObject:
    """Returns the file's object. Raises ConfigError with the position of the fault.

    Reads UTF-8, UTF-16 and UTF-32, with or without a byte order mark, as Windows editors write.
    """
    try:
        root = json.loads(data, object_pairs_hook=OrderedJsonObject)
    except json.JSONDecodeError as exc:
        place = f"line {exc.lineno}, column {exc.colno}"
        hint = _hint(exc)
        raise ConfigError(f"{place} ({hint})" if hint else f"{place}: {exc.msg}") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"byte {exc.start} is not UTF-8 text") from exc
    except RecursionError as exc:
        raise ConfigError("it is nested too deeply") from exc
    except ValueError as exc:
        raise ConfigError(str(exc)) from exc
    if not isinstance(root, OrderedJsonObject):
        raise ConfigError('it must be an object: { "section": { "key": value } }')
    return root


def _is_too_deep(root: OrderedJsonObject) -> bool:
    """Returns True if the object has more levels than can be written back."""
    level: list[object] = [root]
    for _ in range(_MAX_LEVELS):
        level = [child for value in level for child in _children(value)]
    return bool(level)


def _children(value: object) -> Iterable[object]:
    if isinstance(value, OrderedJsonObject):
        return (item for _, item in value.pairs)
    return value if isinstance(value, list) else ()


def _hint(exc: json.JSONDecodeError) -> str:
    """Returns advice for a common mistake at the fault's position, or ""."""
    rest = exc.doc[exc.pos :].lstrip()
    if not exc.doc.strip():
        return "the file is empty, so delete it"
    found = next((hint for pattern, hint in _HINTS if pattern.match(rest)), "")
    return found or _HINTS_BY_FAULT.get(exc.msg, "")


def render(root: OrderedJsonObject) -> bytes:
    """Returns the file's content, indented by two spaces. `parse` reads it back as `root`."""
    return (_text(root, "\n") + "\n").encode("utf-8", "surrogatepass")


def rewrite(path: Path, changes: Mapping[str, object]) -> None:
    """Sets values by dotted key, all or none of them, and leaves the rest of the file unchanged.

    A file that gets a secret, such as an API key, is closed to other accounts of the machine.
    If a section is not an object, the file is first copied to `<its name>.broken-<n>`. Raises
    ConfigError for broken JSON, because rewriting it would lose its author's words.
    """
    with _rewriting:
        _rewrite(Path(os.path.realpath(path)), changes)


def _rewrite(path: Path, changes: Mapping[str, object]) -> None:
    with durable_files.naming_errors(path):
        old = regular_files.read_regular_file(path) if path.exists() else b"{}"
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else durable_files.FILE_MODE
    if any(value and SECRET_NAME.search(key) for key, value in changes.items()):
        mode &= ~stat.S_IRWXO
    root = _readable(old, path)
    if not _can_hold_key(root, changes):
        durable_files.replace(_free_name(path), old, mode=mode)
    for key, value in changes.items():
        _put(root, key, value)
    durable_files.replace(path, render(root), mode=mode)


def _readable(data: bytes, path: Path) -> OrderedJsonObject:
    try:
        root = parse(data)
        if _is_too_deep(root):
            raise ConfigError("it is nested too deeply")
        return root
    except ConfigError as exc:
        message = f"nothing was saved, because {path} is broken: {exc}. Repair the file first."
        raise ConfigError(message) from exc


def _can_hold_key(root: OrderedJsonObject, keys: Iterable[str]) -> bool:
    entries = root.entries()
    wanted = {key.partition(".")[0] for key in keys if "." in key} & entries.keys()
    return all(isinstance(entries[section], OrderedJsonObject) for section in wanted)


def _free_name(path: Path) -> Path:
    taken = set(os.listdir(path.parent))
    numbered = (f"{path.name}.broken-{number}" for number in count(1))
    return path.with_name(next(name for name in numbered if name not in taken))


def _put(root: OrderedJsonObject, key: str, value: object) -> None:
    section, _, leaf = key.rpartition(".")
    if not section:
        root.set_entry(leaf, value)
        return
    # The section's entry would win over a key written with its dot.
    root.pairs = [(name, old) for name, old in root.pairs if name != key]
    old_section = root.entries().get(section)
    inner = old_section if isinstance(old_section, OrderedJsonObject) else OrderedJsonObject([])
    inner.set_entry(leaf, value)
    root.set_entry(section, inner)


def _text(value: object, newline: str) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_text(item, newline) for item in value) + "]"
    if not isinstance(value, OrderedJsonObject):
        return json.dumps(value, ensure_ascii=False)
    deeper = newline + "  "
    rows = [f"{_text(name, newline)}: {_text(item, deeper)}" for name, item in value.pairs]
    return "{" + deeper + ("," + deeper).join(rows) + newline + "}" if rows else "{}"

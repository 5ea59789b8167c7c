"""ltm_config.json as text: reads what people write there, and writes it back without losing any."""

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

_COMMENT = ("$", "//")
_MAX_LEVELS = 64
_HINTS = (
    (re.compile(r"[}\]]|,\s*[}\]]"), "is there a comma too many before the end?"),
    (re.compile(r"//|/\*|#"), 'a comment is an entry of its own: "//": "…"'),
    (re.compile(r"'"), 'names and texts stand in "double quotes"'),
    (re.compile(r"True|False|None"), "it is true, false or null, in small letters"),
)
_rewriting = threading.Lock()


@dataclass(slots=True)
class OrderedJsonObject:
    """An object as it was written: in order, with comments, and with what is there twice."""

    pairs: list[tuple[str, Any]]

    def entries(self) -> dict[str, Any]:
        """Without comments; of what is there twice, the last."""
        return {name: value for name, value in self.pairs if not name.startswith(_COMMENT)}

    def duplicate_names(self) -> list[str]:
        counts = Counter(name for name, _ in self.pairs if not name.startswith(_COMMENT))
        return [name for name, times in counts.items() if times > 1]

    def set_entry(self, name: str, value: object) -> None:
        """Changes the entry that counts, in its place, or adds one at the end."""
        places = [index for index, (known, _) in enumerate(self.pairs) if known == name]
        if places:
            self.pairs[places[-1]] = (name, value)
        else:
            self.pairs.append((name, value))


def parse(data: bytes) -> OrderedJsonObject:
    """The file's object. Raises ConfigError that says where it is broken.

    UTF-8, UTF-16 and a byte order mark are all read: Windows' editors write them.
    """
    try:
        root = json.loads(data, object_pairs_hook=OrderedJsonObject)
    except json.JSONDecodeError as exc:
        told = f"line {exc.lineno}, column {exc.colno}: {exc.msg}{_hint(exc)}"
        raise ConfigError(told) from exc
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
    """Returns whether it has more levels than can be written back."""
    level: list[object] = [root]
    for _ in range(_MAX_LEVELS):
        level = [inside for value in level for inside in _inside(value)]
    return bool(level)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, OrderedJsonObject):
        return (item for _, item in value.pairs)
    return value if isinstance(value, list) else ()


def _hint(exc: json.JSONDecodeError) -> str:
    """What people write there instead of JSON, and what it should be."""
    found = exc.doc[exc.pos :].lstrip()
    if not exc.doc.strip():
        return " (the file is empty: delete it, or write {} into it)"
    return next((f" ({hint})" for begin, hint in _HINTS if begin.match(found)), "")


def render(root: OrderedJsonObject) -> bytes:
    """The file's content, indented by two blanks; `parse` of it gives `root` again."""
    return (_text(root, "\n") + "\n").encode("utf-8", "surrogatepass")


def rewrite(path: Path, changes: Mapping[str, object]) -> None:
    """Puts values under dotted keys, at once or not at all, and keeps the rest as it is.

    What has no room for them (no object where a section belongs) is first copied to
    `<the file's name>.broken-<n>`. Raises ConfigError for broken JSON: whoever wrote it has meant
    something by it, and would find it gone.
    """
    with _rewriting:
        _rewrite(Path(os.path.realpath(path)), changes)


def _rewrite(path: Path, changes: Mapping[str, object]) -> None:
    with durable_files.naming_errors(path):
        old = regular_files.read_regular_file(path) if path.exists() else b"{}"
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else durable_files.FILE_MODE
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
        told = f"nothing is saved, since {path} is broken: {exc}. Mend it first."
        raise ConfigError(told) from exc


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
    root.pairs = [(name, old) for name, old in root.pairs if name != key]  # it would be in vain
    found = root.entries().get(section)
    inner = found if isinstance(found, OrderedJsonObject) else OrderedJsonObject([])
    inner.set_entry(leaf, value)
    root.set_entry(section, inner)


def _text(value: object, line: str) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_text(item, line) for item in value) + "]"
    if not isinstance(value, OrderedJsonObject):
        return json.dumps(value, ensure_ascii=False)
    deeper = line + "  "
    rows = [f"{_text(name, line)}: {_text(item, deeper)}" for name, item in value.pairs]
    return "{" + deeper + ("," + deeper).join(rows) + line + "}" if rows else "{}"

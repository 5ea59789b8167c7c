"""Each layer of the configuration is laid over the ones before; what is wrong becomes a Problem."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domain.errors import ConfigError, StorageFailed
from ..infra import durable_files, regular_files
from ..infra.redaction import HIDDEN, redact
from .fields import (
    ENVIRONMENT_NAMES,
    ENVIRONMENT_PREFIX,
    FLAT_NAMES,
    FOREIGN_NAMES,
    Knob,
    by_leaf,
    knobs,
    nearest,
    nested,
    sections,
)
from .json_file import JsonObject, parse
from .schema import Settings

_API_KEYS = ("llm.api_key", "embedder.api_key")
_HOST = "settings.yaml"
_CAUTIOUS = {"ltm_writes.enabled": False, "embedder.kind": "none"}
_OF_THE_SCRIPT = frozenset({"activate", "bias string", "display_name", "is_tab"})
_SECRET = re.compile("key|token(?!s)|secret|password", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"//[^/@\s]*@")
_QUERY_IN_URL = re.compile(r"(//[^\s\"?]*\?)[^\s\"]+")
_SHOWN_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `message` is a whole sentence; `value_shown` never a secret.

    `is_note`: nothing is wrong, as another program may need it; somebody should know all the same.
    """

    key: str
    value_shown: str
    message: str
    where: str
    is_note: bool = False


class Layers:
    """The values so far, and what was wrong on the way."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._values: dict[str, object] = {}

    def settings(self) -> Settings:
        return Settings.model_validate(nested(self._values))

    def add_file(self, path: Path, copy: Path | None = None) -> None:
        """`copy` is kept while the file can be read, and counts while it cannot."""
        try:
            data = regular_files.content(path)
            root = parse(data)
        except FileNotFoundError:
            if copy:
                drop(copy)
        except OSError as exc:
            self._add_last(path, f"{path} cannot be read: {exc.strerror or exc}", copy)
        except ConfigError as exc:
            self._add_last(path, f"{path} cannot be read: {exc}", copy)
        else:
            if copy:
                keep(copy, data)
            self._add_object(root, path.name)

    def _add_last(self, path: Path, told: str, copy: Path | None) -> None:
        """Defaults would write where somebody said no, and look for the memories elsewhere."""
        kept = last(copy) if copy else None
        if kept is None:
            self._values |= _CAUTIOUS
            told = f"{told}. Until it can be, nothing is written down, and no embedder is loaded."
        else:
            self._add_object(kept, path.name)
            told = f"{told}. Until it can be, the settings that it had before count."
        self._tell("", "", told, where=path.name)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        """The names of this extension after OpenPersistentMemory's: where both are, they win."""
        own = {knob.env: knob for knob in knobs().values()}
        for name, key in ENVIRONMENT_NAMES.items():
            self._add_text(name, environ.get(name, ""), knobs()[key])
        for name in sorted(environ):
            if name.startswith(ENVIRONMENT_PREFIX):
                self._add_text(name, environ[name], own.get(name))
        for name in filter(environ.get, FOREIGN_NAMES):
            self._note_foreign(name, environ[name])

    def add_host(self, host: Mapping[str, Any]) -> None:
        for name, value in host.items():
            if name not in _OF_THE_SCRIPT:
                self._add_from_host(str(name), value)

    def add_api_key(self, api_key: str) -> None:
        for key in _API_KEYS:
            if api_key and not self._values.get(key):
                self._values[key] = api_key

    def _add_object(self, root: JsonObject, where: str) -> None:
        self._tell_repeated(root, "", where)
        entries = root.entries()
        for name in sorted(entries, key=lambda name: "." not in name and name not in FLAT_NAMES):
            self._add_entry(name, entries[name], where)

    def _add_entry(self, name: str, value: object, where: str) -> None:
        if name not in sections():
            self._add_value(FLAT_NAMES.get(name, name), value, where)
        elif isinstance(value, JsonObject):
            self._tell_repeated(value, f"{name}.", where)
            for leaf, item in value.entries().items():
                self._add_value(f"{name}.{leaf}", item, where)
        else:
            shown = _shown_unknown(name, value)
            text = f"{where}: {name} = {shown} is not used: allowed is an object of settings."
            self._tell(name, shown, text, where=where)

    def _add_from_host(self, name: str, value: object) -> None:
        meant = by_leaf(name)
        if name in knobs() or not meant:
            self._add_value(name, value, _HOST)
        elif len(meant) == 1:
            self._add_value(meant[0].key, value, _HOST)
        else:
            shown, which = shown_value(name, value), " or ".join(knob.key for knob in meant)
            text = f"{_HOST}: {name} = {shown} is not used: write {which}."
            self._tell(name, shown, text, where=_HOST)

    def _add_value(self, key: str, value: object, where: str) -> None:
        knob = knobs().get(key)
        if knob is None:
            self._tell_unknown(key, value, where)
            return
        try:
            self._values[key] = knob.from_json(value)
        except ValueError:
            self._tell_bad(knob, value, where)

    def _add_text(self, name: str, text: str, knob: Knob | None) -> None:
        """An empty variable counts as not set: that is how compose files leave one out."""
        if not text:
            return
        if knob is None:
            self._tell_unknown(name, text, "environment")
            return
        try:
            self._values[knob.key] = knob.from_text(text)
        except ValueError:
            self._tell_bad(knob, text, f"environment, {name}")

    def _note_foreign(self, name: str, value: str) -> None:
        shown = shown_value(name, value)
        text = f"environment: {name} = {shown} is not used. {FOREIGN_NAMES[name]}"
        self.problems.append(Problem(name, shown, text, "environment", is_note=True))

    def _tell_repeated(self, found: JsonObject, prefix: str, where: str) -> None:
        for name in found.repeated():
            text = f"{where}: {prefix}{redact(name)} is there more than once; the last one is used."
            self._tell(prefix + name, "", text, where=where)

    def _tell_unknown(self, key: str, value: object, where: str) -> None:
        shown = _shown_unknown(key, value)
        text = f"{where}: {redact(key)} = {shown} is not used: there is no such setting."
        self._tell(key, shown, f"{text} {suggestion(key)}", where=where)

    def _tell_bad(self, knob: Knob, value: object, where: str) -> None:
        shown = shown_value(knob.key, value)
        instead = shown_value(knob.key, self._values.get(knob.key, knob.default))
        text = f"{where}: {knob.key} = {shown} is not used: allowed is {knob.allowed}."
        self._tell(knob.key, shown, f"{text} It stays {instead}.", where=where)

    def _tell(self, key: str, shown: str, message: str, *, where: str) -> None:
        self.problems.append(Problem(_printable(redact(key)), shown, _printable(message), where))


def suggestion(key: str) -> str:
    meant = nearest(key)
    return f"Nearest is {meant}." if meant else "docs/settings.md has them all."


def shown_value(key: str, value: object) -> str:
    """A value as the file would have it; secrets are masked, and so is what may hold some."""
    if _SECRET.search(key):
        return HIDDEN
    if isinstance(value, JsonObject | Mapping | list):
        return "[…]" if isinstance(value, list) else "{…}"
    text = _printable(json.dumps(value, ensure_ascii=False, default=str))
    text = _QUERY_IN_URL.sub(r"\1***", _PASSWORD_IN_URL.sub("//***@", text))
    text = redact(text)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def _shown_unknown(key: str, value: object) -> str:
    """No text at all: nobody knows what it was meant for, so that it may be a key."""
    return f'"{HIDDEN}"' if isinstance(value, str) and value else shown_value(key, value)


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def keep(copy: Path, data: bytes) -> None:
    """Where it cannot be written, an earlier one could be in the way: none is better."""
    try:
        if not (copy.exists() and regular_files.content(copy) == data):
            durable_files.make_folder(copy.parent)
            durable_files.replace(copy, data)
    except (OSError, StorageFailed):
        drop(copy)


def drop(copy: Path) -> None:
    with suppress(OSError):
        copy.unlink()


def last(copy: Path) -> JsonObject | None:
    """None where none was kept."""
    try:
        return parse(regular_files.content(copy))
    except (OSError, ConfigError):
        return None

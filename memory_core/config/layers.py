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
    SettingField,
    by_leaf,
    nested,
    sections,
    setting_fields,
    suggest_fields,
)
from .json_file import OrderedJsonObject, parse
from .schema import Settings

_API_KEYS = ("llm.api_key", "embedder.api_key")
_HOST = "settings.yaml"
_SAFE_DEFAULTS = {"ltm_writes.enabled": False, "embedder.kind": "none"}
_HOST_OWN_KEYS = frozenset({"activate", "bias string", "display_name", "is_tab"})
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
    source: str
    is_note: bool = False


class ConfigLayers:
    """The values so far, and what was wrong on the way."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._values: dict[str, object] = {}

    def settings(self) -> Settings:
        return Settings.model_validate(nested(self._values))

    def add_file(self, path: Path, copy: Path | None = None) -> None:
        """`copy` is kept while the file can be read, and counts while it cannot."""
        try:
            data = regular_files.read_regular_file(path)
            root = parse(data)
        except FileNotFoundError:
            if copy:
                delete_copy(copy)
        except OSError as exc:
            self._add_last_good_copy(path, f"{path} cannot be read: {exc.strerror or exc}", copy)
        except ConfigError as exc:
            self._add_last_good_copy(path, f"{path} cannot be read: {exc}", copy)
        else:
            if copy:
                save_copy(copy, data)
            self._add_object(root, path.name)

    def _add_last_good_copy(self, path: Path, told: str, copy: Path | None) -> None:
        """Defaults would write where somebody said no, and look for the memories elsewhere."""
        kept = load_copy(copy) if copy else None
        if kept is None:
            self._values |= _SAFE_DEFAULTS
            told = f"{told}. Until it can be, nothing is written down, and no embedder is loaded."
        else:
            self._add_object(kept, path.name)
            told = f"{told}. Until it can be, the settings that it had before count."
        self._report("", "", told, where=path.name)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        """The names of this extension after OpenPersistentMemory's: where both are, they win."""
        own = {knob.environment_name: knob for knob in setting_fields().values()}
        for name, key in ENVIRONMENT_NAMES.items():
            self._add_text(name, environ.get(name, ""), setting_fields()[key])
        for name in sorted(environ):
            if name.startswith(ENVIRONMENT_PREFIX):
                self._add_text(name, environ[name], own.get(name))
        for name in filter(environ.get, FOREIGN_NAMES):
            self._report_foreign(name, environ[name])

    def add_host(self, host: Mapping[str, Any]) -> None:
        for name, value in host.items():
            if name not in _HOST_OWN_KEYS:
                self._add_from_host(str(name), value)

    def add_api_key(self, api_key: str) -> None:
        for key in _API_KEYS:
            if api_key and not self._values.get(key):
                self._values[key] = api_key

    def _add_object(self, root: OrderedJsonObject, where: str) -> None:
        self._report_duplicates(root, "", where)
        entries = root.entries()
        for name in sorted(entries, key=lambda name: "." not in name and name not in FLAT_NAMES):
            self._add_entry(name, entries[name], where)

    def _add_entry(self, name: str, value: object, where: str) -> None:
        if name not in sections():
            self._add_value(FLAT_NAMES.get(name, name), value, where)
        elif isinstance(value, OrderedJsonObject):
            self._report_duplicates(value, f"{name}.", where)
            for leaf, item in value.entries().items():
                self._add_value(f"{name}.{leaf}", item, where)
        else:
            shown = _display_unknown_value(name, value)
            text = f"{where}: {name} = {shown} is not used: allowed is an object of settings."
            self._report(name, shown, text, where=where)

    def _add_from_host(self, name: str, value: object) -> None:
        meant = by_leaf(name)
        if name in setting_fields() or not meant:
            self._add_value(name, value, _HOST)
        elif len(meant) == 1:
            self._add_value(meant[0].key, value, _HOST)
        else:
            shown, which = display_value(name, value), " or ".join(knob.key for knob in meant)
            text = f"{_HOST}: {name} = {shown} is not used: write {which}."
            self._report(name, shown, text, where=_HOST)

    def _add_value(self, key: str, value: object, where: str) -> None:
        knob = setting_fields().get(key)
        if knob is None:
            self._report_unknown(key, value, where)
            return
        try:
            self._values[key] = knob.from_json(value)
        except ValueError:
            self._report_invalid(knob, value, where)

    def _add_text(self, name: str, text: str, knob: SettingField | None) -> None:
        """An empty variable counts as not set: that is how compose files leave one out."""
        if not text:
            return
        if knob is None:
            self._report_unknown(name, text, "environment")
            return
        try:
            self._values[knob.key] = knob.from_text(text)
        except ValueError:
            self._report_invalid(knob, text, f"environment, {name}")

    def _report_foreign(self, name: str, value: str) -> None:
        shown = display_value(name, value)
        text = f"environment: {name} = {shown} is not used. {FOREIGN_NAMES[name]}"
        self.problems.append(Problem(name, shown, text, "environment", is_note=True))

    def _report_duplicates(self, found: OrderedJsonObject, prefix: str, where: str) -> None:
        for name in found.duplicate_names():
            text = f"{where}: {prefix}{redact(name)} is there more than once; the last one is used."
            self._report(prefix + name, "", text, where=where)

    def _report_unknown(self, key: str, value: object, where: str) -> None:
        shown = _display_unknown_value(key, value)
        text = f"{where}: {redact(key)} = {shown} is not used: there is no such setting."
        self._report(key, shown, f"{text} {suggest_key(key)}", where=where)

    def _report_invalid(self, knob: SettingField, value: object, where: str) -> None:
        shown = display_value(knob.key, value)
        instead = display_value(knob.key, self._values.get(knob.key, knob.default))
        text = f"{where}: {knob.key} = {shown} is not used: allowed is {knob.allowed}."
        self._report(knob.key, shown, f"{text} It stays {instead}.", where=where)

    def _report(self, key: str, shown: str, message: str, *, where: str) -> None:
        self.problems.append(Problem(_printable(redact(key)), shown, _printable(message), where))


def suggest_key(key: str) -> str:
    meant = suggest_fields(key)
    return f"Nearest is {meant}." if meant else "docs/settings.md has them all."


def display_value(key: str, value: object) -> str:
    """A value as the file would have it; secrets are masked, and so is what may hold some."""
    if _SECRET.search(key):
        return HIDDEN
    if isinstance(value, OrderedJsonObject | Mapping | list):
        return "[…]" if isinstance(value, list) else "{…}"
    text = _printable(json.dumps(value, ensure_ascii=False, default=str))
    text = _QUERY_IN_URL.sub(r"\1***", _PASSWORD_IN_URL.sub("//***@", text))
    text = redact(text)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def _display_unknown_value(key: str, value: object) -> str:
    """No text at all: nobody knows what it was meant for, so that it may be a key."""
    return f'"{HIDDEN}"' if isinstance(value, str) and value else display_value(key, value)


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def save_copy(copy: Path, data: bytes) -> None:
    """Where it cannot be written, an earlier one could be in the way: none is better."""
    try:
        if not (copy.exists() and regular_files.read_regular_file(copy) == data):
            durable_files.make_folder(copy.parent)
            durable_files.replace(copy, data)
    except (OSError, StorageFailed):
        delete_copy(copy)


def delete_copy(copy: Path) -> None:
    with suppress(OSError):
        copy.unlink()


def load_copy(copy: Path) -> OrderedJsonObject | None:
    """None where none was kept."""
    try:
        return parse(regular_files.read_regular_file(copy))
    except (OSError, ConfigError):
        return None

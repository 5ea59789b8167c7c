"""Merges the layers of the configuration. Every wrong entry becomes a Problem and is left out."""

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
from .json_file import SECRET_NAME, OrderedJsonObject, parse
from .schema import Settings

SAFE_EFFECT = "Until it is repaired, nothing is remembered and no embedding model is loaded."
_API_KEYS = ("llm.api_key", "embedder.api_key")
_HOST = "settings.yaml"
_SAFE_DEFAULTS = {"ltm_writes.enabled": False, "embedder.kind": "none"}
_HOST_OWN_KEYS = frozenset({"activate", "bias string", "display_name", "is_tab"})
_PASSWORD_IN_URL = re.compile(r"//[^/@\s]*@")
_QUERY_IN_URL = re.compile(r"(//[^\s\"?]*\?)[^\s\"]+")
_SHOWN_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One wrong entry. `message` names its place and its fault; it never holds a secret.

    `is_note` marks an entry that is harmless but has no effect, such as another program's variable.
    `hides_settings` marks a file whose settings are unknown, so that safe ones apply.
    """

    key: str
    message: str
    is_note: bool = False
    hides_settings: bool = False


class ConfigLayers:
    """The values of the layers added so far, and the problems found in them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._values: dict[str, object] = {}

    def settings(self) -> Settings:
        return Settings.model_validate(nested(self._values))

    def add_contradictions(self) -> None:
        """Reports values that contradict each other, as notes. Call this after all layers."""
        recall = self.settings().recall
        key, lowest = "recall.full_need", recall.min_need
        if key in self._values and recall.full_need < lowest:
            text = (
                f"{key} = {recall.full_need:g} is below recall.min_need = {lowest:g}, so it counts "
                f"as {lowest:g}: no message gets only a few short lines. Raise one or lower the "
                "other."
            )
            self.problems.append(Problem(key, text, is_note=True))

    def add_file(self, path: Path, copy: Path | None = None) -> None:
        """Adds the file. `copy` saves its last readable state and replaces it when unreadable."""
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

    def _add_last_good_copy(self, path: Path, fault: str, copy: Path | None) -> None:
        # Plain defaults could store chats that the owner excluded, in another folder.
        last_good = load_copy(copy) if copy else None
        if last_good is None:
            self._values |= _SAFE_DEFAULTS
            effect = SAFE_EFFECT
        else:
            self._add_object(last_good, path.name)
            effect = "Until it is repaired, its previous settings apply."
        text = _printable(f"{fault}. {effect}")
        self.problems.append(Problem("", text, hides_settings=last_good is None))

    def add_environment(self, environ: Mapping[str, str]) -> None:
        """Adds OpenPersistentMemory's variables, then this extension's own, which win."""
        own = {field.environment_name: field for field in setting_fields().values()}
        for name, key in ENVIRONMENT_NAMES.items():
            self._add_text(name, environ.get(name, ""), setting_fields()[key])
        for name in sorted(environ):
            if name.startswith(ENVIRONMENT_PREFIX):
                self._add_text(name, environ[name], own.get(name))
        for name in filter(environ.get, FOREIGN_NAMES):
            shown = display_value(name, environ[name])
            self._report(name, shown, f". {FOREIGN_NAMES[name]}", "environment", is_note=True)

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
            self._report(name, shown, ": it must be an object of settings.", where)

    def _add_from_host(self, name: str, value: object) -> None:
        matches = by_leaf(name)
        if name in setting_fields() or not matches:
            self._add_value(name, value, _HOST)
        elif len(matches) == 1:
            self._add_value(matches[0].key, value, _HOST)
        else:
            keys = " or ".join(field.key for field in matches)
            self._report(name, display_value(name, value), f": write {keys}.", _HOST)

    def _add_value(self, key: str, value: object, where: str) -> None:
        field = setting_fields().get(key)
        if field is None:
            self._report_unknown(key, value, where)
            return
        try:
            self._values[key] = field.from_json(value)
        except ValueError:
            self._report_invalid(field, value, where)

    def _add_text(self, name: str, text: str, field: SettingField | None) -> None:
        """Adds a variable's value. An empty one counts as not set, as in compose files."""
        if not text:
            return
        if field is None:
            self._report_unknown(name, text, "environment")
            return
        try:
            self._values[field.key] = field.from_text(text)
        except ValueError:
            self._report_invalid(field, text, f"environment, {name}")

    def _report_duplicates(self, entries: OrderedJsonObject, prefix: str, where: str) -> None:
        for name in entries.duplicate_names():
            key = _printable(redact(prefix + name))
            text = f"{where}: {key} occurs more than once; the last one is used."
            self.problems.append(Problem(key, text))

    def _report_unknown(self, key: str, value: object, where: str) -> None:
        shown = _display_unknown_value(key, value)
        self._report(key, shown, f": there is no such setting. {suggest_key(key)}", where)

    def _report_invalid(self, field: SettingField, value: object, where: str) -> None:
        shown = display_value(field.key, value)
        instead = display_value(field.key, self._values.get(field.key, field.default))
        reason = f": allowed is {field.allowed}.{suggest_value(field, value)} It stays {instead}."
        self._report(field.key, shown, reason, where)

    def _report(
        self, key: str, shown: str, reason: str, where: str, *, is_note: bool = False
    ) -> None:
        """Reports an entry that is left out. `reason` continues the sentence."""
        message = _printable(f"{where}: {redact(key)} = {shown} is ignored{reason}")
        self.problems.append(Problem(_printable(redact(key)), message, is_note=is_note))


def suggest_key(key: str) -> str:
    nearest = suggest_fields(key)
    return f"The nearest is {nearest}." if nearest else "docs/settings.md lists all settings."


def suggest_value(field: SettingField, value: object) -> str:
    """Returns a sentence with the allowed name nearest to this value, or an empty text."""
    nearest = field.nearest_choice(value)
    return f" Did you mean {nearest}?" if nearest else ""


def display_value(key: str, value: object) -> str:
    """Returns a value as JSON. Masks secrets and all values that may hold some."""
    if SECRET_NAME.search(key):
        return HIDDEN
    if isinstance(value, OrderedJsonObject | Mapping | list):
        return "[…]" if isinstance(value, list) else "{…}"
    text = _printable(json.dumps(value, ensure_ascii=False, default=str))
    text = _QUERY_IN_URL.sub(r"\1***", _PASSWORD_IN_URL.sub("//***@", text))
    text = redact(text)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def _display_unknown_value(key: str, value: object) -> str:
    """Hides every text, because the text of an unknown setting may be a secret."""
    return f'"{HIDDEN}"' if isinstance(value, str) and value else display_value(key, value)


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def save_copy(copy: Path, data: bytes) -> None:
    """Writes the copy. Deletes it if that fails, because an outdated copy is worse than none."""
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
    """Returns the copy's settings, or None if there is no readable copy."""
    try:
        return parse(regular_files.read_regular_file(copy))
    except (OSError, ConfigError):
        return None

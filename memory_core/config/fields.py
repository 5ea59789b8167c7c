"""The settings as rows: key, what is allowed, default, other names; how one value is checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any

from .schema import Settings

ENVIRONMENT_PREFIX = "LTM_"
API_KEY_NAME = "OPENAI_API_KEY"

# OpenPersistentMemory's names: of environment variables, and of what its requests carry flat.
ENVIRONMENT_NAMES = {
    "LLM_BASE_URL": "llm.base_url",
    "EMB_BASE_URL": "embedder.base_url",
    "LLM_MODEL": "llm.model",
    "EMB_MODEL": "embedder.model",
    "STORAGE_DIR": "storage_dir",
    "EMBEDDING_DIMS": "embedder.dimensions",
}
# Variables of OpenPersistentMemory, ChatMemory and MemoryScope that set nothing here: some are
# common names that other programs need, so each is told with what to do, and is no error.
FOREIGN_NAMES = {
    "USERS_DIR": "The memories of all users lie in storage_dir (LTM_STORAGE_DIR or STORAGE_DIR); "
    "to import OpenPersistentMemory's folder: python -m memory_core import openpersistentmemory "
    "FOLDER.",
    "BACKEND_URL": "OpenPersistentMemory's server is not needed here. A language model's address "
    "goes into llm.base_url (LTM_LLM__BASE_URL or LLM_BASE_URL).",
    "OPENAI_BASE_URL": "The memory's own settings give its addresses: llm.base_url "
    "(LTM_LLM__BASE_URL) or embedder.base_url (LTM_EMBEDDER__BASE_URL).",
    "EMBEDDING_MODEL": "The embedding model goes into embedder.model (LTM_EMBEDDER__MODEL).",
    "EMBEDDING_DIMENSION": "The length of vectors goes into embedder.dimensions "
    "(LTM_EMBEDDER__DIMENSIONS).",
    "CHATMEMORY_PORT": "The memory runs no server of its own. To import ChatMemory's history: "
    "python -m memory_core import chatmemory FILE. The folder is storage_dir.",
    "DASHSCOPE_API_KEY": "A key goes into llm.api_key (LTM_LLM__API_KEY) or embedder.api_key "
    "(LTM_EMBEDDER__API_KEY).",
}
FLAT_NAMES = {
    "recent_turns": "ltm_context.recent_turns",
    "candidate_n": "recall.candidate_n",
    "retrieve_k": "recall.retrieve_k",
    "use_gate": "recall.use_gate",
    "gate_keep_max": "recall.gate_keep_max",
    "use_rerank": "recall.use_rerank",
    "temperature": "backend.temperature",
    "max_tokens": "backend.max_tokens",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """One setting. `default` is a JSON value; `allowed` says in words which others there are."""

    key: str
    allowed: str
    nullable: bool
    default: object
    description: str

    @property
    def environment_name(self) -> str:
        return ENVIRONMENT_PREFIX + self.key.upper().replace(".", "__")

    @property
    def leaf(self) -> str:
        return self.key.rpartition(".")[2]

    def from_json(self, value: object) -> object:
        """The value as Settings holds it, from a JSON value of the right type; else ValueError."""
        try:
            text = json.dumps(nested({self.key: value}))
        except (TypeError, RecursionError) as exc:
            raise ValueError(f"{self.key} takes {self.allowed}") from exc
        return self._value_in(Settings.model_validate_json(text, strict=True))

    def from_text(self, text: str) -> object:
        """The same from the text of an environment variable: true, yes, on, 1; null, none."""
        if self.nullable and text.strip().lower() in ("null", "none"):
            return None
        return self._value_in(Settings.model_validate_strings(nested({self.key: text})))

    def _value_in(self, settings: Settings) -> object:
        value: object = settings
        for name in self.key.split("."):
            value = getattr(value, name)
        return value


def nested(values: Mapping[str, object]) -> dict[str, Any]:
    """Dotted keys as an object of sections."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        section, _, leaf = key.rpartition(".")
        (tree.setdefault(section, {}) if section else tree)[leaf] = value
    return tree


@cache
def setting_fields() -> Mapping[str, SettingField]:
    """All settings by dotted key, in the order of the documentation."""
    schema = Settings.model_json_schema()
    defaults = Settings().model_dump(mode="json")
    rows = [row for name in schema["properties"] for row in _rows(schema, defaults, name)]
    return {row.key: row for row in rows}


@cache
def sections() -> frozenset[str]:
    return frozenset(key.partition(".")[0] for key in setting_fields() if "." in key)


def by_leaf(name: str) -> list[SettingField]:
    """The settings that the last part of their key calls so."""
    return [knob for knob in setting_fields().values() if knob.leaf == name]


def suggest_fields(name: str) -> str | None:
    """What somebody who wrote `name` may have meant, and what is allowed there."""
    written = name.lower()
    for part in (written, written.rpartition(".")[2]):
        if close := get_close_matches(part, _fields_by_name(), n=1):
            return _fields_by_name()[close[0]]
    return None


@cache
def _fields_by_name() -> Mapping[str, str]:
    """By lower-case name of any sort; where several settings share a leaf, one stands for all."""
    rows = setting_fields().values()
    by_key = {knob.key: f"{knob.key}: {knob.allowed}" for knob in rows}
    by_variable = {
        knob.environment_name.lower(): f"{knob.environment_name}: {knob.allowed}" for knob in rows
    }
    by_last_part = {knob.leaf: by_key[knob.key] for knob in rows}
    by_section = {section: f"{section}: an object of settings" for section in sections()}
    return by_last_part | by_variable | by_section | by_key


def _rows(schema: dict[str, Any], defaults: dict[str, Any], name: str) -> list[SettingField]:
    if not isinstance(defaults[name], dict):
        return [_row(schema, schema["properties"][name], name, default=defaults[name])]
    section = _resolved(schema, schema["properties"][name])
    return [
        _row(schema, section["properties"][leaf], f"{name}.{leaf}", default=default)
        for leaf, default in defaults[name].items()
    ]


def _row(
    schema: dict[str, Any], spec: dict[str, Any], key: str, *, default: object
) -> SettingField:
    options = [_resolved(schema, option) for option in spec.get("anyOf", [spec])]
    return SettingField(
        key=key,
        allowed=" or ".join(map(_describe_allowed, options)),
        nullable={"type": "null"} in options,
        default=default,
        description=spec["description"],
    )


def _resolved(schema: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    """The definition that a `$ref` points to; pydantic 2.11 wraps some references in `allOf`."""
    for reference in [spec, *spec.get("allOf", [])]:
        if "$ref" in reference:
            found: dict[str, Any] = schema["$defs"][reference["$ref"].rpartition("/")[2]]
            return found
    return spec


_PLAIN_WORDS = {
    "boolean": "true or false",
    "string": "a text",
    "null": "null",
    "folder": "the path of a folder",
}


def _describe_allowed(spec: dict[str, Any]) -> str:
    if "enum" in spec:
        return "one of " + ", ".join(spec["enum"])
    return _PLAIN_WORDS.get(spec.get("format", spec["type"])) or _describe_range(spec)


def _describe_range(spec: dict[str, Any]) -> str:
    noun = "a whole number" if spec["type"] == "integer" else "a number"
    bounds = {
        "minimum": "from",
        "exclusiveMinimum": "above",
        "maximum": "to",
        "exclusiveMaximum": "below",
    }
    return " ".join(
        [noun, *(f"{word} {spec[at]:.15g}" for at, word in bounds.items() if at in spec)]
    )

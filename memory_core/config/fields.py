"""The settings as a table: key, allowed values, default, other names, and the check of a value."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import chain
from typing import Any

from .schema import Settings
from .section import OWN_CLASS

ENVIRONMENT_PREFIX = "LTM_"
API_KEY_NAME = "OPENAI_API_KEY"

# OpenPersistentMemory's names: its environment variables and the flat keys of its requests.
ENVIRONMENT_NAMES = {
    "LLM_BASE_URL": "llm.base_url",
    "EMB_BASE_URL": "embedder.base_url",
    "LLM_MODEL": "llm.model",
    "EMB_MODEL": "embedder.model",
    "STORAGE_DIR": "storage_dir",
    "EMBEDDING_DIMS": "embedder.dimensions",
}
# Variables of OpenPersistentMemory, ChatMemory and MemoryScope that set nothing here. Other
# programs may need the same names, so each causes a note with advice instead of an error.
FOREIGN_NAMES = {
    "USERS_DIR": "The memories of all users are in storage_dir (LTM_STORAGE_DIR or STORAGE_DIR). "
    "To import OpenPersistentMemory's folder, run: python -m memory_core import "
    "openpersistentmemory FOLDER.",
    "BACKEND_URL": "OpenPersistentMemory's server is not needed here. Set the language model's "
    "address in llm.base_url (LTM_LLM__BASE_URL or LLM_BASE_URL).",
    "OPENAI_BASE_URL": "Set the addresses in llm.base_url (LTM_LLM__BASE_URL) and "
    "embedder.base_url (LTM_EMBEDDER__BASE_URL).",
    "EMBEDDING_MODEL": "Set the embedding model in embedder.model (LTM_EMBEDDER__MODEL).",
    "EMBEDDING_DIMENSION": "Set the length of vectors in embedder.dimensions "
    "(LTM_EMBEDDER__DIMENSIONS).",
    "CHATMEMORY_PORT": "Set the port of python -m memory_core serve in server.port "
    "(LTM_SERVER__PORT). To import ChatMemory's history, run: python -m memory_core import "
    "chatmemory FILE. The folder is storage_dir.",
    "DASHSCOPE_API_KEY": "Set the key in llm.api_key (LTM_LLM__API_KEY) or embedder.api_key "
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
    """One setting. `default` is a JSON value; `allowed` describes the allowed values in words.

    `choices` are the allowed names, if the value is a name. With `takes_class`, the name of a class
    is allowed, too. `bounds` are a number's limits, by their names in JSON Schema.
    """

    key: str
    allowed: str
    nullable: bool
    default: object
    description: str
    choices: tuple[str, ...] = ()
    takes_class: bool = False
    is_whole: bool = False
    bounds: tuple[tuple[str, float], ...] = ()

    @property
    def environment_name(self) -> str:
        return ENVIRONMENT_PREFIX + self.key.upper().replace(".", "__")

    @property
    def leaf(self) -> str:
        return self.key.rpartition(".")[2]

    def nearest_choice(self, value: object) -> str:
        """Returns the allowed name that is spelt most like this value, or an empty text."""
        written = value.lower() if isinstance(value, str) else ""
        return next(iter(get_close_matches(written, self.choices, n=1)), "")

    def nearest_number(self, value: object) -> float | None:
        """Returns the allowed number nearest to this value.

        Returns None if the value is allowed itself or is not a number, and for a number below an
        excluded limit, to which no allowed number is the nearest.
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        limits = dict(self.bounds)
        lowest, highest = limits.get("minimum", value), limits.get("maximum", value)
        near = min(max(value, lowest), highest)
        near = round(near) if self.is_whole else near
        is_above = near > limits.get("exclusiveMinimum", near - 1)
        return near if near != value and is_above else None

    def from_json(self, value: object) -> object:
        """Returns the Python value for a JSON value. Raises ValueError for a bad type or range."""
        try:
            text = json.dumps(nested({self.key: value}))
        except (TypeError, RecursionError) as exc:
            raise ValueError(f"{self.key} takes {self.allowed}") from exc
        return self._value_in(Settings.model_validate_json(text, strict=True))

    def from_text(self, text: str) -> object:
        """Returns the Python value for an environment variable's text, e.g. yes, on, 1 or none.

        Raises ValueError for a text of the wrong kind.
        """
        if self.nullable and text.strip().lower() in ("null", "none"):
            return None
        return self._value_in(Settings.model_validate_strings(nested({self.key: text})))

    def _value_in(self, settings: Settings) -> object:
        value: object = settings
        for name in self.key.split("."):
            value = getattr(value, name)
        return value


def nested(values: Mapping[str, object]) -> dict[str, Any]:
    """Returns the sections that dotted keys stand for: {"a.b": 1} becomes {"a": {"b": 1}}."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        section, _, leaf = key.rpartition(".")
        (tree.setdefault(section, {}) if section else tree)[leaf] = value
    return tree


@cache
def setting_fields() -> Mapping[str, SettingField]:
    """Returns all settings by dotted key, in the order of the documentation."""
    schema = Settings.model_json_schema()
    defaults = Settings().model_dump(mode="json")
    rows = [row for name in schema["properties"] for row in _rows(schema, defaults, name)]
    return {row.key: row for row in rows}


@cache
def sections() -> frozenset[str]:
    return frozenset(key.partition(".")[0] for key in setting_fields() if "." in key)


def by_leaf(name: str) -> list[SettingField]:
    """Returns the settings whose key ends in `name`."""
    return [field for field in setting_fields().values() if field.leaf == name]


def suggest_fields(name: str) -> str | None:
    """Returns the setting with the nearest name and its allowed values, or None."""
    written = name.lower()
    for part in (written, written.rpartition(".")[2]):
        if close := get_close_matches(part, _fields_by_name(), n=1):
            return _fields_by_name()[close[0]]
    return None


def name_hint(name: str, known: Sequence[str], *, offered: Sequence[str] = ()) -> str:
    """Returns what helps after a wrong name: the nearest known one, else those offered, or all."""
    near = get_close_matches(name, known, n=1)
    return f"the nearest is {near[0]}" if near else f"there are {', '.join(offered or known)}"


@cache
def _fields_by_name() -> Mapping[str, str]:
    """Returns suggestions by lower-case name. Of settings with the same leaf, keeps only one."""
    rows = setting_fields().values()
    by_key = {field.key: f"{field.key}: {field.allowed}" for field in rows}
    by_variable = {
        field.environment_name.lower(): f"{field.environment_name}: {field.allowed}"
        for field in rows
    }
    by_last_part = {field.leaf: by_key[field.key] for field in rows}
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
        choices=tuple(chain.from_iterable(map(_names, options))),
        takes_class=any("kinds" in option for option in options),
        is_whole=any(option.get("type") == "integer" for option in options),
        bounds=tuple(
            (bound, option[bound]) for option in options for bound in _BOUNDS if bound in option
        ),
    )


def _names(spec: dict[str, Any]) -> list[str]:
    found: list[str] = spec.get("enum") or spec.get("kinds", [OWN_CLASS])[:-1]
    return found


def _resolved(schema: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    """Follows a `$ref`, which pydantic 2.11 sometimes wraps in `allOf`."""
    for reference in [spec, *spec.get("allOf", [])]:
        if "$ref" in reference:
            definition: dict[str, Any] = schema["$defs"][reference["$ref"].rpartition("/")[2]]
            return definition
    return spec


_BOUNDS = {
    "minimum": "from",
    "exclusiveMinimum": "above",
    "maximum": "to",
    "exclusiveMaximum": "below",
}
_PLAIN_WORDS = {
    "boolean": "true or false",
    "string": "a text",
    "null": "null",
    "folder": "the path of a folder",
}


def _describe_allowed(spec: dict[str, Any]) -> str:
    if "kinds" in spec:
        return f"one of {', '.join(_names(spec))}, or {OWN_CLASS}"
    if "enum" in spec:
        return "one of " + ", ".join(spec["enum"])
    return _PLAIN_WORDS.get(spec.get("format", spec["type"])) or _describe_range(spec)


def _describe_range(spec: dict[str, Any]) -> str:
    noun = "a whole number" if spec["type"] == "integer" else "a number"
    limits = (f"{word} {spec[bound]:.15g}" for bound, word in _BOUNDS.items() if bound in spec)
    return " ".join([noun, *limits])

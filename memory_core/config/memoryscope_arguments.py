"""Translates MemoryScope's arguments, as its users wrote them, to settings of this program."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..domain.errors import ConfigError
from .consolidation_settings import ConsolidationSettings
from .fields import name_hint

HUMAN, ASSISTANT = "user", "AI"  # MemoryScope's default names
_log = logging.getLogger("long_term_memory")
_DASHSCOPE = "https://dashscope.aliyuncs.com/compatible-mode/v1"
_CONTRADICTIONS_WORKER, _INSIGHTS_WORKER = "contradictions", "insights"
_CONTRADICTION_SWITCHES = ("enable_today_contra_repeat", "enable_long_contra_repeat")
_INSIGHT_INTERVAL = "reflect_and_reconsolidate_interval_time"
_WITHOUT_EFFECT = {
    "rank_backend": "enable_ranker switches the reranker on, reranker.base_url names its address",
    "thread_pool_max_workers": "the memory chooses its threads itself",
    "memory_chat_class": "there is one kind of chat",
    "es_index_name": "no Elasticsearch is needed",
    "es_url": "no Elasticsearch is needed",
    "worker_params": "see the section consolidation in docs/settings.md",
    "embedding_params": "see the section embedder in docs/settings.md",
    "rank_params": "see the section reranker in docs/settings.md",
    "retrieve_mode": "words and vectors are always searched together",
}
_DIRECT = {
    "generation_model": "llm.model",
    "embedding_model": "embedder.model",
    "rank_model": "reranker.model",
}
_LANGUAGES = {"cn": "zh", "zh": "zh", "en": "en"}
_PARAMETERS = {"temperature": "backend.temperature", "max_tokens": "backend.max_tokens"}

Settings = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArguments:
    """MemoryScope's arguments as settings of this program, by dotted key.

    `notes` are sentences about arguments without effect. `unknown` are names that MemoryScope does
    not know. `streams` is None if the arguments do not say.
    """

    settings: Mapping[str, Any]
    human_name: str = ""
    assistant_name: str = ""
    streams: bool | None = None
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = field(default=())

    def refuse_unknown(self) -> None:
        """Raises ConfigError that names the first unknown argument and the nearest known one."""
        if not self.unknown:
            return
        name = self.unknown[0]
        problem = f"{name} is not an argument of MemoryScope; {name_hint(name, KNOWN)}"
        raise ConfigError(problem, key=name)

    def log_notes(self) -> None:
        """Logs what has no effect, for programs that have no terminal to show it in."""
        for note in self.notes:
            _log.warning("%s", note)


def as_arguments(given: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Returns the arguments, none for None. Raises ConfigError for anything but names and values.

    Says so to programs whose types nobody checks.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        message = "arguments must be names with values, such as {'human_name': 'Ana'}"
        raise ConfigError(message, key="arguments")
    return given


def read_arguments(arguments: Mapping[str, Any] | None) -> ReadArguments:
    """Translates the arguments. Raises ConfigError for a value of a wrong kind."""
    named = as_arguments(arguments).items()
    given = {name: value for name, value in named if value not in (None, "")}
    settings: Settings = {}
    for name, value in given.items():
        if name in _DIRECT:
            settings[_DIRECT[name]] = value
        elif name in _TRANSLATED:
            settings |= _TRANSLATED[name](value)
    return ReadArguments(
        settings=settings | _workers(given),
        human_name=str(given.get("human_name", "")),
        assistant_name=str(given.get("assistant_name", "")),
        streams=_boolean("chat_stream", given["chat_stream"]) if "chat_stream" in given else None,
        notes=tuple(_notes(given)),
        unknown=tuple(name for name in given if name not in KNOWN),
    )


def _language(value: object) -> Settings:
    if value not in _LANGUAGES:
        raise ConfigError(f"language = {value!r}: allowed is cn or en", key="language")
    return {"language": _LANGUAGES[str(value)]}


def _interval(value: object) -> Settings:
    seconds = _number("consolidate_memory_interval_time", value)
    return {"consolidation.enabled": seconds > 0, "consolidation.quiet_s": seconds}


def _generation(value: object) -> Settings:
    return {"llm.kind": "openai", **_base_url("llm.base_url", value)}


def _embedding(value: object) -> Settings:
    return {"embedder.kind": "openai", **_base_url("embedder.base_url", value)}


def _ranker(value: object) -> Settings:
    return {"reranker.kind": "endpoint" if _boolean("enable_ranker", value) else "none"}


def _most_memories(value: object) -> Settings:
    count = _number("output_memory_max_count", value)  # on the command line it is a text
    return {"recall.lines": int(count) if count.is_integer() else count}


def _parameters(value: object) -> Settings:
    value = _parameters_object(value)
    return {_PARAMETERS[name]: item for name, item in value.items() if name in _PARAMETERS}


def _parameters_object(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value)
    if not isinstance(value, Mapping):
        message = "generation_params must be an object, such as {'temperature': 0.5}"
        raise ConfigError(message, key="generation_params")
    return value


def _notes(given: Mapping[str, Any]) -> Iterator[str]:
    """Yields a sentence for each argument that has no effect."""
    for name in given:
        if name in _WITHOUT_EFFECT:
            yield f"{name} has no effect: {_WITHOUT_EFFECT[name]}"
    known = ", ".join(_PARAMETERS)
    for name in _parameters_object(given.get("generation_params", {})):
        if name not in _PARAMETERS:
            yield f"generation_params: {name} has no effect: there are {known}"


def _workers(given: Mapping[str, Any]) -> Settings:
    """Returns the usual workers without those that the arguments switch off."""
    switches = [name for name in _CONTRADICTION_SWITCHES if name in given]
    without: set[str] = set()
    if switches and not any(_boolean(name, given[name]) for name in switches):
        without.add(_CONTRADICTIONS_WORKER)
    if _INSIGHT_INTERVAL in given and _number(_INSIGHT_INTERVAL, given[_INSIGHT_INTERVAL]) <= 0:
        without.add(_INSIGHTS_WORKER)
    usual = str(ConsolidationSettings.model_fields["workers"].default).split(",")
    kept = [name for name in usual if name not in without]
    return {"consolidation.workers": ",".join(kept)} if without else {}


def _base_url(key: str, backend: object) -> Settings:
    """Returns the address of DashScope. For another backend, the settings must name the address."""
    return {key: _DASHSCOPE} if str(backend).startswith("dashscope") else {}


def _boolean(name: str, value: object) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    found = known.get(str(value).strip().lower())
    if found is None:
        raise ConfigError(f"{name} = {value!r}: allowed is true or false", key=name)
    return found


def _number(name: str, value: object) -> float:
    try:
        return float(str(value))
    except ValueError as exc:
        raise ConfigError(f"{name} = {value!r}: allowed is a number", key=name) from exc


_TRANSLATED: Mapping[str, Callable[[object], Settings]] = {
    "language": _language,
    "consolidate_memory_interval_time": _interval,
    "generation_backend": _generation,
    "generation_params": _parameters,
    "embedding_backend": _embedding,
    "enable_ranker": _ranker,
    "output_memory_max_count": _most_memories,
}
KNOWN = (
    "human_name",
    "assistant_name",
    "chat_stream",
    *_CONTRADICTION_SWITCHES,
    _INSIGHT_INTERVAL,
    *_DIRECT,
    *_TRANSLATED,
    *_WITHOUT_EFFECT,
)

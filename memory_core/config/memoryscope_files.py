"""Reads MemoryScope's arguments from a YAML or JSON file, either flat or in its own sections."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..domain.errors import ConfigError

_SECTIONS = (
    "global",
    "memory_chat",
    "memory_service",
    "worker",
    "model",
    "memory_store",
    "monitor",
)
_INTERVALS = ("consolidate_memory", "reflect_and_reconsolidate")
_MODELS = {"generation_model": "generation", "embedding_model": "embedding", "rank_model": "rank"}
_STORE = {"es_url": "es_url", "index_name": "es_index_name", "retrieve_mode": "retrieve_mode"}
_SAMPLING = ("temperature", "max_tokens", "top_p")


def read_arguments_file(path: Path) -> dict[str, Any]:
    """Returns the arguments in a file. Those outside of the sections win. Raises ConfigError."""
    try:
        import yaml
    except ImportError as exc:
        raise ConfigError("--config-path needs PyYAML: pip install pyyaml", key="yaml") from exc
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise ConfigError(f"{path}: {exc.strerror or exc}", key="--config-path") from exc
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        raise ConfigError(f"{path} is not YAML: {type(exc).__name__}", key="--config-path") from exc
    if not isinstance(found, dict):
        raise ConfigError(f"{path} contains no arguments: write NAME: VALUE", key="--config-path")
    flat = {str(name): value for name, value in found.items() if name not in _SECTIONS}
    return {**dict(_in_sections(found)), **flat}


def _in_sections(found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from _section(found, "global").items()
    chat = _first(_section(found, "memory_chat"))
    if "stream" in chat:
        yield "chat_stream", chat["stream"]
    yield from _of_service(_first(_section(found, "memory_service")))
    for name, prefix in _MODELS.items():
        yield from _of_model(_section(_section(found, "model"), name), prefix)
    yield from _renamed(_section(found, "memory_store"), _STORE)


def _of_service(service: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from _renamed(service, {name: name for name in ("human_name", "assistant_name")})
    operations = _section(service, "memory_operations")
    for name in _INTERVALS:
        seconds = _section(operations, name).get("interval_time")
        if seconds is not None:
            yield f"{name}_interval_time", seconds


def _of_model(model: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    yield from _renamed(
        model, {"module_name": f"{prefix}_backend", "model_name": f"{prefix}_model"}
    )
    sampling = {name: model[name] for name in _SAMPLING if name in model}
    if sampling and prefix == "generation":
        yield "generation_params", sampling


def _renamed(section: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    yield from ((to, section[name]) for name, to in names.items() if name in section)


def _section(outer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = outer.get(name)
    return found if isinstance(found, dict) else {}


def _first(section: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the first entry of a section whose entries have names of their own."""
    return next((entry for entry in section.values() if isinstance(entry, dict)), {})

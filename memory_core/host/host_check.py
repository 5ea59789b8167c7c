"""What is called in the host, and with which arguments: what differs there is not called at all."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ..domain.errors import HostError

_BUILDER = inspect.signature(lambda text, state, *, history, _continue: None)
_CHAT_FILE = inspect.signature(lambda unique_id, character, mode: None)
_TAKE = {"chat.generate_chat_prompt": _BUILDER, "chat.get_history_file_path": _CHAT_FILE}


def found(feature: str) -> Any:  # noqa: ANN401  (the host's own, of whatever kind)
    """What `module.name` is in the host. Raises HostError where that is nothing we can use."""
    module, name = feature.split(".")
    try:
        there = getattr(importlib.import_module(f"modules.{module}"), name)
    except (ImportError, AttributeError) as exc:
        raise HostError(f"this host has no {feature}") from exc
    if feature in _TAKE and not _takes(there, _TAKE[feature]):
        raise HostError(f"this host's {feature} takes other arguments than those known")
    return there


def _takes(function: Callable[..., Any], ours: inspect.Signature) -> bool:
    """Whether it can be called as we call it."""
    given = list(ours.parameters.values())
    named = {it.name: None for it in given if it.kind is it.KEYWORD_ONLY}
    try:
        inspect.signature(function).bind(*(len(given) - len(named)) * [None], **named)
    except (TypeError, ValueError):
        return False
    return True

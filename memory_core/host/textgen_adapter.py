"""Implements Host for text-generation-webui; knows the host's modules."""

import importlib
import inspect
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..domain.errors import HostError
from ..memory.installation import HOST_BACKUPS
from .chat.chat_file import folder_of
from .chat.host_protocol import State

_SHOWN_NAME = "Long-term memory"
_BUILDER = inspect.signature(lambda text, state, *, history, _continue: None)
_CHAT_FILE = inspect.signature(lambda unique_id, character, mode: None)
_SIGNATURES = {"chat.generate_chat_prompt": _BUILDER, "chat.get_history_file_path": _CHAT_FILE}


def host_feature(feature: str) -> Any:  # noqa: ANN401  (the host's own, of whatever kind)
    """Returns the host's `module.name`. Raises HostError if it is missing or unusable."""
    module, name = feature.split(".")
    try:
        found = getattr(importlib.import_module(f"modules.{module}"), name)
    except (ImportError, AttributeError) as exc:
        raise HostError(f"this host has no {feature}") from exc
    if feature in _SIGNATURES and not _accepts_arguments(found, _SIGNATURES[feature]):
        raise HostError(f"this host's {feature} takes other arguments than expected")
    return found


def host_feature_or(feature: str, default: Any) -> Any:  # noqa: ANN401
    """Returns the host's `module.name`, or the default if it is missing or unusable."""
    try:
        return host_feature(feature)
    except HostError:
        return default


def _accepts_arguments(function: Callable[..., Any], expected: inspect.Signature) -> bool:
    """Returns whether the function accepts the arguments that we pass."""
    parameters = list(expected.parameters.values())
    keywords = {
        parameter.name: None for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
    }
    try:
        inspect.signature(function).bind(*(len(parameters) - len(keywords)) * [None], **keywords)
    except (TypeError, ValueError):
        return False
    return True


_FEATURES = {
    "chat.generate_chat_prompt": "no memories reach its prompts",
    "chat.get_history_file_path": "the folder of its saved chats is unknown",
    "extensions.iterator": "other extensions' prompt builders are not called",
    "text_generation.get_encoded_length": "tokens are estimated",
    "shared.tokenizer": "tokens are estimated",
    "shared.generation_lock": "the extension cannot tell when it is generating",
    "shared.args": "the extension cannot tell who shares the page, so memory stays off",
    "shared.settings": "its settings.yaml is not read",
}

_OPEN_CHAT = ("mode", "character_menu", "name2", "user_menu", "unique_id")
_CHAT_FILE_DEPTH = 3  # logs/chat/<character> in the user data folder

Report = Callable[[str, str], None]


def _ignore_report(feature: str, message: str) -> None:
    """Drops the report; used until a reporter is known."""


class TextgenHost:
    """Detects the host's features instead of its version. `builder` is our own prompt hook.

    Passes each missing feature and a message to `report`, and goes on without it. A prompt
    cannot be built without the host's own builder.
    """

    def __init__(
        self, *, builder: Callable[..., Any] | None = None, report: Report = _ignore_report
    ) -> None:
        self._builder = builder
        self._report = report

    def features(self) -> Mapping[str, bool]:
        """Returns each feature of the host that we use, and whether the host has it."""
        return {feature: self._has(feature) for feature in _FEATURES} | {
            "gradio.LocalContext": _has_request_context()
        }

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        for _, build in self._later_builders():
            prompt = build(user_input, state, history=history, _continue=continuing)
            if prompt is not None:
                return str(prompt)
        build = self._find("chat.generate_chat_prompt")
        return str(build(user_input, state, history=history, _continue=continuing))

    def builders_behind_us(self) -> list[str]:
        """Returns the names of the extensions whose builders we call."""
        return [name for name, _ in self._later_builders()]

    def _later_builders(self) -> list[tuple[str, Callable[..., Any]]]:
        """Returns the builders after ours: the host calls only the first extension's builder."""
        builders = self._all_builders()
        ours = [index for index, (_, build) in enumerate(builders) if build == self._builder]
        return builders[ours[0] + 1 :] if ours else []

    def owner_before_us(self) -> str:
        """Returns the name of an extension whose prompt hook runs instead of ours, or ""."""
        for name, build in self._all_builders():
            return "" if build == self._builder else name
        return ""

    def _all_builders(self) -> list[tuple[str, Callable[..., Any]]]:
        """Returns the names and prompt hooks of all extensions, in the host's order."""
        iterator = self._find_or_default("extensions.iterator", tuple)
        named = [
            (str(name), getattr(extension, "custom_generate_chat_prompt", None))
            for extension, name in iterator()
        ]
        return [(name, build) for name, build in named if build is not None]

    def count_tokens(self, text: str) -> int | None:
        if self._find_or_default("shared.tokenizer", None) is None:
            return None
        count = self._find_or_default("text_generation.get_encoded_length", None)
        return int(count(text)) if count else None

    def is_generating(self) -> bool:
        lock = self._find_or_default("shared.generation_lock", None)
        return lock is not None and bool(lock.locked())

    def is_multi_user(self) -> bool:
        """Returns whether several users share the host; assumes so if the host does not say."""
        try:
            args = self._find("shared.args")
        except HostError:
            return True
        return bool(getattr(args, "multi_user", False))

    def signed_in(self) -> str | None:
        try:
            from gradio.context import LocalContext
        except ImportError as exc:
            raise HostError(
                "this version of gradio does not report who is signed in; version 4.37 does"
            ) from exc
        request = LocalContext.request.get(None)  # none outside of a request
        return getattr(request, "username", None)

    def chat_file(self, state: State) -> Path | None:
        unique_id = state.get("unique_id", "")  # the host saves a chat with id None as "None.json"
        user_data = self.user_data_folder()
        if unique_id == "" or user_data is None or self.is_multi_user():
            return None
        logs = user_data / "logs"
        if state.get("mode") == "instruct":
            return logs / "instruct" / f"{unique_id}.json"
        character = state.get("character_menu")
        return logs / "chat" / str(character) / f"{unique_id}.json" if character else None

    def user_data_folder(self) -> Path | None:
        return None if self.unknown() else self._data_folder()

    def backup_folder(self) -> Path | None:
        """Returns a backup folder outside of the extension's folder, if the host has one."""
        user_data = self.user_data_folder()
        return user_data / HOST_BACKUPS if user_data else None

    def unknown(self) -> str:
        """Returns the reason why chats of this host must not be saved, or "" for a known host."""
        try:
            self._find("chat.generate_chat_prompt")
            self._data_folder()
        except HostError as exc:
            return str(exc)
        return ""

    def _data_folder(self) -> Path:
        """Returns the user data folder, found by asking for the files of made-up chats.

        The host's path is relative to its working directory; an absolute one is the same for every
        call. Raises HostError for an unknown folder structure, because a wrong path would mean a
        wrong owner, and a missing file a deleted chat.
        """
        path_of = self._find("chat.get_history_file_path")
        try:
            paths = [Path(path_of("id", "name", mode)) for mode in ("chat", "instruct")]
            user_data = paths[0].parents[_CHAT_FILE_DEPTH]
        except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError):
            paths, user_data = [], Path()
        folders = (folder_of(user_data, "name"), folder_of(user_data, None))
        if paths != [folder.path / "id.json" for folder in folders if folder]:
            raise HostError("this host saves its chats in unexpected folders")
        return user_data.absolute()

    def page_components(self) -> Mapping[str, Any]:
        """Returns the page's components that identify the open chat, by the names of the state."""
        page = host_feature_or("shared.gradio", {})
        return {name: page[name] for name in _OPEN_CHAT if name in page}

    def characters(self) -> list[str]:
        """Returns the names of the host's characters, also of those without chats."""
        names = host_feature_or("utils.get_available_characters", tuple)
        try:
            return [str(name) for name in names()]
        except OSError:  # the folder of the characters was removed
            return []

    @property
    def open_chat_list(self) -> str:
        """Returns the id of the page's list of the open character's chats; "" without one."""
        shown = self.page_components().get("unique_id")
        return "" if self.is_multi_user() else str(getattr(shown, "elem_id", None) or "")

    def user_profile(self) -> str:
        shown = host_feature_or("shared.persistent_interface_state", {})
        settings = self._find_or_default("shared.settings", {})
        return str(shown.get("user_menu") or settings.get("user") or "")

    def _find(self, feature: str) -> Any:  # noqa: ANN401  (the host's own, of whatever kind)
        """Returns the feature; reports it and raises HostError if the host does not have it."""
        try:
            return host_feature(feature)
        except HostError as exc:
            message = f"{exc}: {_FEATURES[feature]}"
            self._report(feature, message)
            raise HostError(message) from exc

    def _find_or_default(self, feature: str, default: Any) -> Any:  # noqa: ANN401
        try:
            return self._find(feature)
        except HostError:
            return default

    @staticmethod
    def _has(feature: str) -> bool:
        nothing = object()
        return host_feature_or(feature, nothing) is not nothing


def _has_request_context() -> bool:
    try:
        from gradio.context import LocalContext
    except ImportError:
        return False
    return LocalContext is not None


def settings_of(folder_name: str) -> Mapping[str, Any]:
    """Returns this extension's part of the host's settings.yaml, keys without the folder's name."""
    prefix = f"{folder_name}-"
    return {
        key.removeprefix(prefix): value
        for key, value in host_feature_or("shared.settings", {}).items()
        if key.startswith(prefix)
    }


class _NameFirst(logging.Filter):
    """Begins each message with the extension's name: all extensions share the host's log."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if not message.startswith(_SHOWN_NAME):
            record.msg, record.args = f"{_SHOWN_NAME}: {message}", ()
        return True


def log_through_host() -> None:
    """Gives our loggers the handlers of the host's logger: the host silences the root logger."""
    try:
        from modules.logging_colors import logger
    except ImportError:
        return  # a host without its own logger does not silence the root logger
    for name in ("long_term_memory", "memory_core"):
        ours = logging.getLogger(name)
        ours.handlers = list(logger.handlers)
        ours.filters = [_NameFirst()]
        ours.propagate = False  # another extension's root handler would repeat each line
        ours.setLevel(logging.INFO)

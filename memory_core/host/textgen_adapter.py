"""text-generation-webui as a Host: beside contract.py the only file that knows its modules."""

import importlib
import inspect
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..domain.errors import HostError
from ..memory.installation import HOST_BACKUPS
from .chat.host_protocol import State
from .chat.paths import folder_of

_BUILDER = inspect.signature(lambda text, state, *, history, _continue: None)
_CHAT_FILE = inspect.signature(lambda unique_id, character, mode: None)
_SIGNATURES = {"chat.generate_chat_prompt": _BUILDER, "chat.get_history_file_path": _CHAT_FILE}


def host_feature(feature: str) -> Any:  # noqa: ANN401  (the host's own, of whatever kind)
    """What `module.name` is in the host. Raises HostError where that is nothing we can use."""
    module, name = feature.split(".")
    try:
        there = getattr(importlib.import_module(f"modules.{module}"), name)
    except (ImportError, AttributeError) as exc:
        raise HostError(f"this host has no {feature}") from exc
    if feature in _SIGNATURES and not _takes(there, _SIGNATURES[feature]):
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


_FEATURES = {
    "chat.generate_chat_prompt": "no memories reach its prompts",
    "chat.get_history_file_path": "nobody knows where it saves its chats",
    "extensions.iterator": "other extensions' prompt builders are not called",
    "text_generation.get_encoded_length": "tokens are estimated",
    "shared.tokenizer": "tokens are estimated",
    "shared.generation_lock": "nobody knows whether it is generating",
    "shared.args": "nobody knows who shares its page, so memory stays off",
    "shared.settings": "its settings.yaml is not read",
}

_FOLDERS_BELOW = 3  # logs/chat/<character> in the folder of all that the user made

Report = Callable[[str, str], None]


def _ignore_report(feature: str, told: str) -> None:
    """For a host that is asked before there is anybody to be told."""


class TextgenHost:
    """Finds the host by feature, not by version. `builder` is our own prompt hook.

    What this host has not is told to `report` (feature, sentence) and left out; only a prompt
    cannot be had without the host's own builder.
    """

    def __init__(
        self, *, builder: Callable[..., Any] | None = None, report: Report = _ignore_report
    ) -> None:
        self._builder = builder
        self._report = report

    def features(self) -> Mapping[str, bool]:
        """What is looked for in the host, and whether it is there."""
        return {it: self._has(it) for it in _FEATURES} | {
            "gradio.LocalContext": _has_request_context()
        }

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        for build in self._later_builders():
            prompt = build(user_input, state, history=history, _continue=continuing)
            if prompt is not None:
                return str(prompt)
        build = self._find("chat.generate_chat_prompt")
        return str(build(user_input, state, history=history, _continue=continuing))

    def _later_builders(self) -> Iterator[Callable[..., Any]]:
        """The host calls only the first extension that builds prompts: we call those behind us."""
        yield from (build for _, build in self._named_later_builders())

    def builders_behind_us(self) -> list[str]:
        """The names of the extensions whose builders we call."""
        return [name for name, _ in self._named_later_builders()]

    def _named_later_builders(self) -> list[tuple[str, Callable[..., Any]]]:
        all_of_them = self._all_builders()
        ours = [at for at, (_, build) in enumerate(all_of_them) if build == self._builder]
        return all_of_them[ours[0] + 1 :] if ours else []

    def owner_before_us(self) -> str:
        """The name of an extension that takes the prompt hook away from us; empty: none does."""
        for name, build in self._all_builders():
            return "" if build == self._builder else name
        return ""

    def _all_builders(self) -> list[tuple[str, Callable[..., Any]]]:
        """All extensions' prompt hooks, by name, in the host's order."""
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
        """A host that does not tell is taken for shared: then nobody sees another's memories."""
        try:
            args = self._find("shared.args")
        except HostError:
            return True
        return bool(getattr(args, "multi_user", False))

    def signed_in(self) -> str | None:
        try:
            from gradio.context import LocalContext
        except ImportError as exc:
            raise HostError("this gradio does not tell who asks; sign-in needs 4.37") from exc
        request = LocalContext.request.get(None)  # none outside of a request
        return getattr(request, "username", None)

    def chat_file(self, state: State) -> Path | None:
        unique_id = state.get("unique_id", "")  # None is saved as a name like others
        data = self.user_data_folder()
        if unique_id == "" or data is None or self.is_multi_user():
            return None
        logs = data / "logs"
        if state.get("mode") == "instruct":
            return logs / "instruct" / f"{unique_id}.json"
        character = state.get("character_menu")
        return logs / "chat" / str(character) / f"{unique_id}.json" if character else None

    def user_data_folder(self) -> Path | None:
        return None if self.unknown() else self._data_folder()

    def backup_folder(self) -> Path | None:
        """Where backups outlive the extension's folder, if this host tells where it keeps files."""
        data = self.user_data_folder()
        return data.absolute() / HOST_BACKUPS if data else None

    def unknown(self) -> str:
        """Why nothing of its chats is to be written down; empty for a host as it is known."""
        try:
            self._find("chat.generate_chat_prompt")
            self._data_folder()
        except HostError as exc:
            return str(exc)
        return ""

    def _data_folder(self) -> Path:
        """By where it would save chats of made-up names. Raises HostError if that is not as known:
        where a chat lies tells whose it is, and that it is deleted.
        """
        path_of = self._find("chat.get_history_file_path")
        try:
            found = [Path(path_of("id", "name", mode)) for mode in ("chat", "instruct")]
            data = found[0].parents[_FOLDERS_BELOW]
        except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError):
            found, data = [], Path()
        folders = (folder_of(data, "name"), folder_of(data, None))
        if found != [it.path / "id.json" for it in folders if it]:
            raise HostError("this host saves its chats elsewhere")
        return data

    def user_profile(self) -> str:
        shown = _attribute("shared.persistent_interface_state", {})
        settings = self._find_or_default("shared.settings", {})
        return str(shown.get("user_menu") or settings.get("user") or "")

    def _find(self, feature: str) -> Any:  # noqa: ANN401  (the host's own, of whatever kind)
        """Raises HostError where this host has nothing of that name."""
        try:
            return host_feature(feature)
        except HostError as exc:
            told = f"{exc}: {_FEATURES[feature]}"
            self._report(feature, told)
            raise HostError(told) from exc

    def _find_or_default(self, feature: str, otherwise: Any) -> Any:  # noqa: ANN401
        try:
            return self._find(feature)
        except HostError:
            return otherwise

    @staticmethod
    def _has(feature: str) -> bool:
        nothing = object()
        return _attribute(feature, nothing) is not nothing


def _attribute(feature: str, otherwise: Any) -> Any:  # noqa: ANN401
    try:
        return host_feature(feature)
    except HostError:
        return otherwise


def _has_request_context() -> bool:
    try:
        from gradio.context import LocalContext
    except ImportError:
        return False
    return LocalContext is not None


def settings_of(folder_name: str) -> Mapping[str, Any]:
    """What the host's settings.yaml says for this extension, without the folder's name."""
    prefix = f"{folder_name}-"
    return {
        key.removeprefix(prefix): value
        for key, value in _attribute("shared.settings", {}).items()
        if key.startswith(prefix)
    }


def log_through_host() -> None:
    """The host shows its own logger only and silences the root: ours gets the same handlers."""
    try:
        from modules.logging_colors import logger
    except ImportError:
        return  # a host without a logger of its own leaves the root's as it is
    for name in ("long_term_memory", "memory_core"):
        ours = logging.getLogger(name)
        ours.handlers = list(logger.handlers)
        ours.propagate = False  # what another extension gave the root would show each line twice
        ours.setLevel(logging.INFO)

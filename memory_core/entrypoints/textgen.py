"""text-generation-webui as a Host: the only file that imports the host's modules."""

import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import HostError
from .host import State


class TextgenHost:
    """Finds the host by feature, not by version. `builder` is our own prompt hook."""

    def __init__(self, *, builder: Callable[..., Any] | None = None) -> None:
        self._builder = builder

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        for build in self._other_builders():
            prompt = build(user_input, state, history=history, _continue=continuing)
            if prompt is not None:
                return str(prompt)
        from modules.chat import generate_chat_prompt

        return str(generate_chat_prompt(user_input, state, history=history, _continue=continuing))

    def _other_builders(self) -> Iterator[Callable[..., Any]]:
        """The host calls only the first extension that builds prompts: we call those behind us."""
        from modules.extensions import iterator

        builders = [
            getattr(extension, "custom_generate_chat_prompt", None) for extension, _ in iterator()
        ]
        if self._builder in builders:
            behind = builders[builders.index(self._builder) + 1 :]
            yield from (build for build in behind if build is not None)

    def owner_before_us(self) -> str:
        """The name of an extension that takes the prompt hook away from us; empty: none does."""
        from modules.extensions import iterator

        for extension, name in iterator():
            build = getattr(extension, "custom_generate_chat_prompt", None)
            if build is not None:
                return "" if build is self._builder else str(name)
        return ""

    def count_tokens(self, text: str) -> int | None:
        from modules import shared
        from modules.text_generation import get_encoded_length

        return int(get_encoded_length(text)) if shared.tokenizer is not None else None

    def is_generating(self) -> bool:
        from modules import shared

        lock = shared.generation_lock
        return lock is not None and bool(lock.locked())

    def is_multi_user(self) -> bool:
        from modules import shared

        return bool(getattr(shared.args, "multi_user", False))

    def signed_in(self) -> str | None:
        try:
            from gradio.context import LocalContext
        except ImportError as exc:
            raise HostError("this gradio does not tell who asks; sign-in needs 4.37") from exc
        request = LocalContext.request.get()
        return getattr(request, "username", None)

    def chat_file(self, state: State) -> Path | None:
        unique_id = state.get("unique_id")
        if not unique_id or self.is_multi_user():
            return None
        from modules import shared

        logs = Path(shared.user_data_dir) / "logs"
        if state.get("mode") == "instruct":
            return logs / "instruct" / f"{unique_id}.json"
        character = state.get("character_menu")
        return logs / "chat" / str(character) / f"{unique_id}.json" if character else None

    def user_data_folder(self) -> Path | None:
        from modules import shared

        return Path(shared.user_data_dir)

    def user_profile(self) -> str:
        from modules import shared

        on_page = getattr(shared, "persistent_interface_state", {}).get("user_menu")
        return str(on_page or shared.settings.get("user") or "")


def settings_of(folder_name: str) -> Mapping[str, Any]:
    """What the host's settings.yaml says for this extension, without the folder's name."""
    from modules import shared

    prefix = f"{folder_name}-"
    return {
        key.removeprefix(prefix): value
        for key, value in shared.settings.items()
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
        ours.setLevel(logging.INFO)

"""A minimal host for tests: plain prompts, a folder of chat files, no model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_core.bootstrap import build_runtime
from memory_core.host.hooks import Hooks
from memory_core.memory.installation import Installation
from tests.builders import OPENED

opened = OPENED  # closed behind each test, conftest.py


@dataclass
class PlainHost:
    folder: Path
    generating: bool = False
    multi_user: bool = False
    user: str | None = None
    profile: str = ""
    tokens_per_char: float | None = None
    fails: bool = False
    prompts: list[str] = field(default_factory=list)

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        if self.fails:
            raise ValueError("this template refuses everything")
        lines = [state.get("context", "")]
        for user, assistant, *_ in history["internal"]:
            lines += [f"U: {user}"] if user else []
            lines += [f"A: {assistant}"] if assistant else []
        if not continuing:
            lines.append(f"U: {user_input}")
        self.prompts.append("\n".join(lines))
        return self.prompts[-1]

    def count_tokens(self, text: str) -> int | None:
        return None if self.tokens_per_char is None else int(len(text) * self.tokens_per_char)

    def is_generating(self) -> bool:
        return self.generating

    def is_multi_user(self) -> bool:
        return self.multi_user

    def signed_in(self) -> str | None:
        return self.user

    def chat_file(self, state: Mapping[str, Any]) -> Path | None:
        unique_id = state.get("unique_id")
        return self.folder / f"{unique_id}.json" if unique_id and not self.multi_user else None

    def user_data_folder(self) -> Path | None:
        return self.folder

    def user_profile(self) -> str:
        return self.profile


def hooks_in(
    folder: Path,
    host: PlainHost,
    settings: Mapping[str, Any] | None = None,
    *,
    host_model: Any = None,
) -> Hooks:
    """Returns hooks without threads: tests run jobs and ticks by hand."""
    wanted = {"embedder": {"kind": "none"}} | dict(settings or {})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ltm_config.json").write_text(json.dumps(wanted), encoding="utf-8")
    runtime = build_runtime(Installation(folder=folder), host_model=host_model)
    opened.append(runtime)
    return Hooks(runtime, host)


def page_state(**changes: Any) -> dict[str, Any]:
    """Returns the parts of the page's state that the hooks read."""
    state = {
        "mode": "chat", "name1": "Ana", "name2": "Mira", "character_menu": "Mira",
        "user_menu": "", "unique_id": "20261121-10-00-00", "context": "Mira is kind.",
        "custom_system_message": "", "truncation_length": 8192, "max_new_tokens": 512,
        "history": {"internal": [], "visible": [], "metadata": {}},
    }  # fmt: skip
    return state | changes


def api_state(**changes: Any) -> dict[str, Any]:
    """Returns the state of an API call, which has neither chats nor menus."""
    state = page_state(user="ana", character="Mira", mode="chat")
    for key in ("unique_id", "character_menu", "user_menu"):
        del state[key]
    return state | changes


def history_of(*rows: tuple[str, str], stamp: str = "Nov 20, 2026 10:00") -> dict[str, Any]:
    metadata = {
        f"{side}_{index}": {"timestamp": stamp}
        for index in range(len(rows))
        for side in ("user", "assistant")
    }
    internal = [list(row) for row in rows]
    return {"internal": internal, "visible": [list(row) for row in rows], "metadata": metadata}

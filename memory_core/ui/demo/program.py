"""The demo without its page: settings, memory, hooks and characters in one folder."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ...admin.administration import Administration
from ...bootstrap import build_runtime
from ...host.hooks import Hooks
from ...infra import durable_files
from ...memory.installation import Installation
from ...providers.llm.base import LanguageModel
from . import samples
from .demo_host import DemoHost
from .responder import MemoryResponder, MemoryState, ModelResponder, Responder
from .session import Character, Session, SharedParts
from .traced_memories import TracedMemories, namespace_of

_FORMER_MODEL = "memory_core.ui.demo.shipped_vectors:ShippedVectors"


class Program:
    """Keeps chats, memories and ltm_config.json below `folder`. Starts no thread.

    `llm` replaces the language model of the settings.
    """

    def __init__(
        self, folder: Path, environ: Mapping[str, str], *, llm: LanguageModel | None = None
    ) -> None:
        installation = Installation(folder=folder, environ=environ, data_folder="")
        _forget_former_model(installation.config_path)
        self.runtime = build_runtime(installation, llm=llm)
        self.host = DemoHost(folder)
        self.hooks = Hooks(self.runtime, self.host)
        self.administration = Administration(self.hooks)
        found = samples.read()
        for sample in found:
            samples.install(sample, self.host, self.runtime.memory, now=datetime.now())
        self.characters = {sample["name"]: samples.character_of(sample) for sample in found}
        self.first_user = str(found[0]["user"])

    def first_character(self, language: str) -> str:
        """Returns the first sample character that speaks this language, else the very first."""
        known = self.characters.values()
        best_matches = (one.name for one in known if one.language == language)
        return next(best_matches, next(iter(self.characters)))

    def session(self, user: str, character: str, unique_id: str = "") -> Session:
        """Opens an existing chat, or a new one that starts with its first message."""
        parts = SharedParts(
            hooks=self.hooks, host=self.host, settings=self.runtime.settings.backend
        )
        return Session(parts, self.character(character), user=user, unique_id=unique_id)

    def responder(self, session: Session) -> Responder:
        """Returns a responder for the configured language model, else one that quotes memories."""
        settings, llm = self.runtime.settings, self.runtime.llm
        if llm is None:
            return MemoryResponder(self._memory_state(session), TracedMemories(self.hooks, session))
        return ModelResponder(llm, settings.backend, timeout_s=settings.llm.timeout_s)

    def _memory_state(self, session: Session) -> MemoryState:
        """Returns the functions that are switched on and not paused in this chat."""
        settings, pauses = self.runtime.settings, self.runtime.pauses
        namespace = namespace_of(session)
        paused = pauses.get(namespace, session.unique_id)
        never = pauses.is_never_remembered(namespace)
        return MemoryState(
            writes=settings.ltm_writes.enabled and not (paused.is_writing_paused or never),
            recalls=settings.recall.enabled and not paused.is_recall_paused,
        )

    def character(self, name: str) -> Character:
        """Returns the sample character of this name, else one with nothing but this name."""
        known = self.characters.get(name)
        return known or Character(name=name, context=f"{name} talks with {{{{user}}}}.")


def _forget_former_model(path: Path) -> None:
    """Removes the model of earlier versions of the demo from its settings."""
    if path.is_file() and _FORMER_MODEL in (text := path.read_text(encoding="utf-8")):
        settings = json.loads(text)
        del settings["embedder"]["kind"]
        durable_files.replace(path, json.dumps(settings, indent=2).encode())

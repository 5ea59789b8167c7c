"""A small host that generates: one lock, a stop flag for all, a stop event for one."""

import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any


class GeneratingHost:
    """The modules of a host, by name. It answers `reply` letter by letter, each after `letter_s`.

    A reply may be a function of the question, and come several letters at once.
    `at_letter` is done after the letters of these numbers, in the thread that generates.
    """

    def __init__(
        self, reply: str | Callable[[str], str], *, letter_s: float = 0.0, at_once: int = 1
    ) -> None:
        self.reply = reply
        self.at_once = at_once
        self.question = ""
        self.letter_s = letter_s
        self.prompts: list[str] = []
        self.states: list[dict[str, Any]] = []
        self.letters = 0
        self.at_letter: dict[int, Callable[[], object]] = {}
        self.shared = ModuleType("modules.shared")
        self.shared.settings = {"truncation_length": 8192, "temperature": 0.7, "list": [1]}
        self.shared.model, self.shared.model_name = object(), "tiny"
        self.shared.generation_lock = threading.Lock()
        self.shared.stop_everything = False
        self.models = ModuleType("modules.models")
        self.models.last_generation_time = 0.0
        self.models.active_generation_count = 0
        self.chat = ModuleType("modules.chat")
        self.chat.generate_chat_prompt = self.build_prompt
        self.text_generation = ModuleType("modules.text_generation")
        self.text_generation.generate_reply = self.generate_reply

    def modules(self) -> dict[str, ModuleType]:
        own = [self.shared, self.models, self.chat, self.text_generation]
        return {"modules": ModuleType("modules")} | {module.__name__: module for module in own}

    def build_prompt(self, user_input: str, state: dict[str, Any], **kwargs: Any) -> str:
        self.question = user_input
        rows = kwargs["history"]["internal"]
        said = [text for row in rows for text in row]
        return "\n".join([f"S:{state['custom_system_message']}", *said, user_input, "A:"])

    def generate_reply(self, prompt: str, state: dict[str, Any], **options: Any) -> Iterator[str]:
        with self.shared.generation_lock:
            self.models.active_generation_count += 1
            self.shared.stop_everything = False
            self.prompts.append(prompt)
            self.states.append(state)
            try:
                yield from self._pieces(state)
            finally:
                self.models.active_generation_count -= 1
                self.models.last_generation_time = time.time()

    def _pieces(self, state: dict[str, Any]) -> Iterator[str]:
        stop = state.get("stop_event")
        reply = self.reply if isinstance(self.reply, str) else self.reply(self.question)
        for start in range(0, len(reply), self.at_once):
            time.sleep(self.letter_s)
            self.letters += self.at_once
            self.at_letter.get(self.letters, int)()
            yield reply[: start + self.at_once]
            if self.shared.stop_everything or (stop is not None and stop.is_set()):
                return

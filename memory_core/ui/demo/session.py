"""One chat with one character: send, regenerate, remove last and new chat, as in the host."""

import html
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ...config.model_settings import BackendSettings
from ...domain.errors import LLMUnavailable
from ...host.hooks import Hooks
from . import chat_history
from .chat_history import History
from .demo_host import DemoHost
from .responder import Responder

_TRUNCATION_LENGTH = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """A character of the demo. `questions` are suggestions to ask it in its language."""

    name: str
    context: str
    greeting: str = ""
    questions: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedParts:
    """The collaborators that all chats of a program share."""

    hooks: Hooks
    host: DemoHost
    settings: BackendSettings
    clock: Callable[[], datetime] = datetime.now


class Session:
    """A chat; `history` is the content of its file. Not thread-safe."""

    def __init__(
        self, parts: SharedParts, character: Character, *, user: str, unique_id: str = ""
    ) -> None:
        self._parts = parts
        self.character = character
        self.user = user
        self.unique_id = unique_id
        self.history = (
            chat_history.read(self._path()) if unique_id else chat_history.empty_history()
        )

    def conversations(self) -> list[str]:
        """Returns the unique ids of this user's chats with this character, newest first."""
        folder = self._parts.host.chats(self.user, self.character.name)
        return sorted((path.stem for path in folder.glob("*.json")), reverse=True)

    def new_chat(self) -> None:
        """Starts a chat with the character's greeting."""
        self._begin()
        if greeting := self.character.greeting:
            hook = self._parts.hooks.output_modifier
            visible = hook(html.escape(greeting), self._state(), is_chat=True)
            self.history = chat_history.with_greeting(greeting, visible, self._now())
        self._save()

    def send(self, text: str, responder: Responder) -> Iterator[History]:
        """Yields the chat as the answer grows. On failure, removes the message again.

        Raises LLMUnavailable.
        """
        if not self.unique_id:
            self._begin()
        waiting = chat_history.with_question(self.history, text, self._now())
        yield from self._answer(waiting, responder)

    def regenerate(self, responder: Responder) -> Iterator[History]:
        """Yields the chat as a new answer to the last message grows.

        On failure the old answer stays. Raises LLMUnavailable.
        """
        if not chat_history.has_question(self.history):
            return
        waiting = chat_history.with_answer(self.history, "", "", self._now())
        yield from self._answer(waiting, responder)

    def edit_last(self, text: str, responder: Responder) -> Iterator[History]:
        """Changes the last message and yields the chat as its new answer grows.

        On failure the old message and answer stay. Raises LLMUnavailable.
        """
        if not chat_history.has_question(self.history):
            return
        shorter = chat_history.without_last(self.history)
        waiting = chat_history.with_question(shorter, text, self._now())
        yield from self._answer(waiting, responder)

    def messages(self) -> dict[int, str]:
        """Returns the row and the text of each message of the user, in order."""
        return chat_history.questions(self.history)

    def edit_earlier(self, row: int, text: str) -> None:
        """Changes a message in place, as the host does; the rows after it stay."""
        if row in self.messages():
            self.history = chat_history.with_other_question(self.history, row, text)
            self._save()

    def last_message(self) -> str:
        """Returns the user's last message; nothing in a chat without one."""
        asked = chat_history.has_question(self.history)
        return str(self.history["internal"][-1][0]) if asked else ""

    def remove_last(self) -> str:
        """Removes the last exchange from the chat and returns the user's text."""
        if text := self.last_message():
            self.history = chat_history.without_last(self.history)
            self._save()
        return text

    def _answer(self, waiting: History, responder: Responder) -> Iterator[History]:
        before, state = self.history, self._state()
        self.history = waiting
        self._save()
        with self._parts.host.generating():
            try:
                reply = yield from self._generate(waiting, state, responder)
            except LLMUnavailable:
                self.history = before
                self._save()
                raise
            visible = self._parts.hooks.output_modifier(html.escape(reply), state, is_chat=True)
            self.history = chat_history.with_answer(waiting, reply, visible, self._now())
            self._save()
        yield self.history

    def _generate(
        self, waiting: History, state: dict[str, Any], responder: Responder
    ) -> Generator[History, None, str]:
        text = waiting["internal"][-1][0]
        prompt = self._parts.hooks.custom_generate_chat_prompt(
            text, state, history=chat_history.before_answer(waiting), _continue=False
        )
        reply = ""
        for piece in responder.reply(self._parts.host.messages_of(prompt or "")):
            reply += piece
            yield chat_history.with_answer(waiting, reply, html.escape(reply), self._now())
        return reply

    def _begin(self) -> None:
        now = self._now()
        while chat_history.unique_id(now) in self.conversations():
            now += timedelta(seconds=1)
        self.unique_id = chat_history.unique_id(now)
        self.history = chat_history.empty_history()

    def _state(self) -> dict[str, Any]:
        return {
            "mode": "chat",
            "name1": self.user,
            "name2": self.character.name,
            "user_menu": self.user,
            "character_menu": self.character.name,
            "unique_id": self.unique_id,
            "context": self.character.context,
            "custom_system_message": "",
            "user_bio": "",
            "truncation_length": _TRUNCATION_LENGTH,
            "max_new_tokens": self._parts.settings.max_tokens,
            "recent_turns": self._parts.settings.recent_turns,
            "history": self.history,
        }

    def _path(self) -> Path:
        return self._parts.host.chat_path(self.user, self.character.name, self.unique_id)

    def _save(self) -> None:
        chat_history.write(self._path(), self.history)

    def _now(self) -> datetime:
        return self._parts.clock()

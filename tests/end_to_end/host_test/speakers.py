"""People who talk to the character, on the page or through the API as chat clients do."""

from collections.abc import Iterator
from typing import Any, Protocol

from . import talk
from .page import ChatPage
from .running import Running
from .sandbox import MAX_NEW, WINDOW

Pair = tuple[str, str]


class Speaker(Protocol):
    said: list[Pair]

    def say(self, text: str) -> str:
        """Sends the text and awaits its scripted answer. Returns the text as it was sent."""
        ...

    def new_chat(self) -> None: ...


class PageSpeaker:
    """`notes` gives each message its number; two speakers must not share numbers."""

    def __init__(self, page: ChatPage, notes: Iterator[int]) -> None:
        self.page = page
        self._notes = notes
        self.said: list[Pair] = []

    def say(self, text: str) -> str:
        number = next(self._notes)
        sent, answer = talk.note(text, number), talk.answer(number)
        self.page.say(sent, answer=answer)
        self.said.append((sent, answer))
        return sent

    def new_chat(self) -> None:
        self.page.new_chat()
        self.said = []


class ApiSpeaker:
    """Sends the whole chat with each message; the server keeps nothing."""

    def __init__(self, host: Running, notes: Iterator[int], *, mode: str, user: str) -> None:
        self._host = host
        self._notes = notes
        self._mode = mode
        self._user = user
        self.said: list[Pair] = []

    def say(self, text: str) -> str:
        number = next(self._notes)
        sent, expected = talk.note(text, number), talk.answer(number)
        answer = self.answer_to(sent)
        assert answer == expected, f"the model's answer came as {answer!r}, not {expected!r}"
        self.said.append((sent, answer))
        return sent

    def answer_to(self, sent: str) -> str:
        """Returns the answer to this message at the end of the chat, without changing the chat."""
        given = self._host.post("/v1/chat/completions", self._body(sent))
        return str(given["choices"][0]["message"]["content"]).strip()

    def streamed_answer_to(self, sent: str) -> str:
        body = self._body(sent) | {"stream": True}
        chunks = self._host.stream("/v1/chat/completions", body)
        return "".join(
            chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks
        ).strip()

    def prompt_without_us(self, sent: str) -> str:
        """Returns the host's own prompt for this message, which no extension changes."""
        return str(self._host.post("/v1/internal/chat-prompt", self._body(sent))["prompt"])

    def new_chat(self) -> None:
        self.said = []

    def _body(self, sent: str) -> dict[str, Any]:
        turns = [
            {"role": role, "content": text}
            for pair in self.said
            for role, text in zip(("user", "assistant"), pair, strict=True)
        ]
        named = {"user": self._user} if self._user else {}
        return named | {
            "messages": [*turns, {"role": "user", "content": sent}],
            "mode": self._mode,
            "truncation_length": WINDOW,
            "max_tokens": MAX_NEW,
        }

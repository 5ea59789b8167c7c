"""Follows the events of a streamed answer: its text, its end, and the bytes for the client."""

from dataclasses import dataclass, field
from typing import Any

from ...infra.json_codec import dump_json, load_json

DONE = b"[DONE]"
_DATA = b"data:"
_COMMENT = b":"


@dataclass(slots=True)
class AnswerStream:
    """The state of one stream. The event with the end of the answer is held back.

    So the client sees the end only after the exchange is on disk, and the last event can carry
    `retrieved`. `is_closed` means that [DONE] came; nothing after it counts.
    """

    text: list[str] = field(default_factory=list)
    held: list[bytes] = field(default_factory=list)
    is_finished: bool = False
    is_closed: bool = False
    has_tool_calls: bool = False
    fault: str = ""
    _last: dict[str, Any] = field(default_factory=dict)

    def take(self, line: bytes) -> bytes:
        """Reads one line of the backend; returns the bytes to forward at once, possibly none."""
        if self.is_closed:
            return b""
        if not line.startswith(_DATA):
            return b"" if self.held else _other_line(line)
        data = line[len(_DATA) :].strip()
        if data == DONE:
            self.is_finished = self.is_closed = True
            return b""
        event = parsed_object(data)
        if event is None:
            return _event(data)
        if event.get("error"):
            self.fault = str(event["error"])
            return _event(data)
        return self._take_event(event, data)

    def _take_event(self, event: dict[str, Any], data: bytes) -> bytes:
        choices = event.get("choices")
        choices = choices if isinstance(choices, list) else []
        for choice in choices:
            self._read(choice)
        self._last = {
            key: event[key] for key in ("id", "object", "created", "model") if key in event
        }
        ends = any(isinstance(choice, dict) and choice.get("finish_reason") for choice in choices)
        if ends or (self.held and not choices):  # usage comes last; other choices may go on
            self.held.append(data)
            return b""
        return _event(data)

    def _read(self, choice: object) -> None:
        """Reads the first choice; other choices are not stored."""
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            return
        delta = choice.get("delta")
        if isinstance(delta, dict):
            content = delta.get("content")
            if isinstance(content, str):
                self.text.append(content)
            self.has_tool_calls |= bool(delta.get("tool_calls"))
        if choice.get("finish_reason"):
            self.is_finished = True

    @property
    def answer(self) -> str:
        return "".join(self.text)

    def end(self, retrieved: dict[str, Any]) -> bytes:
        """Returns the last events: those held back, the last of them with `retrieved`."""
        *earlier, last = self.held or [dump_json(self._closing_event())]
        event = parsed_object(last) or self._closing_event()
        final = dump_json({**event, "retrieved": retrieved})
        return b"".join([*map(_event, earlier), _event(final), _event(DONE)])

    def _closing_event(self) -> dict[str, Any]:
        choice = {"index": 0, "delta": {}, "finish_reason": None}
        return {"object": "chat.completion.chunk", **self._last, "choices": [choice]}


def error_event(error: dict[str, Any]) -> bytes:
    """Returns the event that ends a broken stream; OpenAI's clients raise it as an error."""
    return _event(dump_json(error))


def _other_line(line: bytes) -> bytes:
    """Returns a comment as a block of its own. A field, such as `event:`, belongs to its data."""
    end = b"\n\n" if line.startswith(_COMMENT) else b"\n"
    return line + end if line else b""


def _event(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"


def parsed_object(data: bytes) -> dict[str, Any] | None:
    """Returns the JSON object in an answer; None for anything else."""
    try:
        value = load_json(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

"""Reads OpenAI's chat messages as a window, and inserts memories into them.

A message is never rebuilt: tools, images and unknown fields reach the model as the client sent
them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...prompt.plan import PromptPlan
from ...prompt.window import ChatMode, ChatRow, Window
from ...text.prompt_fence import SEPARATOR
from ..errors import RequestRefused

Message = Mapping[str, Any]

_SPAN = "messages"  # in a row's metadata: the messages that the row was read from
_SYSTEM_ROLES = ("system", "developer")
_TOOL_ROLES = ("tool", "function")
# Open WebUI's default words around documents, and SillyTavern's for the next character of a group.
_DOCUMENTS = "### Task:\nRespond to the user query using the provided context"
_DOCUMENTS_END = "</context>"
_GROUP_TURN = "[Write the next reply only as "


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadChat:
    """A client's messages and the window read from them.

    `system` is the leading system message. `current` is the user's last message, and `trailing`
    are the messages after it: the steps of a tool, or the beginning of an answer.
    """

    messages: Sequence[Message]
    window: Window
    system: Message | None = None
    current: Message | None = None
    trailing: Sequence[Message] = ()

    @property
    def is_tool_turn(self) -> bool:
        return any(message.get("role") in _TOOL_ROLES for message in self.trailing)

    @property
    def shown_rows(self) -> tuple[ChatRow, ...]:
        """Returns the rows that the client shows, with the last message if it has an answer."""
        if self.is_tool_turn or not any(map(_is_spoken, self.trailing)):
            return self.window.rows
        return (*self.window.rows, *self._latest_rows(self.trailing))

    @property
    def answer_start(self) -> str:
        """Returns the answer's beginning that the client asks the model to continue, or ""."""
        last = self.trailing[-1] if self.trailing else None
        return text_of(last) if last is not None and _is_spoken(last) else ""

    @property
    def is_task(self) -> bool:
        """Returns whether the client gives a task about the chat, such as a summary.

        Then a system message follows the answer to the user. The answer to the task is no part of
        the chat, except for the turn of another character in a group.
        """
        if not (self.trailing and _is_system(self.trailing[-1])):
            return False
        said = [message for message in self.trailing if not _is_system(message)]
        is_turn_of_another = text_of(self.trailing[-1]).startswith(_GROUP_TURN)
        return bool(said) and _is_spoken(said[-1]) and not is_turn_of_another

    def rows_with_answer(self, answer: str) -> tuple[ChatRow, ...]:
        """Returns the whole chat as rows, with the answer to the last message."""
        trailing = self.trailing[:-1] if self.answer_start else self.trailing
        said = {"role": "assistant", "content": self.answer_start + answer}
        return (*self.window.rows, *self._latest_rows([*trailing, said]))

    def _latest_rows(self, following: Sequence[Message]) -> Iterator[ChatRow]:
        return _rows([message for message in (self.current, *following) if message is not None], 0)


def read_chat(messages: object, *, user: str, character: str) -> ReadChat:
    """Returns the chat of these speakers, with an empty name for no character.

    Raises RequestRefused for anything but a list of messages.
    """
    checked = _checked(messages)
    start = 1 if checked and checked[0]["role"] in _SYSTEM_ROLES else 0
    system = checked[0] if start else None
    last = _index_of_last_user(checked)
    rows = tuple(_rows(checked[start:last], start))
    window = Window(
        rows=rows,
        message=_words_of(checked[last]) if last < len(checked) else "",
        mode=ChatMode.CHAT if character else ChatMode.INSTRUCT,
        context=text_of(system) if system and character else "",
        custom_system_message=text_of(system) if system and not character else "",
        name1=user or "User",
        name2=character or "Assistant",
    )
    return ReadChat(
        messages=checked,
        window=window,
        system=system,
        current=checked[last] if last < len(checked) else None,
        trailing=checked[last + 1 :],
    )


def with_memories(chat: ReadChat, plan: PromptPlan) -> list[Message]:
    """Returns the client's messages with the plan's memories, and without the rows it dropped."""
    found = _system_messages(chat, plan)
    for row in plan.window.rows:
        span = (row.user_meta or {}).get(_SPAN)
        found += chat.messages[slice(*span)] if span else exchange_messages(row.user, row.assistant)
    if chat.current is not None:
        block = plan.block if plan.block_in_message else ""
        found.append(_with_text_before(chat.current, block))
    return [*found, *chat.trailing]


def text_of(message: Message) -> str:
    """Returns the text of a message, without its images."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def exchange_messages(user: str, assistant: str) -> list[Message]:
    """Returns an exchange as two messages, without an empty one."""
    sides = (("user", user), ("assistant", assistant))
    return [{"role": role, "content": text} for role, text in sides if text]


def _checked(messages: object) -> list[Message]:
    if not isinstance(messages, list) or not messages:
        raise RequestRefused("messages must be a list with at least one message", param="messages")
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise RequestRefused(
                f"messages[{index}] must be an object with a role", param=f"messages[{index}]"
            )
    return messages


def _index_of_last_user(messages: Sequence[Message]) -> int:
    users = (i for i in range(len(messages) - 1, -1, -1) if messages[i]["role"] == "user")
    return next(users, len(messages))


def _rows(messages: Sequence[Message], offset: int) -> Iterator[ChatRow]:
    """Yields a row for each message of the user with the answer after it."""
    index = 0
    while index < len(messages):
        end = _end_of_row(messages, index)
        span = (offset + index, offset + end)
        yield _row(messages[index:end], span)
        index = end


def _end_of_row(messages: Sequence[Message], start: int) -> int:
    """Returns the end of the row. It includes system texts between a message and its answer.

    Front ends insert notes some messages before the end, wherever that is.
    """
    if messages[start]["role"] != "user":
        return start + 1
    others = (i for i in range(start + 1, len(messages)) if not _is_system(messages[i]))
    end = next(others, start)
    return end + 1 if messages[end]["role"] == "assistant" else start + 1


def _is_system(message: Message) -> bool:
    return message["role"] in _SYSTEM_ROLES


def _is_spoken(message: Message) -> bool:
    """Returns whether the message is an answer to the user, and not a tool's call."""
    return message["role"] == "assistant" and not message.get("tool_calls")


def _row(messages: Sequence[Message], span: tuple[int, int]) -> ChatRow:
    first, last = messages[0], messages[-1]
    role, meta = first["role"], {_SPAN: span}
    if role in _TOOL_ROLES:
        details = {"tool_call_id": str(first.get("tool_call_id") or "unknown")}
        return ChatRow(user="", assistant="", extra=(text_of(first), details), user_meta=meta)
    if role == "assistant":
        extra = ("", _calls(first))
        return ChatRow(user="", assistant=text_of(first), extra=extra, user_meta=meta)
    if role != "user":
        extra = ("", {"role": "system"})
        return ChatRow(user=text_of(first), assistant="", extra=extra, user_meta=meta)
    answer = text_of(last) if len(messages) > 1 else ""
    calls = _calls(last)
    extra_cells = ("", calls) if calls else ()
    return ChatRow(user=_words_of(first), assistant=answer, extra=extra_cells, user_meta=meta)


def _words_of(message: Message) -> str:
    """Returns the user's own words, without documents that Open WebUI puts before them."""
    text = text_of(message)
    own = text.rpartition(_DOCUMENTS_END)[2].strip() if text.startswith(_DOCUMENTS) else ""
    return own or text


def _calls(message: Message) -> dict[str, Any]:
    calls = message.get("tool_calls")
    return {"tool_calls": calls} if calls else {}


def _system_messages(chat: ReadChat, plan: PromptPlan) -> list[Message]:
    before, after = plan.base_window.system_text, plan.window.system_text
    if before == after:
        return [chat.system] if chat.system is not None else []
    if chat.system is None:
        return [{"role": "system", "content": after}]
    head, _, tail = after.partition(before) if before.strip() else ("", "", after)
    if isinstance(chat.system.get("content"), str):
        return [{**chat.system, "content": after}]
    return [_with_text_after(_with_text_before(chat.system, head), tail)]


def _with_text_before(message: Message, text: str) -> Message:
    if not text:
        return message
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [{"type": "text", "text": text}, *content]}
    return {**message, "content": f"{text}{SEPARATOR}{content or ''}"}


def _with_text_after(message: Message, text: str) -> Message:
    content = message.get("content")
    if not text or not isinstance(content, list):
        return message
    return {**message, "content": [*content, {"type": "text", "text": text}]}

"""Converts rows into chat messages, with tools and attachments, as the host's own builder does."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_core.text.cleaning import GREETING_MARK, MEDIA_MARK

Message = dict[str, Any]
Meta = Mapping[str, Any]


def messages(
    user_input: str, state: Meta, history: Meta, continuing: bool = False
) -> list[Message]:
    """Returns the rows of `history`, then `user_input`, ignored if `continuing` the last row."""
    metadata = history.get("metadata") or {}
    rows = history["internal"]
    found = _system_messages(state)
    for index, cells in enumerate(rows):
        found += _row_messages(cells, *_metas(metadata, index))
    if not continuing:
        found += _current_messages(user_input.strip(), *_metas(metadata, len(rows)))
    return found


def _metas(metadata: Meta, index: int) -> tuple[Meta, Meta]:
    return metadata.get(f"user_{index}") or {}, metadata.get(f"assistant_{index}") or {}


def _system_messages(state: Meta) -> list[Message]:
    """Returns instruct mode's own system message, or the character's context in chat modes."""
    if state["mode"] == "instruct":
        text, wanted = state.get("custom_system_message", ""), ""
    else:
        text, wanted = with_names(state.get("context", ""), state), state.get("user_bio", "")
    present = text.strip() or wanted.strip()
    return [{"role": "system", "content": text}] if present else []


def with_names(text: str, state: Meta) -> str:
    """Replaces the host's macros by the two names."""
    text = text.replace("{{user}}", state["name1"]).replace("<USER>", state["name1"])
    return text.replace("{{char}}", state["name2"]).replace("<BOT>", state["name2"])


def _row_messages(cells: Sequence[Any], user_meta: Meta, assistant_meta: Meta) -> list[Message]:
    user, assistant = cells[0].strip(), cells[1].strip()
    tool = cells[2].strip() if len(cells) > 2 else ""
    details = cells[3] if len(cells) > 3 else {}
    found: list[Message] = []
    if details.get("role") == "system":
        found += [{"role": "system", "content": user}] if user else []
    elif user not in ("", GREETING_MARK):
        found.append({"role": "user", "content": _with_attachments(user, user_meta)})
    found += _tool_messages(assistant_meta)
    found += _answer_messages(assistant, details)
    if tool:
        found.append(_tool_result(tool, details))
    return found


def _answer_messages(text: str, details: Meta) -> list[Message]:
    calls = details.get("tool_calls")
    if not (text or calls):
        return []
    answer: Message = {"role": "assistant", "content": text}
    return [{**answer, "tool_calls": _calls(calls)} if calls else answer]


def _tool_result(text: str, details: Meta) -> Message:
    given = {key: details[key] for key in ("tool_call_id",) if key in details}
    return {"role": "tool", "content": text, **given}


def _current_messages(text: str, user_meta: Meta, assistant_meta: Meta) -> list[Message]:
    content = _with_attachments(text, user_meta)
    asked = [{"role": "user", "content": content}] if content else []
    return asked + _tool_messages(assistant_meta)


def _with_attachments(text: str, meta: Meta) -> str:
    """Puts image marks before the text and the contents of files after it."""
    images, files = "", ""
    for attachment in meta.get("attachments") or ():
        if attachment.get("type") == "image":
            images += MEDIA_MARK
        else:
            name, content = attachment.get("name", "file"), attachment.get("content", "")
            files += f"\n[{name}]\n{content}\n"
    text = f"{images}\n\n{text}" if images else text
    return f"{text}\n\nATTACHMENTS:\n{files}" if files else text


def _tool_messages(assistant_meta: Meta) -> list[Message]:
    """Returns the tool calls and results of one turn; a missing result becomes an empty one."""
    found: list[Message] = []
    for step in assistant_meta.get("tool_sequence") or ():
        if "tool_calls" in step:
            calls = _calls(step["tool_calls"])
            content = step.get("content", "")
            found.append({"role": "assistant", "content": content, "tool_calls": calls})
        elif step.get("role") == "tool":
            found.append(_tool_result(step["content"], step))
    return found + [_tool_result("", {"tool_call_id": call}) for call in _unanswered_calls(found)]


def _unanswered_calls(found: Iterable[Message]) -> list[str]:
    asked: dict[str, None] = {}
    for message in found:
        asked |= {call["id"]: None for call in message.get("tool_calls", ()) if call.get("id")}
    answered = {message.get("tool_call_id") for message in found}
    return [call for call in asked if call not in answered]


def _calls(calls: Iterable[Meta]) -> list[Message]:
    """Parses arguments that an API gave as JSON text: templates expect objects."""
    return [{**call, "function": _function(call.get("function") or {})} for call in calls]


def _function(function: Meta) -> Message:
    arguments = function.get("arguments")
    try:
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
    except json.JSONDecodeError:
        return dict(function)
    return {**function, "arguments": arguments}

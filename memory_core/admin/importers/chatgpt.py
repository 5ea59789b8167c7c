"""Reads ChatGPT's export: conversations.json, alone, in numbered parts, or in the original zip.

A conversation is a tree in `mapping`. The branch shown last is the path from `current_node` up.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Role, Turn
from ...text.cleaning import clean_for_role
from .base import RETRY_ADVICE, ImportChat, MemoryOwner, Reader, UniqueNames, import_error
from .json_input import as_list, as_object, as_text, iter_array_objects
from .pairing import role_of, to_chat_exchanges
from .text_input import decode_text, read_beginning, read_text
from .timestamps import fill_missing_dates, parse_timestamp
from .zip_input import is_zip, list_members, open_member

_FILE_NAME = re.compile(r"conversations(?:[-_ ]?\d+)?\.json")
_ANY_NAME = re.compile(".*")
_SHOWN_CONTENT_TYPES = frozenset({"text", "multimodal_text"})
# Marks of sources and widgets; their targets are not in the export.
_CITATION_MARK = re.compile("\ue200[^\ue200\ue201]*\ue201|\u3010\\d+\u2020[^\u3010\u3011]*\u3011")
_TREE_KEY = re.compile(r'"mapping"\s*:\s*\{')
_ASSISTANT = "ChatGPT"


class ChatGPTReader(Reader):
    name = "chatgpt"
    has_complete_chats = True  # its ids are the conversations' own

    def recognises(self, path: Path) -> bool:
        if path.is_dir():
            return any(_TREE_KEY.search(read_beginning(part)) for part in _numbered_files(path))
        if is_zip(path):
            # A zip without a directory is most likely an interrupted download.
            return bool(list_members(path, _FILE_NAME)) or not list_members(path, _ANY_NAME)
        return bool(_TREE_KEY.search(read_beginning(path)))

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        namespace, names = Namespace(owner.user, owner.character), UniqueNames()
        for where, pieces in _conversation_files(path):
            for number, conversation in enumerate(iter_array_objects(pieces, where), start=1):
                said = _exchanges(conversation, f"{where}, conversation {number}", self.name)
                said = fill_missing_dates(said, parse_timestamp(conversation.get("create_time")))
                if said:
                    wanted = f"{self.name}-{_conversation_id(conversation, said)}"
                    free = names.assign(namespace, wanted)
                    yield ImportChat(
                        namespace=namespace, conversation=free, exchanges=said, source=path
                    )


def _conversation_files(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    """Yields (name for messages, pieces of text) for each file of conversations."""
    if path.is_dir():
        yield from ((str(part), read_text(part)) for part in _numbered_files(path))
    elif is_zip(path):
        for name in _conversation_members(path):
            yield f"{path}: {name}", _read_member(path, name)
    else:
        yield str(path), read_text(path)


def _numbered_files(folder: Path) -> list[Path]:
    return sorted(
        path for path in folder.iterdir() if path.is_file() and _FILE_NAME.fullmatch(path.name)
    )


def _conversation_members(path: Path) -> Sequence[str]:
    found = list_members(path, _FILE_NAME)
    if not found:
        raise import_error(path, "is a damaged zip, or holds no conversations.json", RETRY_ADVICE)
    return found


def _read_member(path: Path, name: str) -> Iterator[str]:
    with open_member(path, name) as stream:
        yield from decode_text(stream, f"{path}: {name}")


def _conversation_id(conversation: Mapping[str, Any], said: Sequence[Exchange]) -> str:
    found = as_text(conversation.get("conversation_id")) or as_text(conversation.get("id"))
    return found or said[0].key


def _exchanges(conversation: Mapping[str, Any], where: str, channel: str) -> list[Exchange]:
    path = _shown_branch(conversation, where)
    return to_chat_exchanges((turn for node in path if (turn := _turn(node)) is not None), channel)


def _shown_branch(conversation: Mapping[str, Any], where: str) -> Sequence[Mapping[str, Any]]:
    """Returns the nodes of the shown branch, oldest first."""
    mapping = as_object(conversation.get("mapping"))
    node = as_text(conversation.get("current_node"))
    node = node if node in mapping else _newest_leaf(mapping)
    path: dict[str, Mapping[str, Any]] = {}
    while node in mapping:
        if node in path:
            raise import_error(where, f"its messages form a circle at {node!r}", RETRY_ADVICE)
        path[node] = as_object(mapping[node])
        node = as_text(path[node].get("parent"))
    return list(path.values())[::-1]


def _newest_leaf(mapping: Mapping[str, Any]) -> str:
    """Returns the newest message without a successor, for files without `current_node`."""
    parents = {as_text(as_object(node).get("parent")) for node in mapping.values()}
    leaves = [key for key in mapping if key not in parents] or list(mapping)
    return max(leaves, key=lambda key: _sent_at(mapping[key]) or 0.0, default="")


def _sent_at(node: object) -> float | None:
    return parse_timestamp(as_object(as_object(node).get("message")).get("create_time"))


def _turn(node: Mapping[str, Any]) -> Turn | None:
    """Returns a shown message; None for tools, thoughts, instructions and placeholders."""
    message = as_object(node.get("message"))
    content = as_object(message.get("content"))
    role = role_of(as_text(as_object(message.get("author")).get("role")))
    kind = as_text(content.get("content_type")) or "text"
    if role is None or kind not in _SHOWN_CONTENT_TYPES or _is_hidden(message):
        return None
    text = clean_for_role(_CITATION_MARK.sub("", "\n".join(_text_parts(content))), role)
    name = _ASSISTANT if role is Role.ASSISTANT else ""
    return Turn(role=role, text=text, name=name, ts=_sent_at(node))


def _is_hidden(message: Mapping[str, Any]) -> bool:
    metadata = as_object(message.get("metadata"))
    is_hidden = metadata.get("is_visually_hidden_from_conversation") is True
    to_a_tool = as_text(message.get("recipient")) not in ("", "all")
    return is_hidden or to_a_tool or as_text(message.get("channel")) == "analysis"


def _text_parts(content: Mapping[str, Any]) -> Iterator[str]:
    """Yields written and spoken parts, without pictures and files."""
    for part in as_list(content.get("parts")):
        yield from filter(None, [as_text(part) or as_text(as_object(part).get("text"))])

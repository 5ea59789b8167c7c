"""ChatGPT's export: conversations.json, alone, cut in numbered parts, or in the zip as it came.

A conversation is a tree in `mapping`; what its reader saw last is the path from `current_node` up.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Role, Turn
from ...text.cleaning import cleaned
from .base import AGAIN, Chat, Owner, refused
from .guess_dates import dated
from .json_input import elements, list_of, object_of, text_of
from .pairing import as_chat, role_of
from .text_input import beginning, decoded, letters
from .timestamps import seconds
from .two_pass import Names, checked
from .zip_input import is_zip, member, members

_FILE = re.compile(r"conversations(?:[-_ ]?\d+)?\.json")
_SEEN = frozenset({"text", "multimodal_text"})
# Marks of sources and widgets; their targets are not in the export.
_MARKS = re.compile("\ue200[^\ue200\ue201]*\ue201|\u3010\\d+\u2020[^\u3010\u3011]*\u3011")
_TREE = re.compile(r'"mapping"\s*:\s*\{')
_ASSISTANT = "ChatGPT"


class ChatGPT:
    name = "chatgpt"
    complete = True  # an export has all of a conversation; its id is the conversation's own

    def recognises(self, path: Path) -> bool:
        if path.is_dir():
            return any(_TREE.search(beginning(part)) for part in _parts(path))
        if is_zip(path):
            return bool(members(path, _FILE)) or _is_damaged(path)
        return bool(_TREE.search(beginning(path)))

    def read(self, path: Path, owner: Owner) -> Iterator[Chat]:
        return checked(lambda: self._chats(path, owner))

    def _chats(self, path: Path, owner: Owner) -> Iterator[Chat]:
        namespace, names = Namespace(owner.user, owner.character), Names()
        for where, pieces in _texts(path):
            for number, conversation in enumerate(elements(pieces, where), start=1):
                said = _exchanges(conversation, f"{where}, conversation {number}", self.name)
                said = dated(said, seconds(conversation.get("create_time")))
                if said:
                    wanted = f"{self.name}-{_id(conversation, said)}"
                    free = names.free(namespace, wanted)
                    yield Chat(namespace=namespace, conversation=free, exchanges=said, source=path)


def _is_damaged(path: Path) -> bool:
    """A zip without a directory is most likely a download that broke off."""
    return not members(path, re.compile(".*"))


def _texts(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    """(what to call it, its text in pieces) for each file of conversations."""
    if path.is_dir():
        yield from ((str(part), letters(part)) for part in _parts(path))
    elif is_zip(path):
        for name in _members(path):
            yield f"{path}: {name}", _unpacked(path, name)
    else:
        yield str(path), letters(path)


def _parts(folder: Path) -> list[Path]:
    return sorted(it for it in folder.iterdir() if it.is_file() and _FILE.fullmatch(it.name))


def _members(path: Path) -> Sequence[str]:
    found = members(path, _FILE)
    if not found:
        raise refused(path, "is a damaged zip, or holds no conversations.json", AGAIN)
    return found


def _unpacked(path: Path, name: str) -> Iterator[str]:
    with member(path, name) as stream:
        yield from decoded(stream, f"{path}: {name}")


def _id(conversation: Mapping[str, Any], said: Sequence[Exchange]) -> str:
    found = text_of(conversation.get("conversation_id")) or text_of(conversation.get("id"))
    return found or said[0].key


def _exchanges(conversation: Mapping[str, Any], where: str, channel: str) -> list[Exchange]:
    path = _path(conversation, where)
    return as_chat((turn for node in path if (turn := _turn(node)) is not None), channel)


def _path(conversation: Mapping[str, Any], where: str) -> Sequence[Mapping[str, Any]]:
    """The nodes of the branch that is shown, oldest first."""
    mapping = object_of(conversation.get("mapping"))
    at = text_of(conversation.get("current_node"))
    at = at if at in mapping else _last(mapping)
    path: dict[str, Mapping[str, Any]] = {}
    while at in mapping:
        if at in path:
            raise refused(where, f"its messages form a circle at {at!r}", AGAIN)
        path[at] = object_of(mapping[at])
        at = text_of(path[at].get("parent"))
    return list(path.values())[::-1]


def _last(mapping: Mapping[str, Any]) -> str:
    """The newest message that nothing follows, where the file does not say what was shown."""
    parents = {text_of(object_of(node).get("parent")) for node in mapping.values()}
    leaves = [key for key in mapping if key not in parents] or list(mapping)
    return max(leaves, key=lambda key: _said_at(mapping[key]) or 0.0, default="")


def _said_at(node: object) -> float | None:
    return seconds(object_of(object_of(node).get("message")).get("create_time"))


def _turn(node: Mapping[str, Any]) -> Turn | None:
    """None for what its reader did not see: tools, thoughts, instructions, placeholders."""
    message = object_of(node.get("message"))
    content = object_of(message.get("content"))
    role = role_of(text_of(object_of(message.get("author")).get("role")))
    kind = text_of(content.get("content_type")) or "text"
    if role is None or kind not in _SEEN or _is_hidden(message):
        return None
    text = cleaned(_unmarked("\n".join(_texts_of(content))), role)
    name = _ASSISTANT if role is Role.ASSISTANT else ""
    return Turn(role=role, text=text, name=name, ts=_said_at(node))


def _unmarked(text: str) -> str:
    return text if text.isascii() else _MARKS.sub("", text)


def _is_hidden(message: Mapping[str, Any]) -> bool:
    told = object_of(message.get("metadata"))
    is_hidden = told.get("is_visually_hidden_from_conversation") is True
    to_a_tool = text_of(message.get("recipient")) not in ("", "all")
    return is_hidden or to_a_tool or text_of(message.get("channel")) == "analysis"


def _texts_of(content: Mapping[str, Any]) -> Iterator[str]:
    """The written and the spoken parts; pictures and files are left out."""
    for part in list_of(content.get("parts")):
        yield from filter(None, [text_of(part) or text_of(object_of(part).get("text"))])

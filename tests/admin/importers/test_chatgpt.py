"""ChatGPT's conversations.json: the branch that was shown, streamed, alone or in its zip."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memory_core.admin.importers import json_input
from memory_core.admin.importers.formats import recognise
from memory_core.admin.importers.source import ImportFailure, ImportSource
from memory_core.domain.errors import ImportFailed
from tests.admin.importers.foreign import OWNER, read, read_as, said, write, write_json
from tests.cases import for_each

Node = dict[str, Any]


def message(role: str, *parts: Any, **more: Any) -> Node:
    content = {"content_type": more.pop("content_type", "text"), "parts": list(parts)}
    return {"author": {"role": role}, "content": content, "create_time": None} | more


def chain(*messages: Node | None) -> dict[str, Node]:
    """A mapping in which each message follows the one before; the ids are n0, n1, …"""
    return {
        f"n{number}": {
            "id": f"n{number}",
            "message": message,
            "parent": f"n{number - 1}" if number else None,
        }
        for number, message in enumerate(messages)
    }


def conversation(mapping: dict[str, Node], *, shown: str = "", name: str = "c1") -> Node:
    current = shown or next(reversed(mapping), "")
    told = {"title": "Talk", "create_time": 1_700_000_000.0, "mapping": mapping}
    return told | {"current_node": current, "conversation_id": name}


def small(name: str = "c1", words: str = "hello") -> Node:
    return conversation(chain(None, message("user", words), message("assistant", "hi")), name=name)


def test_branch_up_to_the_current_node_is_read(tmp_path: Path) -> None:
    mapping = chain(None, message("user", "a joke?"), message("assistant", "first try"))
    again = {"message": message("assistant", "second try"), "parent": "n1"}
    path = write_json(tmp_path / "conversations.json", [conversation(mapping | {"b": again})])
    assert said(read(path)) == [("a joke?", "second try")]


def test_without_a_current_node_the_newest_leaf_was_shown(tmp_path: Path) -> None:
    mapping = chain(None, message("user", "?"), message("assistant", "old", create_time=1.7e9))
    newer = {"message": message("assistant", "new", create_time=1.8e9), "parent": "n1"}
    told = conversation({"n0": mapping["n0"], "b": newer} | mapping) | {"current_node": None}
    assert said(read(write_json(tmp_path / "conversations.json", [told]))) == [("?", "new")]


def test_only_visible_messages_are_read(tmp_path: Path) -> None:
    mapping = chain(
        message("system", "You are ChatGPT."),
        message("user", "about me", content_type="user_editable_context"),
        message("user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        message("user", "weather?"),
        message("assistant", "secret", content_type="thoughts"),
        message("assistant", '{"q": "weather"}', recipient="web.run"),
        message("tool", "sunny"),
        message("assistant", "Sunny\ue200cite\ue202turn0search1\ue201."),
    )
    path = write_json(tmp_path / "conversations.json", [conversation(mapping)])
    assert said(read(path)) == [("weather?", "Sunny.")]


def test_text_parts_of_a_message_are_kept(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    spoken = {"content_type": "audio_transcription", "text": "what is this?"}
    asked = message("user", picture, "look", spoken, content_type="multimodal_text")
    mapping = chain(asked, message("assistant", "a cat"))
    path = write_json(tmp_path / "conversations.json", [conversation(mapping)])
    assert said(read(path)) == [("look\nwhat is this?", "a cat")]


def test_times_names_and_conversations_are_kept(tmp_path: Path) -> None:
    mapping = chain(message("user", "a", create_time=1.7e9), message("assistant", "b"))
    path = write_json(tmp_path / "conversations.json", [conversation(mapping, name="abc")])
    (chat,) = read(path)
    assert (chat.conversation, chat.namespace.user) == ("chatgpt-abc", OWNER.user)
    assert chat.exchanges[0].ts == 1.7e9
    assert chat.exchanges[0].assistant_name == "ChatGPT"


def test_two_conversations_with_one_id_stay_two(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [small(words="a"), small(words="b")])
    assert [chat.conversation for chat in read(path)] == ["chatgpt-c1", "chatgpt-c1-2"]


def test_a_circle_of_messages_is_refused(tmp_path: Path) -> None:
    mapping = chain(message("user", "a"), message("assistant", "b"))
    mapping["n0"]["parent"] = "n1"
    path = write_json(tmp_path / "conversations.json", [small("ok"), conversation(mapping)])
    with pytest.raises(ImportFailed, match=r"conversation 2: .* circle"):
        read(path)


@pytest.mark.parametrize("mapping", [None, [], "x", {}, {"a": None}, {"a": {"message": 3}}])
def test_a_mapping_of_another_shape_holds_nothing(tmp_path: Path, mapping: Any) -> None:
    path = write_json(tmp_path / "conversations.json", [small() | {"mapping": mapping}, small()])
    assert said(read_as("chatgpt", path)) == [("hello", "hi")]


@pytest.mark.parametrize("time", ["NaN", "1e999", "-5", '"yesterday"', "true", "9" * 400])
def test_an_impossible_time_is_no_time(tmp_path: Path, time: str) -> None:
    text = json.dumps([small() | {"create_time": 0}]).replace(
        '"create_time": null', f'"create_time": {time}'
    )
    assert time in text
    (chat,) = read(write(tmp_path / "conversations.json", text))
    assert chat.exchanges[0].ts is None


# In the zip, and in parts.


def pack(path: Path, members: dict[str, str], **more: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text, **more)
    return path


def test_original_zip_is_read(tmp_path: Path) -> None:
    members = {"chat.html": "<p>", "conversations.json": json.dumps([small()]), "user.json": "{}"}
    assert said(read(pack(tmp_path / "export.zip", members))) == [("hello", "hi")]


def test_numbered_parts_are_read_in_order(tmp_path: Path) -> None:
    parts = {f"conversations-00{n}.json": json.dumps([small(f"c{n}")]) for n in (1, 0)}
    names = [chat.conversation for chat in read(pack(tmp_path / "export.zip", parts))]
    for name, text in parts.items():
        write(tmp_path / "unpacked" / name, text)
    assert names == ["chatgpt-c0", "chatgpt-c1"]
    assert [chat.conversation for chat in read(tmp_path / "unpacked")] == names


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/passwd", "C:\\evil.txt", "a/../../evil.txt", "..\\evil.txt"]
)
def test_a_zip_with_a_name_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    members = {"conversations.json": json.dumps([small()]), name: "x"}
    with pytest.raises(ImportFailed, match="leads out of the zip"):
        read(pack(tmp_path / "export.zip", members))
    assert {path.name for path in tmp_path.iterdir()} == {"export.zip"}


def test_a_zip_with_a_link_is_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "export.zip", {"conversations.json": json.dumps([small()])})
    link = zipfile.ZipInfo("link.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ImportFailed, match=r"'link\.json': is a link"):
        read(path)


def test_a_bomb_is_refused_by_what_it_declares(tmp_path: Path) -> None:
    bomb = "[" + " " * 4_000_000 + "]"
    with pytest.raises(ImportFailed, match="more than 200 times its size"):
        read(pack(tmp_path / "export.zip", {"conversations.json": bomb}))


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    text = "[" + " " * 4_000_000 + "]"
    path = pack(tmp_path / "export.zip", {"conversations.json": text})
    data, true, false = path.read_bytes(), len(text).to_bytes(4, "little"), b"\x10\0\0\0"
    assert data.count(true) == 2
    path.write_bytes(data.replace(true, false))
    with pytest.raises(ImportFailed, match="damaged zip"):
        read(path)


def test_a_zip_that_broke_off_is_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "export.zip", {"conversations.json": json.dumps([small()] * 50)})
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ImportFailed, match="damaged zip"):
        read(path)


def test_a_zip_of_something_else_is_not_ours(tmp_path: Path) -> None:
    assert recognise(pack(tmp_path / "photos.zip", {"a.jpg": "x"})) is None


# The stream.


@pytest.mark.parametrize("cut", [1, 40, 200, -1, -2, -9])
def test_a_file_that_broke_off_is_refused_before_a_chat_is_given(tmp_path: Path, cut: int) -> None:
    text = json.dumps([small("a"), small("b")])[:cut]
    with pytest.raises(
        ImportFailed, match=r"conversations\.json, letter \d+: the file ends too early"
    ):
        next(iter(read_as("chatgpt", write(tmp_path / "conversations.json", text))))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('[{"mapping": {}} {"mapping": {}}]', "found '{' instead of ','"),
        ('[{"mapping": {}}] tail', "goes on after its end"),
        ('[{"mapping": {"a": nonsense ' + " " * 99 + "}}]", "letter 19: Expecting value"),
        ('["mapping"]', "instead of '{'"),
        ('[{"mapping": ' + "[" * 100_000 + "]}]", "nested too deeply"),
        ('[{"mapping": {"a": ' + "9" * 5000 + "}}]", "no JSON"),
    ],
)
def test_json_that_is_no_array_of_objects_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ImportFailed, match=fault):
        read_as("chatgpt", write(tmp_path / "conversations.json", text))


def test_a_conversation_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_input, "MAX_ELEMENT_BYTES", 2**20)
    path = write_json(tmp_path / "conversations.json", [small(words="x" * 5 * 2**20)])
    with pytest.raises(ImportFailed, match="larger than 1 million letters"):
        read(path)


@for_each("size", [1, 7, 64, 1000])
def test_array_reads_the_same_in_pieces_of_any_size(size: int) -> None:
    rows = [small(str(n), words='ü\\"{[' * n) for n in range(9)]
    text = json.dumps(rows, indent=1)
    pieces = (text[start : start + size] for start in range(0, len(text), size))
    assert list(json_input.iter_array_objects(pieces, "file")) == rows


def test_large_file_is_read_twice_instead_of_buffered(tmp_path: Path) -> None:
    """The last conversation is broken: nothing of the twenty megabytes before it may come out."""
    rows = [small(str(n), words=f"{n} " + "word " * 50_000) for n in range(80)]
    circle = chain(message("user", "a"))
    circle["n0"]["parent"] = "n0"
    path = write_json(tmp_path / "conversations.json", rows)
    reader = recognise(path)
    assert reader is not None
    source = ImportSource(reader=reader, path=path, owner=OWNER)
    assert sum(1 for _ in source.chats()) == 80
    write_json(path, [*rows, conversation(circle)])
    (found,) = source.chats()
    assert isinstance(found, ImportFailure)
    assert "circle" in found.reason


def test_json_error_far_into_a_file_names_its_position() -> None:
    text = "[" + json.dumps(small(words="x" * 500)) + ', {"mapping": nonsense' + " " * 99 + "}]"
    pieces = (text[start : start + 64] for start in range(0, len(text), 64))
    with pytest.raises(ImportFailed, match=f"letter {text.index('nonsense')}: Expecting value"):
        list(json_input.iter_array_objects(pieces, "file"))

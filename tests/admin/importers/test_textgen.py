"""Chats of text-generation-webui: where they lie, how old they are, whose they become."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from memory_core.admin.importers.base import ImportChat
from memory_core.admin.importers.formats import find_reader
from memory_core.admin.importers.source import ImportFailure
from memory_core.admin.importers.textgen import TextgenReader
from memory_core.domain.errors import ImportFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import APPROXIMATE, DATE, UNKNOWN
from memory_core.domain.unicode import well_formed
from tests.admin.importers.chats import GREETING, MIRA, history, old_history, save, source

TOM = ["My cat is Tom", "Lovely"]
REX = ["My dog is Rex", "Nice"]
EVE = datetime(2023, 6, 1, 12, 30).timestamp()


def only(folder: Path, user: str = "default") -> ImportChat:
    (found,) = source(folder, user).chats()
    assert isinstance(found, ImportChat), found
    return found


def dates(chat: ImportChat) -> list[tuple[float | None, object]]:
    return [(exchange.ts, exchange.metadata.get(DATE)) for exchange in chat.exchanges]


def pairs(chat: ImportChat) -> list[tuple[str, str]]:
    return [(exchange.user, exchange.assistant) for exchange in chat.exchanges]


def test_a_characters_chat_is_named_as_the_live_chat_names_it(tmp_path: Path) -> None:
    save(tmp_path, "chat/Mira/20230601-12-30-00.json", history([GREETING, TOM]))
    chat = only(tmp_path)
    assert (chat.namespace, chat.conversation) == (MIRA, "20230601-12-30-00")
    assert pairs(chat) == [("My cat is Tom", "Lovely")]


def test_an_instruct_chat_goes_where_instruct_mode_remembers(tmp_path: Path) -> None:
    save(tmp_path, "instruct/20230601-12-30-00.json", history([TOM]))
    chat = only(tmp_path)
    assert chat.namespace == Namespace.instruct("default")
    assert (chat.exchanges[0].channel, chat.exchanges[0].user_name) == ("instruct", "")


def stray(folder: Path, name: str, *rows: list[str]) -> Path:
    path = folder / name
    path.write_text(json.dumps(history(rows)), encoding="utf-8")
    return path


def test_a_chat_taken_out_of_its_folder_is_the_named_characters(tmp_path: Path) -> None:
    path = stray(tmp_path, "20230601-12-30-00.json", TOM)
    assert find_reader(path).name == "textgen"
    (chat,) = source(path, character="Mira").chats()
    assert isinstance(chat, ImportChat), chat
    assert (chat.namespace, chat.conversation) == (MIRA, "20230601-12-30-00")
    assert chat.exchanges[0].assistant_name == "Mira"
    assert pairs(chat) == [("My cat is Tom", "Lovely")]


def test_chat_outside_its_folder_needs_the_character_option(tmp_path: Path) -> None:
    (failure,) = source(stray(tmp_path, "chat.json", TOM)).chats()
    assert isinstance(failure, ImportFailure)
    assert "--character" in failure.reason


def test_two_chats_of_one_name_outside_their_folders_stay_two(tmp_path: Path) -> None:
    names = set()
    for folder, row in (("a", TOM), ("b", REX)):
        (tmp_path / folder).mkdir()
        (chat,) = source(stray(tmp_path / folder, "chat.json", row), character="Mira").chats()
        assert isinstance(chat, ImportChat), chat
        names.add(chat.conversation)
    assert len(names) == 2


def test_an_incognito_chat_is_refused_wherever_it_lies(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed):
        find_reader(stray(tmp_path, "incognito-1.json", TOM))
    with pytest.raises(ImportFailed):
        list(source(stray(tmp_path, "incognito-1.json", TOM), character="Mira").chats())


def test_dated_row_has_the_time_of_its_metadata(tmp_path: Path) -> None:
    stamps = {0: "Jun 01, 2023 12:30"}
    save(tmp_path, "chat/Mira/20240101-00-00-00.json", history([TOM], stamps))
    assert dates(only(tmp_path)) == [(EVE, None)]


def test_undated_rows_of_the_old_format_are_dated_by_the_chats_name_and_marked(
    tmp_path: Path,
) -> None:
    save(tmp_path, "chat/Mira/20230601-12-30-00.json", old_history([GREETING, TOM, REX]))
    assert dates(only(tmp_path)) == [(EVE, APPROXIMATE)] * 2


def test_a_row_without_a_time_is_as_old_as_the_one_before(tmp_path: Path) -> None:
    stamps = {0: "May 01, 2023 12:30", 1: "Jun 01, 2023 12:30"}
    save(tmp_path, "chat/Mira/20240101-00-00-00.json", history([REX, TOM, REX], stamps))
    assert dates(only(tmp_path))[1:] == [(EVE, None), (EVE, APPROXIMATE)]


def test_rows_before_the_first_dated_one_are_not_made_younger(tmp_path: Path) -> None:
    stamps = {1: "Jun 01, 2023 12:30"}
    save(tmp_path, "chat/Mira/20240101-00-00-00.json", history([TOM, REX], stamps))
    assert dates(only(tmp_path)) == [(EVE, APPROXIMATE), (EVE, None)]


@pytest.mark.parametrize("name", ["our talk", "20239999-99-99-99", "00000101-00-00-00"])
def test_row_without_any_known_time_is_marked_as_unknown(tmp_path: Path, name: str) -> None:
    save(tmp_path, f"chat/Mira/{name}.json", old_history([TOM]))
    assert dates(only(tmp_path)) == [(None, UNKNOWN)]


@pytest.mark.parametrize(
    "name",
    [
        "Mira_persistent.json",
        "persistent_Mira.json",
        "chat/Mira_persistent.json",
        "chat/persistent_Mira.json",
        "Mira_20230601-123000.json",
    ],
)
def test_the_oldest_files_name_their_character(tmp_path: Path, name: str) -> None:
    save(tmp_path, name, old_history([TOM]))
    chat = only(tmp_path)
    assert (chat.namespace, pairs(chat)) == (MIRA, [("My cat is Tom", "Lovely")])
    assert chat.exchanges[0].ts == (EVE if "2023" in name else None)


def test_an_old_instruct_file_is_no_character(tmp_path: Path) -> None:
    save(tmp_path, "Instruct_20230601-123000.json", old_history([TOM]))
    assert only(tmp_path).namespace == Namespace.instruct("default")


@pytest.mark.parametrize(
    "name",
    ["chat_state.json", "chat/Mira/incognito-20230601-12-30-00.json", "notebook/a.json", "a.json"],
)
def test_other_files_and_incognito_chats_are_not_imported(tmp_path: Path, name: str) -> None:
    save(tmp_path, name, history([TOM]))
    assert not TextgenReader().recognises(tmp_path)
    with pytest.raises(ImportFailed, match="holds no chats"):
        TextgenReader().files(tmp_path)


@pytest.mark.parametrize("below", [".", "user_data", "user_data/logs"])
def test_the_installation_its_user_data_and_its_logs_are_the_same(
    tmp_path: Path, below: str
) -> None:
    save(tmp_path / "user_data", "chat/Mira/20230601-12-30-00.json", history([TOM]))
    assert only(tmp_path / below).namespace == MIRA
    assert find_reader(tmp_path / below).name == "textgen"


def test_an_updated_installation_gives_its_old_chats_too(tmp_path: Path) -> None:
    save(tmp_path, "chat/Mira/old.json", history([TOM]))
    save(tmp_path / "user_data", "chat/Mira/new.json", history([REX]))
    names = [chat.conversation for chat in source(tmp_path).chats() if isinstance(chat, ImportChat)]
    assert names == ["new", "old"]


def test_one_chat_can_be_named_alone(tmp_path: Path) -> None:
    path = save(tmp_path, "chat/Mira/20230601-12-30-00.json", history([TOM]))
    save(tmp_path, "chat/Mira/20230602-12-30-00.json", history([REX]))
    assert only(path).conversation == "20230601-12-30-00"


def test_rows_of_the_api_and_tool_rows_become_whole_exchanges(tmp_path: Path) -> None:
    call = ["Weather?", "", "", {"tool_calls": [{"id": "1"}]}]
    result = ["", "It rains.", "rain", {"tool_call_id": "1"}]
    system = ["Be brief.", "", "", {"role": "system"}]
    save(tmp_path, "instruct/1.json", history([TOM, system, call, result]))
    assert pairs(only(tmp_path)) == [("My cat is Tom", "Lovely"), ("Weather?", "It rains.")]


def test_reasoning_is_left_out_as_in_the_live_chat(tmp_path: Path) -> None:
    save(tmp_path, "chat/Mira/1.json", history([["Hi Mira", "<think>hm</think>Hello"]]))
    assert pairs(only(tmp_path)) == [("Hi Mira", "Hello")]


@pytest.mark.parametrize("name", ["Mira O'Hara (v2)", "小兰", "CON", "..a", "a.b", "Ünï çødé"])
def test_odd_names_of_characters_stay_as_they_are(tmp_path: Path, name: str) -> None:
    save(tmp_path, f"chat/{name}/my.chat.json", history([TOM]))
    chat = only(tmp_path)
    assert (chat.namespace.character, chat.conversation) == (name, "my.chat")


def test_names_come_from_the_characters_card_and_the_users_profile(tmp_path: Path) -> None:
    save(tmp_path, "chat/card/1.json", history([TOM]))
    (tmp_path / "characters").mkdir()
    card = "# mine\nname: 'Mira O''Hara'\ncontext: |\n  name: nobody\n"
    (tmp_path / "characters" / "card.yaml").write_text(card, encoding="utf-8")
    (tmp_path / "users").mkdir()
    (tmp_path / "users" / "Work.yaml").write_text('name: "Ana \\u4e2d"  \n', encoding="utf-8")
    (tmp_path / "settings.yaml").write_text("mode: chat\nuser: Work # hm\n", encoding="utf-8")
    said = only(tmp_path, user="").exchanges[0]
    assert (said.user_name, said.assistant_name) == ("Ana 中", "Mira O'Hara")


@pytest.mark.parametrize(
    ("settings", "profile", "user"),
    [("user: Work\n", "Work", "Work"), ("", "Default", "Default"), ("name1: Ana\n", "", "default")],
)
def test_user_of_an_imported_chat_is_that_of_the_live_chat(
    tmp_path: Path, settings: str, profile: str, user: str
) -> None:
    save(tmp_path, "chat/Mira/1.json", history([TOM]))
    (tmp_path / "settings.yaml").write_text(settings, encoding="utf-8")
    if profile:
        (tmp_path / "users").mkdir()
        (tmp_path / "users" / f"{profile}.yaml").write_text("name: You\n", encoding="utf-8")
    assert only(tmp_path, user="").namespace.user == user
    assert TextgenReader().live_owner(tmp_path).user == user


@pytest.mark.parametrize(
    "content",
    [
        b'{"internal": [["a", "b"]',
        b"[]",
        b"{}",
        b"",
        b"\xff\xfe\x00",
        b'{"internal": 5}',
        b'{"internal": [[1, 2]]}',
        b'{"internal": [["a"]]}',
        b'{"internal": [["a", "b"]], "metadata": [1]}',
        b"[" * 200_000,
    ],
    ids=range(10),
)
def test_a_broken_file_is_named_and_the_others_are_read(tmp_path: Path, content: bytes) -> None:
    save(tmp_path, "chat/Mira/b.json", history([TOM]))
    broken = tmp_path / "logs/chat/Mira/a.json"
    broken.write_bytes(content)
    failure, chat = source(tmp_path).chats()
    assert isinstance(failure, ImportFailure)
    assert failure.source == broken
    assert str(broken) in failure.reason
    assert isinstance(chat, ImportChat)


def test_lone_surrogates_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = save(tmp_path, "chat/Mira/a.json", {})
    text = json.dumps(history([["\ud83d hello", "b"]]))
    path.write_text(text, encoding="utf-8-sig")
    assert well_formed(only(tmp_path).exchanges[0].user).endswith("hello")

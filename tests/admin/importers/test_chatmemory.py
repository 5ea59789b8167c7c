"""ChatMemory's history, as its service gives and takes it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.domain.errors import ImportFailed
from tests.admin.importers.foreign import OWNER, read, read_as, said, write_json

SODA = ["I like soba.", "How often?", "Everyday.", "You love it."]
PAIRS = [(SODA[0], SODA[1]), (SODA[2], SODA[3])]


def message(second: int, text: str, **more: Any) -> dict[str, Any]:
    stamp = f"2025-02-25T18:11:{second:02}.895354"
    fields = {"created_at": stamp, "role": ("user", "assistant")[second % 2], "content": text}
    return fields | {"user_id": "u1", "session_id": "s1", "channel": None, "metadata": {}} | more


def history(**more: Any) -> list[dict[str, Any]]:
    return [message(second, text, **more) for second, text in enumerate(SODA)]


@pytest.mark.usefixtures("in_tokyo")
def test_a_history_is_read(tmp_path: Path) -> None:
    path = write_json(tmp_path / "history.json", {"messages": history(channel="discord")})
    (chat,) = read(path)
    assert said([chat]) == PAIRS
    assert (chat.namespace.user, chat.namespace.character) == ("u1", OWNER.character)
    assert (chat.conversation, chat.exchanges[0].channel) == ("chatmemory-s1", "discord")
    assert chat.exchanges[0].ts == datetime(2025, 2, 25, 18, 11, 0, 895354, UTC).timestamp()


def test_messages_posted_to_the_service_are_read(tmp_path: Path) -> None:
    said_here = [{"role": row["role"], "content": row["content"]} for row in history()]
    posted = {"user_id": "u1", "session_id": "s1", "channel": "app", "messages": said_here}
    (chat,) = read(write_json(tmp_path / "posted.json", posted))
    assert (said([chat]), chat.namespace.user) == (PAIRS, "u1")


def test_sessions_and_users_stay_apart(tmp_path: Path) -> None:
    rows = [*history(), *history(session_id="s2"), *history(user_id="u2")]
    chats = read(write_json(tmp_path / "history.json", {"messages": rows}))
    found = [(chat.namespace.user, chat.conversation) for chat in chats]
    assert found == [("u1", "chatmemory-s1"), ("u1", "chatmemory-s2"), ("u2", "chatmemory-s1")]


def test_pages_are_put_in_order(tmp_path: Path) -> None:
    rows = history()
    path = write_json(tmp_path / "pages.json", [{"messages": rows[2:]}, {"messages": rows[:2]}])
    assert said(read(path)) == PAIRS


def test_messages_without_a_page_around_them_are_read(tmp_path: Path) -> None:
    assert said(read(write_json(tmp_path / "history.json", history()))) == PAIRS


def test_without_dates_the_order_of_the_file_stands(tmp_path: Path) -> None:
    rows = [row | {"created_at": None} for row in history()]
    (chat,) = read(write_json(tmp_path / "history.json", {"messages": rows}))
    assert said([chat]) == PAIRS
    assert chat.exchanges[0].metadata == {"date": "unknown"}


def test_a_history_that_names_no_user_is_the_owners(tmp_path: Path) -> None:
    path = write_json(tmp_path / "history.json", {"messages": history(user_id=None)})
    assert read(path)[0].namespace.user == OWNER.user


@pytest.mark.parametrize("odd", [None, 3, [], {"role": []}, {"role": "tool", "content": "x"}])
def test_a_message_of_another_shape_is_passed_over(tmp_path: Path, odd: Any) -> None:
    path = write_json(tmp_path / "history.json", {"messages": [*history(), odd]})
    assert said(read(path)) == PAIRS


@pytest.mark.parametrize("value", [3, "text", [3], [[]], []])
def test_json_that_is_no_history_is_refused(tmp_path: Path, value: Any) -> None:
    with pytest.raises(ImportFailed, match="is no history of ChatMemory"):
        read_as("chatmemory", write_json(tmp_path / "history.json", value))


def test_metadata_and_channel_of_a_history_are_kept(tmp_path: Path) -> None:
    rows = history(channel="discord")
    rows[0]["metadata"] = {"guild": 7, "id": "a"}
    rows[1]["metadata"] = {"id": "b"}
    (chat,) = read(write_json(tmp_path / "history.json", {"messages": rows}))
    first, second = chat.exchanges
    assert first.metadata == {"guild": 7, "user.id": "a", "assistant.id": "b"}
    assert (first.channel, second.channel, second.metadata) == ("discord", "discord", {})


def test_metadata_nested_too_deeply_name_the_file(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(40):
        deep = [deep]
    rows = history(metadata={"x": deep})
    with pytest.raises(ImportFailed, match=r"history\.json: its metadata is nested more than 32"):
        read(write_json(tmp_path / "history.json", {"messages": rows}))


def test_summaries_knowledge_and_diaries_are_read(tmp_path: Path) -> None:
    stamp = {"created_at": "2025-02-26T09:00:00"}
    pages = [
        {"messages": history()},
        {"summaries": [{**stamp, "session_id": "s1", "summary": "u1 likes soba."}]},
        {"knowledge": [{**stamp, "id": 7, "user_id": "u1", "knowledge": "u1 is vegan."}]},
        {"diaries": [{"user_id": "u1", "diary_date": "2025-02-25", "content": "Soba again."}]},
    ]
    chat, mine, notes = read(write_json(tmp_path / "all.json", pages))
    assert said([chat]) == PAIRS
    (summary,) = mine.notes
    assert (mine.namespace.user, summary.text) == (OWNER.user, "u1 likes soba.")
    assert summary.sources == tuple(exchange.key for exchange in chat.exchanges)
    assert [note.text for note in notes.notes] == ["u1 is vegan.", "Soba again."]
    page = notes.notes[1].derived
    assert (notes.namespace.user, page.key if page else "") == ("u1", "2025-02-25")


@pytest.mark.parametrize(
    "page",
    [
        {"summaries": [{"session_id": "s1", "summary": "u1 likes soba.", "user_id": "u1"}]},
        {"knowledge": [{"user_id": "u1", "knowledge": "u1 is vegan."}]},
        {"diaries": [{"user_id": "u1", "diary_date": "2025-02-25", "content": "Soba again."}]},
    ],
)
def test_page_of_notes_alone_is_recognised(tmp_path: Path, page: dict[str, Any]) -> None:
    path = write_json(tmp_path / "notes.json", page)
    (chat,) = read(path)
    assert chat.namespace.user == "u1"
    assert len(chat.notes) == 1


def test_rows_without_text_or_day_are_left_out(tmp_path: Path) -> None:
    pages = [
        {"summaries": [{"session_id": "s1", "summary": " "}, 7]},
        {"diaries": [{"diary_date": "soon", "content": "x"}, {"diary_date": "2025-02-25"}]},
        {"messages": history()},
    ]
    assert len(read(write_json(tmp_path / "odd.json", pages))) == 1

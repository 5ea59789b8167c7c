"""Tests of histories of everyday chat as files hold them."""

import json
from pathlib import Path
from typing import Any

from benchmarks.everyday_data import read_histories

EXCHANGES = [{"user": "My tea is jasmine", "assistant": "Lovely.", "day": 3, "chat": "Main"}]


def history(name: str, language: str) -> dict[str, Any]:
    return {
        "id": name,
        "lang": language,
        "user": "Ana",
        "character": name,
        "exchanges": EXCHANGES,
        "probes": [],
    }


def test_crowd_adds_the_exchanges_of_other_histories_in_the_language(tmp_path: Path) -> None:
    path = tmp_path / "histories.json"
    path.write_text(json.dumps([history("Mia", "en"), history("Leo", "en"), history("Ida", "de")]))
    first, second, alone = read_histories(path, [path])
    assert first.chats == ["Main", "Leo Main"]
    assert second.chats == ["Main", "Mia Main"]
    assert alone.chats == ["Main"]
    own, other = first.exchanges
    assert (other.user, other.assistant_name) == (own.user, "Mia")
    assert [one.chats for one in read_histories(path)] == [["Main"]] * 3


def test_small_talk_is_added_in_chats_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "histories.json"
    path.write_text(json.dumps([history("Mia", "en")]))
    (found,) = read_histories(path, small_talk=8)
    added = [found.exchanges[index] for index in found.small_talk]
    assert len(found.exchanges) == 9
    assert len(added) == 8
    assert set(found.chats) == {"Main", "small talk 0", "small talk 1"}
    assert EXCHANGES[0]["user"] not in {exchange.user for exchange in added}
    first = found.exchanges[0].ts
    assert first is not None
    assert all(first <= (exchange.ts or 0.0) <= found.now for exchange in added)
    assert read_histories(path, small_talk=8) == [found]

"""While the settings file is broken, its last readable state applies."""

import json
import os
import stat
from pathlib import Path

import pytest

from memory_core.bootstrap import build_runtime
from memory_core.config.schema import Settings
from memory_core.domain.errors import ConfigError
from memory_core.memory.installation import Installation

BROKEN = "{,}"


@pytest.fixture
def home(tmp_path: Path) -> Installation:
    return Installation(folder=tmp_path)


def put(home: Installation, text: str) -> Settings:
    home.config_path.write_text(text, encoding="utf-8")
    return home.settings()[0]


def only_message(home: Installation) -> str:
    (problem,) = home.settings()[1]
    return problem.message


def test_broken_config_file_keeps_its_previous_settings(home: Installation, tmp_path: Path) -> None:
    wanted = {
        "storage_dir": str(tmp_path / "safe"),
        "ltm_writes": {"enabled": False},
        "recall": {"enabled": False, "lines": 3},
    }
    before = put(home, json.dumps(wanted))
    assert put(home, BROKEN) == before
    assert before.recall.lines == 3
    assert "line 1, column 2" in only_message(home)
    assert "its previous settings apply" in only_message(home)


def test_config_file_that_cannot_be_opened_keeps_its_previous_settings(home: Installation) -> None:
    before = put(home, '{"recall": {"lines": 3}}')
    home.config_path.unlink()
    home.config_path.mkdir()
    assert home.settings()[0] == before
    assert "cannot be read" in only_message(home)


def test_environment_still_counts_while_the_config_file_is_broken(tmp_path: Path) -> None:
    home = Installation(folder=tmp_path, environ={"LTM_RECALL__LINES": "4"})
    put(home, '{"recall": {"lines": 3}}')
    assert put(home, BROKEN).recall.lines == 4


def test_first_start_with_a_broken_config_file_writes_nothing_and_fetches_no_model(
    home: Installation,
) -> None:
    settings = put(home, BROKEN)
    assert not settings.ltm_writes.enabled
    assert settings.embedder.kind == "none"
    assert "nothing is remembered" in only_message(home)


def test_repaired_config_file_counts_at_once(home: Installation) -> None:
    put(home, '{"recall": {"lines": 3}}')
    put(home, BROKEN)
    assert put(home, '{"recall": {"lines": 5}}').recall.lines == 5
    assert put(home, BROKEN).recall.lines == 5


def test_last_good_copy_is_deleted_with_the_config_file(home: Installation) -> None:
    put(home, '{"llm": {"api_key": "sk-12345"}}')
    assert b"sk-12345" in home.config_copy.read_bytes()
    home.config_path.unlink()
    assert home.settings() == (Settings(), ())
    assert not home.config_copy.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_last_good_copy_can_be_read_by_its_owner_only(home: Installation) -> None:
    put(home, "{}")
    assert stat.S_IMODE(home.config_copy.stat().st_mode) == 0o600


def test_unchanged_config_file_is_not_copied_again(home: Installation) -> None:
    put(home, "{}")
    before = home.config_copy.stat().st_ino
    home.settings()
    assert home.config_copy.stat().st_ino == before


def test_settings_count_even_when_no_copy_can_be_saved(home: Installation) -> None:
    (home.folder / "user_data").write_text("no folder")
    assert put(home, '{"recall": {"lines": 3}}').recall.lines == 3
    assert not put(home, BROKEN).ltm_writes.enabled


def test_only_settings_without_a_copy_count_as_unknown(home: Installation) -> None:
    put(home, BROKEN)
    assert [problem.hides_settings for problem in home.settings()[1]] == [True]
    put(home, "{}")
    put(home, BROKEN)
    assert [problem.hides_settings for problem in home.settings()[1]] == [False]


def test_a_click_in_the_tab_leaves_the_broken_file_and_its_settings(home: Installation) -> None:
    put(home, '{"ltm_writes": {"enabled": false}, "embedder": {"kind": "none"}}')
    put(home, BROKEN)
    runtime = build_runtime(home)
    with pytest.raises(ConfigError, match="nothing was saved"):
        runtime.save_settings({"recall.lines": 3})
    assert home.config_path.read_text() == BROKEN
    assert not runtime.settings.ltm_writes.enabled
    assert any("column 2" in problem for problem in runtime.problems())
    runtime.close()

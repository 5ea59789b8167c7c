"""Saving changes only the given keys, keeps the rest of the file and never loses a broken one."""

import json
import os
import stat
from pathlib import Path

import pytest

from memory_core.config.json_file import parse, render
from memory_core.config.loader import load, save
from memory_core.config.schema import InjectionLocation
from memory_core.domain.errors import ConfigError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ltm_config.json"


def test_saving_settings_creates_a_file_with_only_the_changes(path: Path) -> None:
    save(path, {"recall.lines": 3, "allow_remote": True})
    assert json.loads(path.read_bytes()) == {"recall": {"lines": 3}, "allow_remote": True}


def test_saving_settings_keeps_order_comments_and_unknown_keys(path: Path) -> None:
    path.write_text(
        '{"//": "one", "zz": [1, {"//": "in", "a": null}], "recall": {"$c": "two", "lines": 1, '
        '"x": 0.60}, "//": "three", "trace_turns": 5}'
    )
    save(path, {"recall.lines": 3, "recall.use_gate": True})
    assert path.read_text() == render(parse(path.read_bytes())).decode()
    assert json.loads(path.read_bytes(), object_pairs_hook=list) == [
        ("//", "one"),
        ("zz", [1, [("//", "in"), ("a", None)]]),
        ("recall", [("$c", "two"), ("lines", 3), ("x", 0.6), ("use_gate", True)]),
        ("//", "three"),
        ("trace_turns", 5),
    ]


def test_saved_settings_are_loaded(path: Path) -> None:
    changes: dict[str, object] = {
        "ltm_context.injection_location": InjectionLocation.BEFORE_NORMAL_CONTEXT,
        "ltm_context.memory_template": "记得“{memory_message}”\n",
        "ltm_reads.max_cosine_distance": None,
        "recall.min_score": 1,
    }
    save(path, changes)
    settings, problems = load(path, environ={})
    assert problems == ()
    assert settings.ltm_context.injection_location is InjectionLocation.BEFORE_NORMAL_CONTEXT
    assert settings.ltm_context.memory_template == "记得“{memory_message}”\n"
    assert "记得" in path.read_text(encoding="utf-8")
    assert settings.recall.min_score == 1.0


def test_saving_settings_replaces_a_key_written_with_its_dot(path: Path) -> None:
    path.write_text('{"recall.lines": 2, "recall.retrieve_k": 1}')
    save(path, {"recall.lines": 3})
    assert json.loads(path.read_bytes()) == {"recall.retrieve_k": 1, "recall": {"lines": 3}}


def test_saving_changes_the_last_of_duplicate_keys(path: Path) -> None:
    path.write_text('{"recall": {"lines": 1, "lines": 2}, "recall": {"lines": 4, "lines": 5}}')
    save(path, {"recall.lines": 3})
    assert load(path, environ={})[0].recall.lines == 3
    assert '"lines": 2' in path.read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [("recall.lines", -1), ("recall.lines", "3"), ("recall.line", 3), ("recall", {}), ("", 1)],
)
def test_saving_settings_refuses_a_bad_value_and_changes_nothing(
    path: Path, key: str, value: object
) -> None:
    save(path, {"recall.lines": 5})
    before = path.read_bytes()
    with pytest.raises(ConfigError) as refused:
        save(path, {"recall.use_gate": True, key: value})
    assert refused.value.key == key
    assert path.read_bytes() == before


@pytest.mark.parametrize("old", [b"{oops", b"[1]", b"", b"\xff{}", b'{"recall": {"lines": 4},}'])
def test_saving_refuses_a_broken_file_and_leaves_it_unchanged(path: Path, old: bytes) -> None:
    path.write_bytes(old)
    with pytest.raises(ConfigError, match=r"nothing was saved, because .* is broken"):
        save(path, {"recall.lines": 3})
    assert path.read_bytes() == old
    assert os.listdir(path.parent) == ["ltm_config.json"]


def test_config_file_whose_section_is_not_an_object_is_copied_before_saving(path: Path) -> None:
    old = b'{"recall": 5}'
    for number in (1, 2):
        path.write_bytes(old)
        save(path, {"recall.lines": 3})
        assert path.with_name(f"ltm_config.json.broken-{number}").read_bytes() == old
    assert load(path, environ={})[0].recall.lines == 3


def test_saving_settings_leaves_a_wrong_section_elsewhere_unchanged(path: Path) -> None:
    path.write_text('{"ltm_writes": 5}')
    save(path, {"recall.lines": 3})
    assert json.loads(path.read_bytes()) == {"ltm_writes": 5, "recall": {"lines": 3}}
    assert os.listdir(path.parent) == ["ltm_config.json"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_saving_keeps_the_files_mode(path: Path, mode: int) -> None:
    path.write_text("{}")
    path.chmod(mode)
    save(path, {"recall.lines": 3})
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize(("value", "mode"), [("sk-1234567890", 0o640), ("", 0o644)])
def test_saving_a_secret_closes_the_file_to_others(path: Path, value: str, mode: int) -> None:
    path.write_text("{}")
    path.chmod(0o644)
    save(path, {"llm.api_key": value})
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_saving_through_a_link_writes_the_file_that_it_points_to(path: Path) -> None:
    target = path.with_name("real.json")
    target.write_text("{}")
    path.symlink_to(target)
    save(path, {"recall.lines": 3})
    assert path.is_symlink()
    assert json.loads(target.read_bytes()) == {"recall": {"lines": 3}}

"""API keys that were written into the wrong setting are never shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.config import loader
from memory_core.domain.errors import ConfigError
from memory_core.infra.plugins import load_class
from memory_core.infra.redaction import redact, redact_personal
from tests.cases import for_each

KEY = "sk-proj-abcDEF1234567890abcdef"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"


@pytest.mark.parametrize("key", [KEY, HEX, "hunter2"])
@pytest.mark.parametrize("section", ["embedder", "llm", "embeder", "llm.modle", "api_kye"])
def test_text_in_place_of_a_section_is_not_shown_in_problems(
    key: str, section: str, tmp_path: Path
) -> None:
    _, problems = _loaded(tmp_path, {section: key})
    assert section in problems[0].message
    assert key not in repr(problems)


@pytest.mark.parametrize("key", [KEY, HEX])
@pytest.mark.parametrize("shape", [{"K": 1}, {"llm": {"K": 1}}, {"recall.lines": "K"}])
def test_text_like_an_api_key_is_not_shown_as_a_name_or_value(
    key: str, shape: dict[str, Any], tmp_path: Path
) -> None:
    _, problems = _loaded(tmp_path, json.loads(json.dumps(shape).replace("K", key)))
    assert problems
    assert key not in repr(problems)


def test_api_key_as_the_kind_of_a_model_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        load_class(KEY, key="llm.kind")
    assert KEY not in str(caught.value)


@for_each(
    "text", ["embedder.query_timeout_s", "BAAI/bge-small-en-v1.5", "/home/ana/memories", "openay"]
)
def test_redact_leaves_ordinary_text_readable(text: str) -> None:
    assert redact(text) == text


def _loaded(tmp_path: Path, root: object) -> tuple[object, tuple[loader.Problem, ...]]:
    path = tmp_path / "ltm_config.json"
    path.write_text(json.dumps(root), encoding="utf-8")
    return loader.load(path, environ={})


@for_each(
    "private",
    [
        "ana.maria+mail@mail.example.org",
        "4111 1111 1111 1111",
        "5500-0000-0000-0004",
        "378282246310005",
        "+351 912 345 678",
        "(030) 123 456 78",
        "0171/1234567",
        "+8613812345678",
        "555-867-5309",
        "sk-abcdefgh12345678",
    ],
)
def test_redact_personal_hides_numbers_and_addresses(private: str) -> None:
    shown = redact_personal(f"Call me: {private}, please. 电话：{private}。")
    assert private not in shown
    assert shown.startswith("Call me: ***, please.")


@for_each(
    "plain",
    [
        "On 2026-11-23 I paid 850 a month",
        "born 23.11.1987, and 1,250,000 people",
        "at 05:30 in 1999",
        "0123456789abcdef01234567",
        "number 1234567890123",
        "ids 3f2a9b7c1d2e4f60",
        "me @ home",
    ],
)
def test_redact_personal_keeps_dates_amounts_and_ids(plain: str) -> None:
    assert redact_personal(plain) == plain

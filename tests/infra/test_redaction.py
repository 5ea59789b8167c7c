"""API keys that were written into the wrong setting are never shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.config import loader
from memory_core.domain.errors import ConfigError
from memory_core.infra.plugins import load_class
from memory_core.infra.redaction import redact

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


@pytest.mark.parametrize(
    "text", ["embedder.query_timeout_s", "BAAI/bge-small-en-v1.5", "/home/ana/memories", "openay"]
)
def test_redact_leaves_ordinary_text_readable(text: str) -> None:
    assert redact(text) == text


def _loaded(tmp_path: Path, root: object) -> tuple[object, tuple[loader.Problem, ...]]:
    path = tmp_path / "ltm_config.json"
    path.write_text(json.dumps(root), encoding="utf-8")
    return loader.load(path, environ={})

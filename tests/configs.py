"""A configuration as it is loaded from its file and the layers above."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory_core.config.loader import Problem, load
from memory_core.config.schema import Settings

Loaded = tuple[Settings, tuple[Problem, ...]]


def loaded(
    path: Path,
    content: object,
    *,
    environ: Mapping[str, str] | None = None,
    host: Mapping[str, Any] | None = None,
) -> Loaded:
    """Loads a file with this content: bytes, text, or a JSON value."""
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path, environ=environ or {}, host=host or {})


def only(problems: tuple[Problem, ...]) -> Problem:
    assert len(problems) == 1, problems
    return problems[0]

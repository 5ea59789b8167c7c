"""Fixtures of the Python API's tests."""

from collections.abc import Sequence

import pytest

from memory_core.domain.records import Turn
from memory_core.providers.llm.fake import ScriptedLLM

WORDS_ALONE = {"embedder.kind": "none"}


def echo(turns: Sequence[Turn]) -> str:
    return f"You said: {turns[-1].text.splitlines()[-1]}"


@pytest.fixture
def llm() -> ScriptedLLM:
    """Answers with the last line of the message."""
    return ScriptedLLM(echo)


def sent(llm: ScriptedLLM) -> str:
    """Returns everything that the model got with the last message."""
    return "\n".join(f"{turn.role}: {turn.text}" for turn in llm.asked[-1])

"""The log of the model's calls hides private details also where it cuts a long text."""

import json
from pathlib import Path

import pytest

from memory_core.consolidation.audit_log import NAME, AuditLog, ModelCall
from memory_core.domain.records import Role, Turn


@pytest.mark.parametrize("before", range(19_980, 20_000, 3))
def test_card_number_at_the_cut_of_a_long_text_is_hidden(tmp_path: Path, before: int) -> None:
    text = f"{'word ' * (before // 5)}{'-' * (before % 5)} 4111 1111 1111 1111 end"
    asked = (Turn(role=Role.USER, text=text),)
    AuditLog(tmp_path, keeps_texts=True).note(
        ModelCall(job="j", key="k", model="m", ids=[], asked=asked)
    )
    (line,) = (tmp_path / NAME).read_text(encoding="utf-8").splitlines()
    assert "411" not in json.loads(line)["asked"][0]["text"]

"""The command `review`: held messages are listed and decided about."""

from pathlib import Path

import pytest

from memory_core.domain.errors import HeldForReview
from memory_core.storage import held
from memory_core.ui.cli.main import main
from tests.builders import SPACE, open_memory, said, user_sides
from tests.memory.test_guard import set_rules
from tests.ui.cli.json_commands import run

CARD = "My card is 4111 1111 1111 1111"


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LTM_EMBEDDER__KIND", "none")
    memory = open_memory(tmp_path)
    set_rules(memory, card="ask")
    with pytest.raises(HeldForReview):
        memory.remember(SPACE, "talk", said(CARD))
    memory.close()
    return f"--storage={memory.root}"


def stored(tmp_path: Path) -> list[str]:
    memory = open_memory(tmp_path)
    try:
        return user_sides(memory.conversation(SPACE, "talk", 9))
    finally:
        memory.close()


def test_held_message_is_listed_with_its_chat(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for who in ((), ("ana",), ("ana", "mira")):
        (one,) = run(capsys, "review", *who, storage)["held"]
        assert (one["message"], one["conversation"], one["parts"]) == (CARD, "talk", ["card"])
    assert main(["review", storage]) == 0
    assert capsys.readouterr().out.endswith("1 message held\n")


@pytest.mark.parametrize(
    ("decision", "left"),
    [("approve", [CARD]), ("redact", ["My card is [card number removed]"]), ("discard", [])],
)
def test_decision_is_carried_out_once(
    storage: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    decision: str,
    left: list[str],
) -> None:
    held_id = run(capsys, "review", storage)["held"][0]["id"]
    assert run(capsys, "review", f"--{decision}", held_id, storage)["decision"] == decision
    assert stored(tmp_path) == left
    assert run(capsys, "review", storage)["held"] == []
    assert main(["review", f"--{decision}", held_id, storage]) == 1
    assert held_id in capsys.readouterr().err


def test_message_of_another_user_is_not_decided_about(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held_id = run(capsys, "review", storage)["held"][0]["id"]
    memory = open_memory(tmp_path)
    memory.remember(SPACE.__class__("bob", "mira"), "talk", said("Hello"))
    memory.close()
    assert main(["review", "bob", "mira", "--discard", held_id, storage]) == 1
    assert len(held.HeldFile(SPACE.folder(memory.root)).read()) == 1

"""Exchanges that the guard holds back, in backups, restores, merges, deletions and the doctor."""

import json
from pathlib import Path

import pytest

from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.errors import HeldForReview
from memory_core.memory.held_inbox import HeldDecision, HeldInbox
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage import held
from memory_core.storage.pauses import ChatPauses
from memory_core.ui.cli.main import main
from tests.admin.exporters.scene import exported, unpacked
from tests.admin.rolling.scene import OTHER, Scene
from tests.builders import SPACE, destroy, merge, open_memory, said
from tests.forensics import leaks, words_needles
from tests.memory.test_guard import set_rules

SECRET = said("My card is 4111 1111 1111 1111, at Umbrastelle")
NEEDLES = words_needles(("Umbrastelle",))


def hold(memory: LongTermMemory, conversation: str = "monday") -> str:
    set_rules(memory, card="ask")
    with pytest.raises(HeldForReview):
        memory.remember(SPACE, conversation, SECRET)
    return waiting(memory)[0].id


def waiting(memory: LongTermMemory) -> list[held.HeldExchange]:
    return HeldInbox(memory, ChatPauses(memory.root)).waiting(SPACE)


def decide(memory: LongTermMemory, decision: HeldDecision) -> None:
    inbox = HeldInbox(memory, ChatPauses(memory.root))
    inbox.decide(SPACE, waiting(memory)[0].id, decision)


@pytest.mark.parametrize("mode", [RestoreMode.MERGE, RestoreMode.REPLACE])
def test_backup_restores_held_messages_even_without_any_memory(
    memory: LongTermMemory, tmp_path: Path, mode: RestoreMode
) -> None:
    hold(memory)
    elsewhere = open_memory(tmp_path / "elsewhere")
    elsewhere.remember(SPACE, "other", said("Hello"))
    restore(elsewhere, exported(memory, tmp_path / "ana.zip"), mode=mode)
    assert [one.exchange for one in waiting(elsewhere)] == [SECRET]


def test_merging_restore_keeps_the_held_messages_here(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    memory.remember(SPACE, "monday", said("Hello"))
    saved = exported(memory, tmp_path / "ana.zip")
    hold(memory)
    restore(memory, saved, mode=RestoreMode.MERGE)
    assert [one.exchange for one in waiting(memory)] == [SECRET]


@pytest.mark.parametrize("decision", [HeldDecision.DISCARD, HeldDecision.REDACT])
def test_decision_takes_the_words_out_of_the_rolling_copies(
    tmp_path: Path, decision: HeldDecision
) -> None:
    scene = Scene(tmp_path)
    hold(scene.memory)
    scene.pass_by()
    assert any("held" in found for found in map(manifest_of, copies(scene)))
    decide(scene.memory, decision)
    assert scene.pass_by(60) == []
    assert "4111" not in "".join(map(manifest_of, copies(scene)))


def copies(scene: Scene) -> list[Path]:
    return [scene.folder / name for name in scene.names()]


def manifest_of(path: Path) -> str:
    return "".join(data.decode() for name, data in unpacked(path).items() if "manifest" in name)


def test_merged_names_keep_the_held_messages_of_both(memory: LongTermMemory) -> None:
    hold(memory)
    memory.remember(OTHER, "monday", said("Hello"))
    merge(memory, SPACE, OTHER)
    (one,) = waiting(memory)  # the old name means the new one
    assert held.HeldFile(OTHER.folder(memory.root)).read() == (one,)
    decide(memory, HeldDecision.APPROVE)
    assert one.exchange == SECRET


def test_deleted_namespace_leaves_no_held_messages(memory: LongTermMemory) -> None:
    hold(memory)
    memory.remember(SPACE, "monday", said("Hello"))
    destroy(memory, SPACE).unlink()
    assert leaks(memory.root, NEEDLES) == []


def test_doctor_knows_the_file_and_the_marks_of_decisions(
    memory: LongTermMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    hold(memory)
    memory.remember(SPACE, "monday", said("Hello"))
    decide(memory, HeldDecision.DISCARD)
    hold_again = said(f"{SECRET.user} and more")
    with pytest.raises(HeldForReview):
        memory.remember(SPACE, "monday", hold_again)
    memory.close()
    arguments = ["doctor", "--storage", str(memory.root)]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["findings"] == []
    (SPACE.folder(memory.root) / held.FILE).write_text("{")
    assert main(arguments) == 1
    assert "what waits for your review" in capsys.readouterr().out

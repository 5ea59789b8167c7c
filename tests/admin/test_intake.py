"""Files that a person drops are read, imported or restored in the background, and taken back."""

import json
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memory_core.admin.administration import Administration
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.doctor.run import DoctorOptions, examine
from memory_core.admin.exporters.restore import RestoreMode
from memory_core.admin.intake import Intake, IntakePhase
from memory_core.bootstrap import build_runtime
from memory_core.domain.namespaces import Namespace
from memory_core.host.hooks import Hooks
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime
from memory_core.storage.index.local import LocalStore
from memory_core.ui.demo.demo_host import DemoHost
from tests.builders import NOW, said

MIRA = Namespace("ana", "Mira")


@pytest.fixture
def intake(runtime: Runtime, tmp_path: Path) -> Intake:
    return Administration(Hooks(runtime, DemoHost(tmp_path / "host"))).intake


def finish(intake: Intake) -> None:
    thread = intake._hooks.runtime._background
    assert thread
    thread.join(30.0)


def chatgpt_zip(path: Path, *, chats: int = 2, turns: int = 3, word: str = "cello") -> Path:
    """Writes an export as ChatGPT makes it, with other files beside the conversations."""
    talks = [_talk(number, turns, word) for number in range(chats)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(talks))
        archive.writestr("user.json", json.dumps({"id": "user-1", "email": "a@example.org"}))
        archive.writestr("chat.html", "<html></html>")
    return path


def _talk(number: int, turns: int, word: str) -> dict[str, Any]:
    began, nodes = 1_700_000_000.0 + number * 86_400, {}
    for turn in range(2 * turns):
        role = "assistant" if turn % 2 else "user"
        text = f"{role} says {word} {number}.{turn}"
        nodes[f"n{turn}"] = {
            "id": f"n{turn}",
            "parent": f"n{turn - 1}" if turn else None,
            "message": {
                "author": {"role": role},
                "create_time": began + turn,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
    told = {"title": f"Talk {number}", "create_time": began, "mapping": nodes}
    return told | {"current_node": f"n{2 * turns - 1}", "conversation_id": f"c{number}"}


def dropped(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / "uploads"
    folder.mkdir(exist_ok=True)
    return folder / name


def test_export_is_surveyed_then_imported_for_the_chosen_character(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    path = chatgpt_zip(dropped(tmp_path, "export.zip"))
    assert intake.begin_reading([path], user="ana")
    finish(intake)
    assert intake.status.phase is IntakePhase.CHATS_FOUND
    assert runtime.memory.namespaces() == []
    found = intake.status.survey
    assert found
    assert (found.chats, found.exchanges, found.first_ts) == (2, 6, 1_700_000_000.0)
    assert intake.status.unnamed
    assert not path.exists()
    assert intake.begin_import("Mira")
    finish(intake)
    assert intake.status.phase is IntakePhase.IMPORTED
    progress = intake.status.progress
    assert (progress.exchanges, progress.total_exchanges) == (6, 6)
    assert runtime.memory.counts(MIRA)["live"] == 6
    assert not intake._scratch or not intake._scratch.exists()


def test_cancelled_import_stops_and_the_next_one_is_complete(
    intake: Intake, runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake.begin_reading([chatgpt_zip(dropped(tmp_path, "a.zip"))], user="ana")
    finish(intake)
    with monkeypatch.context() as patched:
        patched.setattr(intake, "_show_progress", lambda _: intake.cancel())
        intake.begin_import("Mira")
        finish(intake)
    assert intake.status.result
    assert (intake.status.result.cancelled, runtime.memory.counts(MIRA)["live"]) == (True, 3)
    intake.begin_reading([chatgpt_zip(dropped(tmp_path, "a.zip"))], user="ana")
    finish(intake)
    intake.begin_import("Mira")
    finish(intake)
    assert runtime.memory.counts(MIRA)["live"] == 6


def test_cancelled_survey_leaves_nothing_behind(
    intake: Intake, runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "_show_progress", lambda _: intake.cancel())
    intake.begin_reading([chatgpt_zip(dropped(tmp_path, "a.zip"))], user="ana")
    finish(intake)
    assert intake.status.phase is IntakePhase.EMPTY
    assert not intake._scratch or not intake._scratch.exists()
    assert runtime.memory.namespaces() == []


def test_import_can_be_taken_back_and_imported_again(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    kept = runtime.memory.remember(MIRA, "monday", said("I play the viola"))
    for _ in range(2):
        intake.begin_reading([chatgpt_zip(dropped(tmp_path, "a.zip"))], user="ana")
        finish(intake)
        intake.begin_import("Mira")
        finish(intake)
        assert runtime.memory.counts(MIRA)["live"] == 7
        assert intake.begin_undo()
        finish(intake)
        assert intake.status.phase is IntakePhase.TAKEN_BACK
        assert intake.status.taken_back == 6
        assert runtime.memory.counts(MIRA)["live"] == 1
    runtime.memory.rebuild(MIRA)
    assert runtime.memory.counts(MIRA)["live"] == 1
    logs = [path.read_text("utf-8") for path in runtime.memory.root.rglob("*.jsonl")]
    assert not any("cello" in text for text in logs)
    assert list(runtime.memory.get_records(MIRA, [kept])) == [kept]
    root = runtime.memory.root
    runtime.close()
    options = DoctorOptions(open_store=LocalStore, undo_s=600.0, clock=time.time)
    assert examine(root, options).is_sound


def test_notes_of_an_import_can_be_taken_back_and_imported_again(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    facts = {"results": [{"id": "1", "memory": "Is allergic to mango", "user_id": "ana"}]}
    for _ in range(3):
        path = dropped(tmp_path, "mem0.json")
        path.write_text(json.dumps(facts), encoding="utf-8")
        intake.begin_reading([path], user="ana")
        finish(intake)
        intake.begin_import("Mira")
        finish(intake)
        assert runtime.memory.counts(MIRA)["live"] == 1
        intake.begin_undo()
        finish(intake)
        assert runtime.memory.counts(MIRA)["live"] == 0


def test_memory_forgotten_after_an_import_stays_forgotten_when_it_is_taken_back(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    for expected in (6, 5):
        intake.begin_reading([chatgpt_zip(dropped(tmp_path, "a.zip"))], user="ana")
        finish(intake)
        intake.begin_import("Mira")
        finish(intake)
        result = intake.status.result
        assert result
        assert result.added == expected
        if expected == 6:
            runtime.memory.forget(MIRA, result.new_ids[MIRA][:1])
        intake.begin_undo()
        finish(intake)
    assert runtime.memory.counts(MIRA)["live"] == 0


@pytest.mark.parametrize("content", [b"\x89PNG\r\n", b"PK\x03\x04broken", b"hello", b""])
def test_wrong_file_says_why_and_names_no_folder_of_ours(
    intake: Intake, tmp_path: Path, content: bytes
) -> None:
    path = dropped(tmp_path, "holiday.zip")
    path.write_bytes(content)
    intake.begin_reading([path], user="ana")
    finish(intake)
    assert intake.status.phase is IntakePhase.FAILED
    told = " ".join([intake.status.fault, *intake.failures(), *intake.status.unknown])
    assert "holiday.zip" in told
    assert "ltm-import-" not in told


def test_zipped_folder_of_chats_is_unpacked(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    lines = [
        {"user_name": "Ana", "character_name": "Rei", "create_date": "2024-01-01@10h00m00s"},
        {"name": "Ana", "is_user": True, "mes": "My bike is red", "send_date": 1_700_000_000_000},
        {"name": "Rei", "is_user": False, "mes": "Nice", "send_date": 1_700_000_001_000},
    ]
    path = dropped(tmp_path, "SillyTavern.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/chats/Rei/one.jsonl", "\n".join(map(json.dumps, lines)))
        archive.writestr("data/characters/Rei.png", b"\x89PNG")
    intake.begin_reading([path], user="ana")
    finish(intake)
    assert not intake.status.unnamed
    intake.begin_import("")
    finish(intake)
    assert runtime.memory.counts(Namespace("ana", "Rei"))["live"] == 1


def test_backup_is_planned_then_merged(intake: Intake, runtime: Runtime, tmp_path: Path) -> None:
    memory = runtime.memory
    memory.remember(MIRA, "monday", said("I play the cello"))
    lost = memory.remember(MIRA, "monday", said("My boat is called Ida"))
    path = dropped(tmp_path, "all.zip")
    write_backup(path, memory.root, [MIRA], now=NOW)
    memory.forget(MIRA, [lost])
    memory.remember(MIRA, "tuesday", said("I moved to Porto"))
    memory.erase_all_forgotten(MIRA)
    intake.begin_reading([path], user="ana")
    finish(intake)
    plan = intake.status.plan
    assert plan
    assert (plan.new, plan.known, plan.only_here) == (0, 1, 1)
    assert "Porto" in plan.parts[0].lost_memories[0].text
    assert intake.begin_restore(RestoreMode.MERGE)
    finish(intake)
    assert intake.status.phase is IntakePhase.RESTORED
    assert intake.status.restored[0].memories == 0


def test_another_persons_character_becomes_mine(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    other = Namespace("bob", "Rei")
    runtime.memory.remember(other, "monday", said("My parrot is called Polly"))
    path = dropped(tmp_path, "Rei.memories.zip")
    write_backup(path, runtime.memory.root, [other], now=NOW)
    home = build_runtime(
        Installation(folder=tmp_path / "other", environ={"LTM_EMBEDDER__KIND": "none"})
    )
    here = Administration(Hooks(home, DemoHost(tmp_path / "host2"))).intake
    here.begin_reading([path], user="ana")
    finish(here)
    plan = here.status.plan
    assert plan
    assert plan.to == Namespace("ana", "Rei")
    assert "Polly" in plan.parts[0].new_memories[0].text
    here.begin_restore(RestoreMode.MERGE)
    finish(here)
    assert home.memory.counts(Namespace("ana", "Rei"))["live"] == 1
    home.close()


def test_damaged_backup_says_so_and_changes_nothing(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    runtime.memory.remember(MIRA, "monday", said("I play the cello"))
    path = dropped(tmp_path, "all.zip")
    write_backup(path, runtime.memory.root, [MIRA], now=NOW)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data.replace(b"cello", b"cella"))
    intake.begin_reading([path], user="ana")
    finish(intake)
    assert intake.status.phase is IntakePhase.FAILED
    assert intake.status.fault
    assert "ltm-import-" not in intake.status.fault
    assert runtime.memory.counts(MIRA)["live"] == 1


def test_past_chats_of_the_host_are_imported_with_one_call(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    chats = tmp_path / "host" / "logs" / "chat" / "Mira"
    chats.mkdir(parents=True)
    rows = {"internal": [["My cat is Tom", "Lovely"]], "visible": [["My cat is Tom", "Lovely"]]}
    (chats / "20240101-10-00-00.json").write_text(json.dumps(rows), encoding="utf-8")
    assert intake.begin_host_import()
    finish(intake)
    assert intake.status.phase is IntakePhase.IMPORTED
    assert runtime.memory.counts(Namespace("default", "Mira"))["live"] == 1


def test_empty_chat_of_the_host_makes_no_memories_of_nobody(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    logs = tmp_path / "host" / "logs"
    for folder, talk in (("instruct", []), ("chat/Mira", [["My cat is Tom", "Lovely"]])):
        (logs / folder).mkdir(parents=True)
        rows = {"internal": talk, "visible": talk, "metadata": {}}
        path = logs / folder / "20240101-10-00-00.json"
        path.write_text(json.dumps(rows), encoding="utf-8")
    assert intake.begin_host_import()
    finish(intake)
    assert runtime.memory.namespaces() == [Namespace("default", "Mira")]


def test_no_second_intake_begins_while_one_runs(intake: Intake, tmp_path: Path) -> None:
    intake.status = intake.status.__class__(phase=IntakePhase.READING)
    assert not intake.begin_reading([tmp_path / "a.zip"], user="ana")
    assert not intake.begin_host_import()
    assert not intake.begin_restore(RestoreMode.MERGE)
    intake.dismiss()
    assert intake.status.phase is IntakePhase.READING


def test_files_are_deleted_if_the_background_is_busy(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    goes_on = threading.Event()
    runtime.in_background("other", goes_on.wait)
    path = chatgpt_zip(dropped(tmp_path, "a.zip"))
    assert not intake.begin_reading([path], user="ana")
    goes_on.set()
    assert intake.status.phase is IntakePhase.EMPTY
    assert intake._scratch
    assert not intake._scratch.exists()

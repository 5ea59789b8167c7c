"""The doctor finds every kind of damage, names its place, and repairs it without any loss."""

import json
import os
import shutil
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.admin.doctor.run import DoctorOptions, DoctorReport, examine, repair
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.infra import durable_files
from memory_core.memory.index_sync import IndexSync
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.aliases import ALIASES, Aliases, write_aliases
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.erasure import purge_content
from memory_core.storage.log.event_log import EventLog
from memory_core.storage.log.events import Event, EventType, pack
from memory_core.storage.manifest import MANIFEST
from memory_core.storage.pauses import FILE as SWITCHES
from memory_core.ui.cli.main import main
from tests.builders import KIND, NOW, SPACE, Clock, derive_all, said, user_sides
from tests.conftest import OpenMemory

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
SAYINGS = [f"I said number{n} on that day" for n in range(8)]


def terms(clock: Clock | None = None) -> DoctorOptions:
    return DoctorOptions(open_store=LocalStore, undo_s=KIND.undo_forget_s, clock=clock or Clock())


def told(report: DoctorReport) -> str:
    return "\n".join(
        f"{finding.path}: {finding.problem}" for finding in report.findings if finding.is_fault
    )


def log(root: Path) -> Path:
    return SPACE.folder(root) / "conversations" / "talk.jsonl"


@pytest.fixture
def root(opened: OpenMemory) -> Path:
    """A closed storage: a talk, a branch of it, an edit, a note, and something forgotten."""
    memory = opened(embedder=FakeEmbedder())
    ids = [memory.remember(SPACE, "talk", said(text)) for text in SAYINGS]
    memory.reconcile(SPACE, "branch", [said(text) for text in SAYINGS[:3]], whole=True)
    memory.edit(SPACE, ids[2], {"user": "I never said that"})
    memory.add_note(SPACE, "Ana must not eat nuts", kind=MemoryKind.KNOWLEDGE, pinned=True)
    memory.forget(SPACE, [ids[5]])
    memory.erase_all_forgotten(SPACE)
    memory.forget(SPACE, [ids[6]])
    memory.remember(Namespace.shared("ana"), "talk", said("for all"))
    derive_all(memory)
    memory.close()
    return memory.root


def live(memory: LongTermMemory) -> list[str]:
    return user_sides(memory.conversation(SPACE, "talk", 99))


LIVE = [*SAYINGS[:2], "I never said that", *SAYINGS[3:5], SAYINGS[7]]


def test_a_storage_in_order_is_sound(root: Path) -> None:
    report = examine(root, terms())
    assert (told(report), report.namespaces, report.is_sound) == ("", 2, True)
    assert repair(root, terms()).repaired == []


def flipped(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


def starts(path: Path) -> list[int]:
    """Returns the offsets of all lines, and that of the file's end."""
    found = [0]
    for line in path.read_bytes().split(b"\n")[:-1]:
        found.append(found[-1] + len(line) + 1)
    return found


def test_damaged_line_is_named_kept_aside_and_restored_from_the_index(
    root: Path, opened: OpenMemory
) -> None:
    begin = starts(log(root))[1]
    flipped(log(root), log(root).read_bytes().index(b"number1"))
    damaged = log(root).read_bytes()[begin : starts(log(root))[2]]
    findings = examine(root, terms()).findings
    (found,) = [finding for finding in findings if finding.is_fault and finding.byte_offset]
    assert (found.path, found.byte_offset) == ("ana/mira/conversations/talk.jsonl", begin)
    report = repair(root, terms())
    assert (told(report), report.is_sound) == ("", True)
    assert found in report.repaired
    aside = log(root).with_name("talk.jsonl.damaged")
    assert aside.read_bytes() == damaged
    memory = opened()
    assert live(memory) == LIVE
    memory.rebuild(SPACE)
    assert live(memory) == LIVE
    assert user_sides(memory.conversation(SPACE, "branch", 9))[1] == SAYINGS[1]


def test_memory_of_a_damaged_line_outlives_a_killed_repair(
    root: Path, opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: IndexSync) -> None:
        raise KeyboardInterrupt

    flipped(log(root), log(root).read_bytes().index(b"number1"))
    monkeypatch.setattr(IndexSync, "rebuild", die)
    with pytest.raises(KeyboardInterrupt):
        repair(root, terms())
    monkeypatch.undo()
    assert repair(root, terms()).is_sound
    assert live(opened()) == LIVE


def test_without_the_index_only_the_damaged_line_is_lost(root: Path, opened: OpenMemory) -> None:
    flipped(log(root), log(root).read_bytes().index(b"number1"))
    shutil.rmtree(SPACE.folder(root) / "index")
    assert repair(root, terms()).is_sound
    assert live(opened()) == [saying for saying in LIVE if saying != SAYINGS[1]]


def test_memory_with_a_damaged_tombstone_stays_forgotten(root: Path, opened: OpenMemory) -> None:
    notes = SPACE.folder(root) / "notes.jsonl"
    flipped(notes, starts(notes)[-1] - 40)
    assert not examine(root, terms()).is_sound
    assert repair(root, terms()).is_sound
    memory = opened()
    memory.rebuild(SPACE)
    assert live(memory) == LIVE
    assert len(memory.forgotten(SPACE)) == 1


def test_damaged_newline_costs_neither_of_its_lines(root: Path, opened: OpenMemory) -> None:
    flipped(log(root), starts(log(root))[2] - 1)
    shutil.rmtree(SPACE.folder(root) / "index")
    assert "a damaged line" in told(examine(root, terms()))
    assert repair(root, terms()).is_sound
    assert live(opened()) == LIVE


def test_a_torn_end_is_cut_and_kept_aside(root: Path, opened: OpenMemory) -> None:
    whole = log(root).read_bytes()
    log(root).write_bytes(whole + b'{"v":1,"seq":99')
    assert "torn" in told(examine(root, terms()))
    assert repair(root, terms()).is_sound
    assert log(root).read_bytes() == whole
    assert log(root).with_name("talk.jsonl.damaged").read_bytes() == b'{"v":1,"seq":99\n'
    assert live(opened()) == LIVE


def test_erasing_reaches_quarantined_lines(root: Path, opened: OpenMemory) -> None:
    flipped(log(root), log(root).read_bytes().index(b"number1") + 12)
    assert repair(root, terms()).is_sound
    aside = log(root).with_name("talk.jsonl.damaged")
    assert b"number1" in aside.read_bytes()
    memory = opened()
    (found,) = [
        entry.id for entry in memory.conversation(SPACE, "talk", 99) if "number1" in entry.text
    ]
    memory.forget(SPACE, [found])
    memory.erase_all_forgotten(SPACE)
    assert b"number1" not in aside.read_bytes()


def test_erasing_reaches_a_quarantined_line_with_a_damaged_id(
    root: Path, opened: OpenMemory
) -> None:
    lines = log(root).read_bytes().splitlines(True)
    flipped(log(root), starts(log(root))[1] + lines[1].index(b'"id":"') + 8)
    assert repair(root, terms()).is_sound
    aside = log(root).with_name("talk.jsonl.damaged")
    memory = opened()
    (found,) = [
        entry.id for entry in memory.conversation(SPACE, "talk", 99) if "number1" in entry.text
    ]
    assert b"number1" in aside.read_bytes()
    assert found.encode() not in aside.read_bytes()
    memory.edit(SPACE, found, {"user": "something else"})
    memory.forget(SPACE, [found])
    memory.erase_all_forgotten(SPACE)
    assert b"number1" not in aside.read_bytes()


def test_interrupted_erasure_is_finished_although_the_index_is_rebuilt(
    opened: OpenMemory,
) -> None:
    """Erases an edit in one log, but not yet the words before it in another one."""
    memory = opened()
    kept = memory.remember(SPACE, "zebra", said("quetzalcoatlus in a zoo"))
    memory.reconcile(SPACE, "ape", [said("quetzalcoatlus in a zoo")], whole=True)
    memory.reconcile(SPACE, "zebra", [], whole=True)
    memory.reconcile(SPACE, "ape", [said("quetzalcoatlus in a park")], whole=True)
    memory.edit(SPACE, kept, {"user": "a quetzalcoatlus somewhere"})
    memory.forget(SPACE, [kept])
    memory.close()
    folder = SPACE.folder(memory.root)
    event_log = EventLog(folder)
    for name in ("", "ape"):
        event_log.rewrite(name, purge_content(event_log.read(name), {kept}))
    event_log.close()
    shutil.rmtree(folder / "index")
    again = opened()
    assert again.erase_all_forgotten(SPACE) == 1
    again.close()
    files = (path for path in memory.root.rglob("*") if path.is_file())
    assert not [path.name for path in files if b"quetzalcoatlus" in path.read_bytes()]


def add_line(root: Path, line: Event) -> None:
    with EventLog(SPACE.folder(root)).path(line.log).open("ab") as file:
        file.write(pack(line))


def test_line_of_a_newer_version_is_reported_and_left_alone(root: Path) -> None:
    line = pack(Event(seq=99, op=EventType.REMOVE, id="x", ts=NOW, log="talk"))
    newer = json.loads(line) | {"op": "dream"}
    del newer["crc"]
    body = json.dumps(newer, separators=(",", ":")).encode()[:-1]
    packed = body + b',"crc":"%08x"}\n' % zlib.crc32(body)
    log(root).write_bytes(log(root).read_bytes() + packed)
    assert "not understood" in told(examine(root, terms()))
    assert not repair(root, terms()).is_sound
    assert log(root).read_bytes().endswith(packed)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (Event(seq=1, op=EventType.PIN, id="", ts=NOW), "makes no sense"),
        (Event(seq=99, op=EventType.PIN, id="absent", ts=NOW), "which no line creates"),
        (Event(seq=3, op=EventType.UNPIN, id="known", ts=NOW), "seq 3 is used twice"),
    ],
)
def test_line_that_the_projection_refuses_is_reported(root: Path, line: Event, what: str) -> None:
    add_line(root, line)
    assert what in told(examine(root, terms()))


def test_words_due_for_erasure_are_reported_and_erased(root: Path) -> None:
    late = terms(Clock(NOW + KIND.undo_forget_s + 1))
    assert "words of a forgotten memory" in told(examine(root, late))
    assert repair(root, late).is_sound
    files = (path for path in root.rglob("*") if path.is_file())
    assert not [path.name for path in files if b"number6" in path.read_bytes()]


def test_words_forgotten_in_the_future_are_due_for_erasure(root: Path) -> None:
    assert not examine(root, terms(Clock(NOW - 2 * KIND.undo_forget_s))).is_sound


@POSIX
def test_files_that_others_may_read_are_reported_and_made_private(root: Path) -> None:
    manifest = SPACE.folder(root) / MANIFEST
    for path in (log(root), manifest, SPACE.folder(root), root / "ana"):
        path.chmod(0o755)
    assert told(examine(root, terms())).count("other users may open it") == 4
    assert repair(root, terms()).is_sound
    assert stat.S_IMODE(manifest.stat().st_mode) == durable_files.FILE_MODE
    assert stat.S_IMODE((root / "ana").stat().st_mode) == durable_files.FOLDER_MODE


def test_repair_removes_temporaries_of_a_killed_program(root: Path) -> None:
    left = [folder / ".a1b2.tmp" for folder in (root, SPACE.folder(root), log(root).parent)]
    for path in left:
        path.touch(mode=0o600)
        os.utime(path, (0, 0))
    assert told(examine(root, terms())).count("left by a killed program") == 3
    assert repair(root, terms()).is_sound
    assert not any(path.exists() for path in left)


def test_temporary_file_of_a_running_program_is_neither_reported_nor_removed(root: Path) -> None:
    begun = root / ".a1b2.tmp"
    begun.touch(mode=0o600)
    assert repair(root, terms()).findings == []
    assert begun.exists()


def test_foreign_files_are_noted_and_left_alone(root: Path) -> None:
    foreign = [root / "holiday.jpg", SPACE.folder(root) / "x.txt", root / "ana" / "x"]
    for path in foreign:
        path.write_text("mine")
    assert (report := repair(root, terms())).is_sound
    assert [finding.problem for finding in report.findings] == ["this is none of ours"] * 3
    assert all(path.read_text() == "mine" for path in foreign)


def test_damaged_manifest_is_kept_aside_and_written_again(root: Path, opened: OpenMemory) -> None:
    manifest = SPACE.folder(root) / MANIFEST
    whole = manifest.read_bytes()
    manifest.write_bytes(b"{")
    assert "is not a manifest" in told(examine(root, terms()))
    assert repair(root, terms()).is_sound
    assert manifest.read_bytes() == whole
    assert opened().problems() == []


def test_a_copied_folder_gets_its_own_names(root: Path) -> None:
    shutil.copytree(SPACE.folder(root), root / "ben" / "mira")
    os.chmod(root / "ben", 0o700)
    assert "it names ana / mira" in told(examine(root, terms()))
    assert repair(root, terms()).is_sound


def test_memories_in_a_folder_without_an_owner_are_reported(root: Path) -> None:
    SPACE.folder(root).rename(root / "ana" / "Not A Code")
    assert "no known owner" in told(examine(root, terms()))


def test_damaged_aliases_are_put_aside(root: Path) -> None:
    (root / ALIASES).write_text("[")
    assert "is not a list of aliases" in told(examine(root, terms()))
    assert repair(root, terms()).is_sound
    assert (root / f"{ALIASES}.damaged").read_text() == "["
    write_aliases(root, Aliases())
    assert examine(root, terms()).is_sound


def test_repair_leaves_damaged_pauses_alone(root: Path) -> None:
    """Replacing the file would resume paused chats."""
    (SPACE.folder(root) / SWITCHES).write_text("{")
    assert not repair(root, terms()).is_sound
    assert (SPACE.folder(root) / SWITCHES).read_text() == "{"


def rows_vanish(store: LocalStore) -> None:
    with store._database.transaction() as db:
        db.execute("DELETE FROM entries WHERE state = 'live' AND kind = 'exchange'")


def a_text_changes(store: LocalStore) -> None:
    with store._database.transaction() as db:
        db.execute("UPDATE entries SET data = replace(data, 'number3', 'number9')")


def totals_drift(store: LocalStore) -> None:
    with store._database.transaction() as db:
        db.execute("UPDATE totals SET live = live + 1")


def places_vanish(store: LocalStore) -> None:
    with store._database.transaction() as db:
        db.execute("DELETE FROM positions WHERE conversation = 'branch'")


@pytest.mark.parametrize("harm", [rows_vanish, a_text_changes, totals_drift, places_vanish])
def test_index_that_differs_from_the_logs_is_reported_and_rebuilt(
    root: Path, opened: OpenMemory, harm: Callable[[LocalStore], None]
) -> None:
    store = LocalStore(SPACE.folder(root) / "index")
    harm(store)
    store.close()
    assert "ana/mira/index" in told(examine(root, terms()))
    assert repair(root, terms()).is_sound
    assert live(opened()) == LIVE


def run(*words: str, root: Path) -> int:
    return main(["doctor", *words, "--storage", str(root)])


def test_doctor_command_reports_faults_by_its_exit_code(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--repair", root=root) == 0  # what the real clock says is due
    assert run(root=root) == 0
    flipped(log(root), 30)
    assert run(root=root) == 1
    out = capsys.readouterr().out
    assert "ana/mira/conversations/talk.jsonl, byte 0: a damaged line" in out
    assert run("--json", root=root) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["sound"], found["namespaces"]) == (False, 2)
    assert found["findings"][0]["file"] == "ana/mira/conversations/talk.jsonl"
    assert run("--repair", "--json", root=root) == 0
    assert json.loads(capsys.readouterr().out)["repaired"]


def test_missing_storage_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root=tmp_path / "absent") == 2
    assert "does not exist" in capsys.readouterr().err

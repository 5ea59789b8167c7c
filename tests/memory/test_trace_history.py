"""Traces outlive a restart, without anything that was forgotten or must not be kept."""

import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.file_calls import FailAt, met
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory import trace_history
from memory_core.memory.trace_history import FILE, KEPT, Traces
from memory_core.memory.traces import Injected, Trace
from memory_core.recall.results import Candidate, Dropped, DropReason, Form, Recall, Recalled
from tests.builders import NOW, SPACE


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = SPACE.folder(tmp_path)
    (made / "index").mkdir(parents=True)
    return made


def candidate(memory_id: str, text: str) -> Candidate:
    memory = Memory(
        id=memory_id,
        kind=MemoryKind.EXCHANGE,
        text=text,
        ts=NOW,
        conversation="c",
        exchange=Exchange(user=text, assistant="Noted."),
    )
    return Candidate(memory=memory, score=0.7, parts={"words": 0.6, "turn": 0.1})


def full_trace(query: str, *, ts: float = NOW, may_be_saved: bool = True) -> Trace:
    cello, tea = candidate("m1", "I play the cello"), candidate("m2", "I like tea")
    return Trace(
        ts=ts,
        user=SPACE.user,
        character=SPACE.character,
        conversation="c",
        query=query,
        recall=Recall(
            kept=(Recalled(candidate=cello, form=Form.LINE),),
            dropped=(Dropped(candidate=tea, reason=DropReason.GATE, detail="x"),),
            need=0.8,
        ),
        injected=(Injected(memory_id="m1", form="line", text="Ana: I play the cello", tokens=9),),
        injected_text="Ana: I play the cello",
        tokens=9,
        limit_tokens=4096,
        chat_tokens=50,
        may_be_saved=may_be_saved,
    )


def traces_of(root: Path) -> Traces:
    return Traces(9, lambda: root)


def after_restart(root: Path) -> list[Trace]:
    return traces_of(root).latest(SPACE)


def test_a_saved_trace_is_the_same_after_a_restart(tmp_path: Path, folder: Path) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("What do I play?"))
    traces.save()
    (found,) = after_restart(tmp_path)
    assert found.query == "What do I play?"
    assert found.recall.kept[0].candidate.parts == {"words": 0.6, "turn": 0.1}
    assert found.recall.kept[0].memory.exchange is not None
    assert found.recall.dropped[0].detail == "x"
    assert (found.injected, found.limit_tokens) == (full_trace("").injected, 4096)


def test_nothing_is_written_before_the_writer_saves(tmp_path: Path, folder: Path) -> None:
    traces_of(tmp_path).add(SPACE, full_trace("q"))
    assert not (folder / FILE).exists()


def test_only_the_owner_can_read_the_file(tmp_path: Path, folder: Path) -> None:
    trace_history.append_traces(folder, [full_trace("q")])
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600


def test_private_message_leaves_no_trace_on_disk(tmp_path: Path, folder: Path) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("between us", may_be_saved=False))
    traces.save()
    assert [found.query for found in traces.latest(SPACE)] == ["between us"]
    assert after_restart(tmp_path) == []


def test_forgotten_words_leave_the_disk_with_the_forgetting(tmp_path: Path, folder: Path) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("What do I play?"))
    traces.save()
    traces.redact(SPACE, {"m1"})
    assert "cello" not in (folder / FILE).read_text("utf-8")
    assert "cello" not in repr(traces.latest(SPACE))
    assert "What do I play?" in (folder / FILE).read_text("utf-8")


def test_forgotten_words_of_a_trace_that_waits_are_never_written(
    tmp_path: Path, folder: Path
) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("What do I play?"))
    traces.redact(SPACE, {"m1"})
    traces.save()
    assert "cello" not in (folder / FILE).read_text("utf-8")


def test_forgotten_message_takes_its_own_trace_along(tmp_path: Path, folder: Path) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("My pin is 1234"))
    traces.save()
    traces.redact(SPACE, (), {"My pin is 1234"})
    assert after_restart(tmp_path) == []
    assert "1234" not in (folder / FILE).read_text("utf-8")


@pytest.mark.parametrize("user", [SPACE.user, "饕餮魑魅魍魉囹圄" * 2], ids=["short", "long"])
@pytest.mark.parametrize("is_for_everybody", [False, True])
def test_words_of_a_shared_note_leave_the_traces_of_all_characters(
    tmp_path: Path, user: str, is_for_everybody: bool
) -> None:
    shared = Namespace.world() if is_for_everybody else Namespace.shared(user)
    characters = Namespace(user, "Mina"), Namespace(user, "Another")
    for space in characters:
        (space.folder(tmp_path) / "index").mkdir(parents=True)
        trace_history.append_traces(space.folder(tmp_path), [full_trace("q")])
    trace_history.redact_everywhere(shared.folder(tmp_path), {"m1"})
    for space in characters:
        assert "cello" not in (space.folder(tmp_path) / FILE).read_text("utf-8")


def test_damaged_lines_lose_no_other_trace(tmp_path: Path, folder: Path) -> None:
    trace_history.append_traces(folder, [full_trace("whole", ts=NOW)])
    lines = [b"\xff\xfe", b"[]", b'{"v": 1}', b'{"v": 99}', b"[" * 9_999]
    (folder / FILE).write_bytes(b"\n".join([*lines, (folder / FILE).read_bytes()]))
    assert [found.query for found in after_restart(tmp_path)] == ["whole"]
    trace_history.append_traces(folder, [full_trace("new", ts=NOW + 1)])
    assert [found.query for found in after_restart(tmp_path)] == ["new", "whole"]


def test_only_the_newest_traces_stay(tmp_path: Path, folder: Path) -> None:
    trace_history.append_traces(folder, [full_trace(f"q{n}", ts=NOW + n) for n in range(KEPT + 5)])
    assert [found.query for found in after_restart(tmp_path)][:: KEPT - 1] == [f"q{KEPT + 4}", "q5"]


def test_namespace_without_a_folder_gets_none_for_its_traces(tmp_path: Path) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("first message"))
    traces.save()
    assert not SPACE.folder(tmp_path).exists()
    (SPACE.folder(tmp_path) / "index").mkdir(parents=True)
    traces.save()
    assert [found.query for found in after_restart(tmp_path)] == ["first message"]


def test_renamed_namespace_shows_its_traces_under_the_new_name(
    tmp_path: Path, folder: Path
) -> None:
    trace_history.append_traces(folder, [full_trace("q")])
    new = Namespace(SPACE.user, "Renamed")
    folder.rename(new.folder(tmp_path))
    (found,) = traces_of(tmp_path).latest(new)
    assert found.character == "Renamed"


def test_merged_namespace_keeps_the_traces_of_both(tmp_path: Path, folder: Path) -> None:
    traces = traces_of(tmp_path)
    old = Namespace(SPACE.user, "Old")
    traces.add(old, full_trace("said to the old one"))
    trace_history.append_traces(folder, [full_trace("said before", ts=NOW - 9)])
    traces.move(old, SPACE)
    traces.save()
    queries = [found.query for found in after_restart(tmp_path)]
    assert queries == ["said to the old one", "said before"]


def test_destroyed_namespace_leaves_no_trace(tmp_path: Path, folder: Path) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("q"))
    traces.save()
    traces.drop_all(SPACE)
    assert not (folder / FILE).exists()
    assert traces.latest(SPACE) == []


def test_prompt_adds_its_trace_while_others_are_being_saved(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces = traces_of(tmp_path)
    is_writing, may_go_on = threading.Event(), threading.Event()

    def replace_slowly(path: Path, data: bytes) -> None:
        is_writing.set()
        assert may_go_on.wait(10)
        path.write_bytes(data)

    monkeypatch.setattr(trace_history.durable_files, "replace_without_sync", replace_slowly)
    traces.add(SPACE, full_trace("first"))
    saving = threading.Thread(target=traces.save)
    saving.start()
    assert is_writing.wait(10)
    adding = threading.Thread(target=traces.add, args=(SPACE, full_trace("second", ts=NOW + 1)))
    adding.start()
    adding.join(5)
    is_delayed = adding.is_alive()
    may_go_on.set()
    saving.join()
    adding.join()
    traces.save()
    assert not is_delayed
    assert [found.query for found in after_restart(tmp_path)] == ["second", "first"]


def test_each_line_is_json_with_a_version(folder: Path) -> None:
    trace_history.append_traces(folder, [full_trace("a"), full_trace("b", ts=NOW + 1)])
    lines = (folder / FILE).read_text("utf-8").splitlines()
    assert [json.loads(line)["v"] for line in lines] == [1, 1]


def test_trace_that_cannot_be_decoded_leaves_with_the_first_forgotten_words(
    folder: Path,
) -> None:
    line = {"v": trace_history.VERSION, "ts": NOW, "injected_text": "I play the cello"}
    (folder / FILE).write_text(json.dumps(line) + "\n", encoding="utf-8")
    trace_history.redact_traces(folder, ["m1"])
    assert "cello" not in (folder / FILE).read_text(encoding="utf-8")


def test_traces_that_cannot_be_read_are_deleted_with_the_first_forgotten_words(
    tmp_path: Path, folder: Path
) -> None:
    traces = traces_of(tmp_path)
    traces.add(SPACE, full_trace("What do I play?"))
    traces.save()
    fault = FailAt(0)
    with met(("open",), fault):
        trace_history.redact_traces(folder, ["m1"])
    assert fault.failed.startswith("open in infra/regular_files.py")
    assert not (folder / FILE).exists()

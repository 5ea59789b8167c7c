"""The doctor of the tab checks and repairs the memories of a running program."""

from collections.abc import Callable

from memory_core.memory.runtime import Runtime
from memory_core.text.locales import tab_words
from memory_core.ui.tab.settings.doctor_report import (
    check_files,
    repair_files,
    repairable,
    report_html,
)
from tests.builders import SPACE, derive_all, said

MakeRuntime = Callable[..., Runtime]
WORDS = tab_words("en")


def talked(make_runtime: MakeRuntime) -> Runtime:
    runtime = make_runtime()
    runtime.memory.remember(SPACE, "chat", said("My dog is called Bello"))
    derive_all(runtime.memory)
    return runtime


def test_nothing_remembered_is_nothing_to_check(make_runtime: MakeRuntime) -> None:
    assert "nothing to check" in report_html(check_files(make_runtime()), WORDS)


def test_open_memories_are_checked_whole(make_runtime: MakeRuntime) -> None:
    runtime = talked(make_runtime)
    report = check_files(runtime)
    assert (report.namespaces, report.findings) == (1, [])
    assert "All is sound: 1 line of 1 character was checked." in report_html(report, WORDS)


def test_damaged_line_is_found_and_repaired_while_the_program_runs(
    make_runtime: MakeRuntime,
) -> None:
    runtime = talked(make_runtime)
    (log,) = runtime.memory.root.rglob("conversations/*.jsonl")
    log.write_bytes(b'{"broken <b>\n' + log.read_bytes())
    report = check_files(runtime)
    assert repairable(report) > 0
    assert "can be repaired" in report_html(report, WORDS)
    assert "<b>" not in report_html(report, WORDS)
    assert repair_files(runtime).is_sound
    assert runtime.memory.counts(SPACE)["live"] == 1

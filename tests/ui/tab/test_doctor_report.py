"""The doctor of the tab checks and repairs the memories of a running program."""

from collections.abc import Callable

from memory_core.admin.doctor.findings import Finding, FindingCode
from memory_core.admin.doctor.run import DoctorReport
from memory_core.memory.runtime import Runtime
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.ui.tab.settings.doctor import (
    repairable,
    report_html,
    run_doctor,
)
from tests.builders import SPACE, derive_all, said
from tests.cases import for_each

MakeRuntime = Callable[..., Runtime]
WORDS = tab_words("en")


def talked(make_runtime: MakeRuntime) -> Runtime:
    runtime = make_runtime()
    runtime.memory.remember(SPACE, "chat", said("My dog is called Bello"))
    derive_all(runtime.memory)
    return runtime


def test_check_of_an_empty_storage_finds_nothing(make_runtime: MakeRuntime) -> None:
    assert "nothing to check" in report_html(run_doctor(make_runtime(), repairs=False), WORDS)


def test_open_memories_are_checked_whole(make_runtime: MakeRuntime) -> None:
    runtime = talked(make_runtime)
    report = run_doctor(runtime, repairs=False)
    assert (report.namespaces, report.findings) == (1, [])
    assert "All is sound: 1 line of 1 character was checked." in report_html(report, WORDS)


def test_damaged_line_is_found_and_repaired_while_the_program_runs(
    make_runtime: MakeRuntime,
) -> None:
    runtime = talked(make_runtime)
    (log,) = runtime.memory.root.rglob("conversations/*.jsonl")
    log.write_bytes(b'{"broken <b>\n' + log.read_bytes())
    report = run_doctor(runtime, repairs=False)
    assert repairable(report) > 0
    assert "can be repaired" in report_html(report, WORDS)
    assert "<b>" not in report_html(report, WORDS)
    assert run_doctor(runtime, repairs=True).is_sound
    assert runtime.memory.counts(SPACE)["live"] == 1


@for_each("language", LANGUAGES.values())
@for_each("code", FindingCode)
def test_finding_is_shown_in_the_words_of_the_page(code: FindingCode, language: str) -> None:
    found = Finding(code=code, namespace="Ana", path="x", problem="PROBLEM", detail="<DETAIL>")
    report = DoctorReport(namespaces=1, findings=[found])
    shown = report_html(report, tab_words(language))
    assert "PROBLEM" not in shown
    assert "<DETAIL>" not in shown


def test_damaged_line_is_reported_in_chinese(make_runtime: MakeRuntime) -> None:
    runtime = talked(make_runtime)
    (log,) = runtime.memory.root.rglob("conversations/*.jsonl")
    log.write_bytes(b"{broken\n" + log.read_bytes())
    (log.parent / "notes.txt").write_text("mine")
    shown = report_html(run_doctor(runtime, repairs=False), tab_words("zh"))
    assert "有一行已损坏" in shown
    assert "这不是记忆的文件。 <span>(不会动它。)</span>" in shown

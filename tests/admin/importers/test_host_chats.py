"""The past chats of the host are imported in the background, beside the chat."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.admin.administration import Administration
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.textgen import host_chats_source
from memory_core.admin.intake import Intake, IntakePhase
from memory_core.domain.errors import HostError, ImportFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.host.chat.host_protocol import Host
from memory_core.host.hooks import Hooks
from memory_core.memory.runtime import Runtime
from memory_core.ui.demo.demo_host import DemoHost
from tests.admin.importers.chats import MIRA, history, save
from tests.ui.tab.test_head import SharedHost

TOM, REX = ["My cat is Tom", "Lovely"], ["My dog is Rex", "Nice"]


class ProfileHost(DemoHost):
    def user_profile(self) -> str:
        return "Work"


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    for n in range(3):
        save(tmp_path / "user_data", f"chat/Mira/{n}.json", history([TOM, [f"And {n}", "Yes"]]))
    return tmp_path / "user_data"


def begin_import(runtime: Runtime, host: Host) -> Intake:
    intake = Administration(Hooks(runtime, host)).intake
    assert intake.begin_host_import()
    return intake


def test_the_hosts_own_chats_are_imported_beside_the_chat(runtime: Runtime, chats: Path) -> None:
    intake = begin_import(runtime, ProfileHost(chats))
    assert runtime._background
    runtime._background.join(30.0)
    assert intake.status.phase is IntakePhase.IMPORTED
    assert intake.status.survey
    assert intake.status.result
    assert (intake.status.survey.exchanges, intake.status.result.exchanges) == (6, 6)
    assert runtime.memory.counts(Namespace("Work", "Mira"))["live"] >= 4


def test_user_without_a_profile_is_found_by_the_folder(chats: Path) -> None:
    (chats / "settings.yaml").write_text("user: Ana\n", encoding="utf-8")
    assert host_chats_source(DemoHost(chats)).owner.user == "Ana"


@pytest.mark.parametrize(("executes_commands", "found"), [(True, 1), (False, 2)])
def test_chat_only_request_is_excluded_as_its_first_import_decided(
    runtime: Runtime, tmp_path: Path, executes_commands: bool, found: int
) -> None:
    here = ["Remember that my dog is Rex, in this chat only", "I do"]
    save(tmp_path, "chat/Mira/1.json", history([["Hello", "Hi"], here]))
    for is_heard in (executes_commands, not executes_commands, executes_commands):
        source = host_chats_source(DemoHost(tmp_path))
        import_chats(runtime.memory, replace(source, executes_commands=is_heard))
        assert runtime.memory.counts(MIRA)["live"] == found


def test_excluded_messages_are_not_imported_under_an_alias(
    runtime: Runtime, tmp_path: Path
) -> None:
    memory, ann = runtime.memory, Namespace("default", "Ann")
    memory.set_aliases(memory.aliases.with_namespace(MIRA, ann))
    said = [Exchange(user=user, assistant=assistant) for user, assistant in (TOM, REX)]
    runtime.pauses.exclude(ann, "1", said, said[:1])
    save(tmp_path, "chat/Mira/1.json", history([TOM, REX]))
    import_chats(memory, host_chats_source(DemoHost(tmp_path)))
    assert memory.counts(ann)["live"] == 1


def test_a_shared_page_has_no_chats_to_import(chats: Path, tmp_path: Path) -> None:
    with pytest.raises(HostError):
        host_chats_source(SharedHost(chats))
    with pytest.raises(ImportFailed):
        host_chats_source(DemoHost(tmp_path / "empty"))


def test_second_background_task_does_not_begin_while_one_runs(runtime: Runtime) -> None:
    goes_on = threading.Event()
    assert runtime.in_background("one", lambda: goes_on.wait(30) and None)
    assert not runtime.in_background("two", lambda: None)
    goes_on.set()
    runtime.close()
    assert runtime.in_background("three", lambda: None)


def test_error_in_a_background_task_is_reported(runtime: Runtime) -> None:
    runtime.in_background("bad", lambda: 1 / 0 and None)
    runtime.close()
    assert any("ZeroDivisionError" in problem for problem in runtime.problems())


def test_the_end_of_the_program_stops_an_import(runtime: Runtime, chats: Path) -> None:
    runtime.close()
    begin_import(runtime, DemoHost(chats))
    runtime.close()
    assert MIRA not in runtime.memory.namespaces()

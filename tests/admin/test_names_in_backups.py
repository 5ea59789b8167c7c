"""The other names that a backup brings are shown before it is restored, and can be left out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.admin.administration import Administration
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.exporters.restore import RestoreMode
from memory_core.admin.intake import Intake
from memory_core.domain.namespaces import Namespace
from memory_core.memory.runtime import Runtime
from memory_core.storage.aliases import Aliases
from memory_core.text.locales import tab_words
from memory_core.ui.tab.transfer.intake_html import intake_html
from memory_core.ui.tab.transfer.intake_view import IntakeView
from tests.builders import NOW, said
from tests.host.plain_host import PlainHost, hooks_in, opened

MIRA, OLD, LEO = Namespace("ana", "Mira"), Namespace("ana", "Mia"), Namespace("ana", "Leo")
NAMES = Aliases(users={"Anon": "ana"}, namespaces={OLD: MIRA, LEO: MIRA})
WORDS = tab_words("en")


@pytest.fixture
def backup(runtime: Runtime, tmp_path: Path) -> Path:
    """A backup with other names, of which one is a character with memories where it is restored."""
    runtime.memory.remember(MIRA, "monday", said("I play the cello"))
    shared = Namespace.shared("ana")
    runtime.memory.remember(shared, "", said("I am left-handed"))
    path = tmp_path / "all.zip"
    write_backup(path, runtime.memory.root, [MIRA, shared], now=NOW, aliases=NAMES)
    return path


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    hooks = hooks_in(tmp_path / "other", PlainHost(tmp_path))
    hooks.runtime.memory.remember(LEO, "monday", said("I have a boat"))
    yield Administration(hooks).intake
    while opened:
        opened.pop().close()


def finish(intake: Intake) -> str:
    thread = intake._hooks.runtime._background
    assert thread
    thread.join(30.0)
    return intake_html(IntakeView(words=WORDS, status=intake.status))


def test_names_that_a_backup_would_bring_are_listed_with_a_tick(
    intake: Intake, backup: Path
) -> None:
    intake.begin_reading_backup(backup, user="ana")
    card = finish(intake)
    plan = intake.status.plan
    assert plan is not None
    assert plan.names == Aliases(users={"Anon": "ana"}, namespaces={OLD: MIRA})
    assert "<li>Anon → ana</li><li>ana / Mia → ana / Mira</li>" in card
    assert 'name="names" checked' in card
    assert "Leo" not in card


@pytest.mark.parametrize("takes_names", [True, False])
def test_names_of_a_backup_are_taken_over_only_if_wanted(
    intake: Intake, backup: Path, takes_names: bool
) -> None:
    intake.begin_reading_backup(backup, user="ana")
    finish(intake)
    plan = intake.status.plan
    assert plan is not None
    assert intake.begin_restore(RestoreMode.MERGE, takes_names=takes_names)
    finish(intake)
    known = intake._hooks.runtime.memory.aliases
    assert (known.users, known.namespaces) == (
        (plan.names.users, plan.names.namespaces) if takes_names else ({}, {})
    )


def test_backup_without_other_names_shows_no_tick(
    intake: Intake, runtime: Runtime, tmp_path: Path
) -> None:
    runtime.memory.remember(MIRA, "monday", said("I play the cello"))
    path = tmp_path / "plain.zip"
    write_backup(path, runtime.memory.root, [MIRA], now=NOW)
    intake.begin_reading_backup(path, user="ana")
    assert 'name="names"' not in finish(intake)

"""Exchanges without the user's words survive every operation on memories."""

from pathlib import Path

import pytest

from memory_core.admin import names
from memory_core.admin.doctor.run import DoctorOptions, examine
from memory_core.admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from memory_core.admin.exporters.restore import restore
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.csv_jsonl import TableReader
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.index.local import LocalStore
from memory_core.storage.pauses import ChatPauses
from tests.admin.exporters.scene import exported
from tests.builders import KIND, SPACE, Clock, derive_all, open_memory, said
from tests.conftest import OpenMemory

CHAT = [said("", "She waits at the mill."), said("Hi", "Hello"), said("", "She keeps bees.")]
OTHER = Namespace("bob", "Mira")


def sides(memory: LongTermMemory, space: Namespace = SPACE) -> list[tuple[str, str]]:
    found = memory.conversation(space, "talk", 9)
    return [(entry.exchange.user, entry.exchange.assistant) for entry in found if entry.exchange]


WANTED = [(exchange.user, exchange.assistant) for exchange in CHAT]


@pytest.fixture
def filled(opened: OpenMemory) -> LongTermMemory:
    memory = opened(embedder=FakeEmbedder())
    memory.reconcile(SPACE, "talk", CHAT, whole=True)
    derive_all(memory)
    return memory


def test_silent_exchanges_are_the_same_after_a_second_look_at_their_chat(
    filled: LongTermMemory,
) -> None:
    assert not filled.reconcile(SPACE, "talk", CHAT, whole=True)
    assert sides(filled) == WANTED


def test_silent_exchanges_are_restored_from_a_backup(
    filled: LongTermMemory, tmp_path: Path
) -> None:
    elsewhere = open_memory(tmp_path / "elsewhere")
    restore(elsewhere, exported(filled, tmp_path / "ana.zip"))
    assert sides(elsewhere) == WANTED
    elsewhere.close()


def test_silent_exchanges_move_along_when_two_characters_are_merged(
    filled: LongTermMemory,
) -> None:
    filled.remember(OTHER, "here", said("Good day"))
    names.merge(filled, ChatPauses(filled.root), SPACE, OTHER)
    assert sides(filled, OTHER) == WANTED


def test_the_doctor_finds_silent_exchanges_sound(filled: LongTermMemory) -> None:
    root = filled.root
    filled.close()
    terms = DoctorOptions(open_store=LocalStore, undo_s=KIND.undo_forget_s, clock=Clock())
    assert [finding.problem for finding in examine(root, terms).findings if finding.is_fault] == []


@pytest.mark.parametrize("form", ExportFormat)
def test_silent_exchanges_are_in_every_readable_export(
    filled: LongTermMemory, tmp_path: Path, form: ExportFormat
) -> None:
    path = tmp_path / f"out{ENDINGS[form]}"
    assert export_namespace(filled, SPACE, form, path) == len(CHAT)
    assert "She keeps bees." in path.read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("form", [ExportFormat.CSV, ExportFormat.JSONL])
def test_silent_exchanges_come_back_from_a_readable_export(
    filled: LongTermMemory, tmp_path: Path, form: ExportFormat
) -> None:
    path = tmp_path / f"out{ENDINGS[form]}"
    export_namespace(filled, SPACE, form, path)
    owner = MemoryOwner(user=SPACE.user, character=SPACE.character)
    (chat,) = TableReader().read(path, owner)
    assert [(exchange.user, exchange.assistant) for exchange in chat.exchanges] == WANTED

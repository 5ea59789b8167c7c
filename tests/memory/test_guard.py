"""The guard at the memory's own door: exchanges, notes, edits, derived memories, imports."""

import pytest

from memory_core.config.guard_settings import GuardSettings
from memory_core.config.limits import Limits
from memory_core.domain.derivations import Derivation
from memory_core.domain.errors import LooksPrivate
from memory_core.domain.private_parts import GuardAction, GuardRules, PrivatePart
from memory_core.domain.records import Exchange, MemoryKind, Note, Role, Turn, content_key
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.guard import GuardReport
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from tests.builders import SPACE, said

MAIL = "Write to ana@example.org soon"
MARKED = "Write to [e-mail address removed] soon"
CARD = "My card is 4111 1111 1111 1111"


def set_rules(memory: LongTermMemory, **actions: str) -> list[GuardReport]:
    """Sets the guard's actions, and returns the list to which its reports are added."""
    rules = {PrivatePart(part): GuardAction(action) for part, action in actions.items()}
    memory.guard.follow(GuardRules(actions=rules))
    reports: list[GuardReport] = []
    memory.guard.listen(reports.append)
    return reports


def all_texts(memory: LongTermMemory) -> list[str]:
    return sorted(found.text for found in memory.latest(SPACE, Page(limit=99)))


def test_exchange_is_redacted_in_both_texts_and_all_turns(memory: LongTermMemory) -> None:
    reports = set_rules(memory, email="redact")
    turns = (Turn(role=Role.USER, text=MAIL), Turn(role=Role.TOOL, text=f"sent: {MAIL}"))
    memory.remember(SPACE, "one", Exchange(user=MAIL, assistant=f"Did: {MAIL}", turns=turns))
    (found,) = memory.conversation(SPACE, "one", 9)
    assert found.exchange is not None
    assert (found.exchange.user, found.exchange.assistant) == (MARKED, f"Did: {MARKED}")
    assert [turn.text for turn in found.exchange.turns] == [MARKED, f"sent: {MARKED}"]
    (report,) = reports
    assert (report.action, report.parts, report.count) == (GuardAction.REDACT, {"email"}, 1)
    assert memory.guard.counts() == {(GuardAction.REDACT, PrivatePart.EMAIL): 1}


def test_skipped_exchange_is_refused_and_nothing_is_written(memory: LongTermMemory) -> None:
    reports = set_rules(memory, card="skip")
    with pytest.raises(LooksPrivate, match=r"a card number \(guard\.cards\)") as caught:
        memory.remember(SPACE, "one", said(CARD))
    assert "4111" not in str(caught.value)
    assert all_texts(memory) == []
    assert [report.action for report in reports] == [GuardAction.SKIP]


def test_exchange_with_skipped_and_redacted_parts_is_skipped(memory: LongTermMemory) -> None:
    set_rules(memory, card="skip", email="redact")
    with pytest.raises(LooksPrivate):
        memory.remember(SPACE, "one", said(f"{CARD}. {MAIL}"))


def test_only_parts_with_an_action_are_touched(memory: LongTermMemory) -> None:
    set_rules(memory, card="redact", email="keep")
    memory.remember(SPACE, "one", said(f"{CARD}. {MAIL}"))
    assert f"My card is [card number removed]. {MAIL}" in all_texts(memory)[0]


def test_chat_compared_again_changes_nothing(memory: LongTermMemory) -> None:
    reports = set_rules(memory, email="redact", card="skip")
    chat = [said("Hello"), said(MAIL), said(CARD), said("Bye")]
    first = memory.reconcile(SPACE, "one", chat, whole=True)
    assert len(first.added) == 3
    assert not memory.compare(SPACE, "one", chat, whole=True).stale_ids
    assert not memory.reconcile(SPACE, "one", chat, whole=True)
    assert [report.action for report in reports] == [GuardAction.REDACT]


def test_note_is_redacted_or_refused(memory: LongTermMemory) -> None:
    set_rules(memory, email="redact", card="skip")
    memory.add_note(SPACE, MAIL, kind=MemoryKind.KNOWLEDGE, pinned=False)
    with pytest.raises(LooksPrivate):
        memory.add_note(SPACE, CARD, kind=MemoryKind.KNOWLEDGE, pinned=False)
    assert all_texts(memory) == [MARKED]


def test_edit_is_guarded_and_a_refused_one_changes_nothing(memory: LongTermMemory) -> None:
    set_rules(memory, email="redact", card="skip")
    memory_id = memory.add_note(SPACE, "Hello", kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.edit(SPACE, memory_id, {"text": MAIL})
    assert all_texts(memory) == [MARKED]
    with pytest.raises(LooksPrivate):
        memory.edit(SPACE, memory_id, {"text": CARD})
    assert all_texts(memory) == [MARKED]


@pytest.mark.parametrize("action", ["redact", "skip"])
def test_derived_memory_is_always_redacted(memory: LongTermMemory, action: str) -> None:
    source = memory.remember(SPACE, "one", said(MAIL))
    set_rules(memory, email=action)
    derived = NewDerived(
        kind=MemoryKind.OBSERVATION,
        text=MAIL,
        sources={source: memory.get_record(SPACE, source).seq},
        derived=Derivation(
            made_by="m", key="mail", value="ana@example.org", search_words="ana@example.org"
        ),
    )
    made = DerivedMemories(memory).add(SPACE, derived)
    assert DerivedMemories(memory).add(SPACE, derived) == made
    found = memory.get_record(SPACE, made).memory
    assert found.text == MARKED
    assert found.derived is not None
    assert found.derived.value == "[e-mail address removed]"
    assert found.derived.search_words == "[e-mail address removed]"


def test_imported_notes_are_guarded_and_counted_once(memory: LongTermMemory) -> None:
    reports = set_rules(memory, email="redact", card="skip")
    notes = [Note(kind=MemoryKind.KNOWLEDGE, text=text) for text in ("Hello", MAIL, CARD)]
    assert len(memory.add_notes(SPACE, notes)) == 2
    assert memory.add_notes(SPACE, notes[:2]) == []
    assert all_texts(memory) == ["Hello", MARKED]
    assert sorted(report.action for report in reports) == [GuardAction.REDACT, GuardAction.SKIP]


def test_imported_note_follows_its_redacted_source(memory: LongTermMemory) -> None:
    set_rules(memory, email="redact")
    source = Note(kind=MemoryKind.OBSERVATION, text=MAIL)
    made = Note(kind=MemoryKind.SUMMARY, text="Mail", sources=(content_key(MAIL, ""),))
    first, second = memory.add_notes(SPACE, [source, made])
    assert memory.get_record(SPACE, second).memory.sources == (first,)


def test_value_of_an_imported_fact_is_redacted_too(memory: LongTermMemory) -> None:
    set_rules(memory, email="redact")
    derived = Derivation(made_by="m", key="mail", value="ana@example.org", search_words="a@b.org")
    fact = Note(kind=MemoryKind.OBSERVATION, text="Ana has an address.", derived=derived)
    (made,) = memory.add_notes(SPACE, [fact])
    found = memory.get_record(SPACE, made).memory.derived
    assert found is not None
    assert found.value == found.search_words == "[e-mail address removed]"


def test_note_known_from_before_the_guard_stays_as_it_is(memory: LongTermMemory) -> None:
    notes = [Note(kind=MemoryKind.KNOWLEDGE, text=MAIL)]
    memory.add_notes(SPACE, notes)
    set_rules(memory, email="redact")
    assert memory.add_notes(SPACE, notes) == []
    assert all_texts(memory) == [MAIL]


def test_settings_reach_the_guard(memory: LongTermMemory) -> None:
    rules = GuardRules(actions={PrivatePart.EMAIL: GuardAction.REDACT})
    limits = Limits(query_timeout_s=1.0, undo_forget_s=1.0, guard=rules)
    memory.reconfigure(embedder=None, pipeline=memory._pipeline, limits=limits)
    memory.remember(SPACE, "one", said(MAIL))
    assert MARKED in all_texts(memory)[0]


@pytest.mark.parametrize("part", PrivatePart)
def test_refusal_names_the_setting_of_each_part(part: PrivatePart) -> None:
    (setting,) = (name for name in GuardSettings.model_fields if name == f"{part}s")
    assert f"guard.{setting}" in str(LooksPrivate([part]))
    assert GuardSettings.model_validate({setting: "skip"}).rules.skipped == {part}

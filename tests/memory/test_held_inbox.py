"""Exchanges that the guard holds back: where they are, and what each decision makes of them."""

import stat

import pytest

from memory_core.domain.errors import HeldForReview, LooksPrivate, StorageCorrupt, UnknownMemory
from memory_core.domain.private_parts import GuardAction, PrivatePart
from memory_core.domain.records import MemoryKind
from memory_core.memory.held_inbox import HeldDecision, HeldInbox
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage import held
from memory_core.storage.contract import Page
from memory_core.storage.pauses import ChatPauses
from tests.builders import SPACE, said
from tests.memory.test_guard import CARD, MAIL, MARKED, set_rules

CHAT = (said("Hello"), said(CARD), said("Bye"))
DIGITS = b"4111 1111"  # four alone may be part of a random id


def inbox_of(memory: LongTermMemory) -> HeldInbox:
    return HeldInbox(memory, ChatPauses(memory.root))


def only_held(memory: LongTermMemory) -> held.HeldExchange:
    (one,) = inbox_of(memory).waiting(SPACE)
    return one


def texts_of(memory: LongTermMemory, conversation: str = "one") -> list[str]:
    found = memory.conversation(SPACE, conversation, 99)
    return [one.exchange.user for one in found if one.exchange]


def files_with(memory: LongTermMemory, words: bytes) -> list[str]:
    paths = memory.root.rglob("*")
    return sorted(path.name for path in paths if path.is_file() and words in path.read_bytes())


def hold(memory: LongTermMemory) -> held.HeldExchange:
    set_rules(memory, card="ask")
    memory.reconcile(SPACE, "one", CHAT, whole=True)
    return only_held(memory)


def test_asked_exchange_is_in_no_log_and_no_index(memory: LongTermMemory) -> None:
    one = hold(memory)
    memory.derive_pending(SPACE)
    assert texts_of(memory) == ["Hello", "Bye"]
    assert files_with(memory, DIGITS) == [held.FILE]
    assert (one.exchange, one.conversation, one.parts) == (CHAT[1], "one", {PrivatePart.CARD})
    mode = (SPACE.folder(memory.root) / held.FILE).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_held_exchange_is_reported_once_without_its_words(memory: LongTermMemory) -> None:
    reports = set_rules(memory, card="ask")
    for _ in range(3):
        memory.reconcile(SPACE, "one", CHAT, whole=True)
    assert [(one.action, one.parts, one.count) for one in reports] == [
        (GuardAction.ASK, {PrivatePart.CARD}, 1)
    ]
    assert len(inbox_of(memory).waiting(SPACE)) == 1


def test_held_exchange_stays_held_when_the_setting_changes(memory: LongTermMemory) -> None:
    hold(memory)
    for action in ("keep", "redact", "skip"):
        set_rules(memory, card=action)
        memory.reconcile(SPACE, "one", CHAT, whole=True)
        assert texts_of(memory) == ["Hello", "Bye"]
        assert only_held(memory).exchange == CHAT[1]


def test_approved_exchange_takes_its_place_and_is_stored_once(memory: LongTermMemory) -> None:
    one = hold(memory)
    memory.reconcile(SPACE, "one", [*CHAT, said("More")], whole=True)
    inbox_of(memory).decide(SPACE, one.id, HeldDecision.APPROVE)
    assert texts_of(memory) == ["Hello", CARD, "Bye", "More"]
    assert not memory.reconcile(SPACE, "one", [*CHAT, said("More")], whole=True)
    assert inbox_of(memory).waiting(SPACE) == []
    assert not memory.held_file(SPACE).exists()


def test_neighbours_keep_their_order_whichever_is_approved_first(memory: LongTermMemory) -> None:
    set_rules(memory, card="ask")
    chat = [said("Hello"), said(CARD), said(f"{CARD} again"), said("Bye")]
    memory.reconcile(SPACE, "one", chat, whole=True)
    ids = {one.exchange.user: one.id for one in inbox_of(memory).waiting(SPACE)}
    inbox_of(memory).decide(SPACE, ids[f"{CARD} again"], HeldDecision.APPROVE)
    inbox_of(memory).decide(SPACE, ids[CARD], HeldDecision.APPROVE)
    assert texts_of(memory) == ["Hello", CARD, f"{CARD} again", "Bye"]


def test_last_message_of_a_chat_goes_before_those_said_after_it(memory: LongTermMemory) -> None:
    set_rules(memory, card="ask")
    with pytest.raises(HeldForReview):
        memory.remember(SPACE, "one", said(CARD))
    memory.remember(SPACE, "one", said("Later"))
    inbox_of(memory).decide(SPACE, only_held(memory).id, HeldDecision.APPROVE)
    assert texts_of(memory) == [CARD, "Later"]


def test_redacted_exchange_has_a_mark_and_its_words_are_gone(memory: LongTermMemory) -> None:
    one = hold(memory)
    inbox_of(memory).decide(SPACE, one.id, HeldDecision.REDACT)
    assert texts_of(memory) == ["Hello", "My card is [card number removed]", "Bye"]
    assert not memory.reconcile(SPACE, "one", CHAT, whole=True)
    assert files_with(memory, DIGITS) == []


def test_discarded_exchange_never_comes_back(memory: LongTermMemory) -> None:
    one = hold(memory)
    pauses = ChatPauses(memory.root)
    HeldInbox(memory, pauses).decide(SPACE, one.id, HeldDecision.DISCARD)
    left = pauses.without_excluded(SPACE, "one", CHAT)
    assert [exchange.user for exchange in left] == ["Hello", "Bye"]
    assert files_with(memory, DIGITS) == []
    assert texts_of(memory) == ["Hello", "Bye"]


def test_redact_rule_of_another_part_holds_for_what_is_approved(memory: LongTermMemory) -> None:
    set_rules(memory, card="ask", email="redact")
    with pytest.raises(HeldForReview):
        memory.remember(SPACE, "one", said(f"{CARD}. {MAIL}"))
    inbox_of(memory).decide(SPACE, only_held(memory).id, HeldDecision.APPROVE)
    assert texts_of(memory) == [f"{CARD}. {MARKED}"]


def test_exchange_with_skipped_and_asked_parts_is_skipped(memory: LongTermMemory) -> None:
    set_rules(memory, card="ask", email="skip")
    with pytest.raises(LooksPrivate) as caught:
        memory.remember(SPACE, "one", said(f"{CARD}. {MAIL}"))
    assert not isinstance(caught.value, HeldForReview)
    assert inbox_of(memory).waiting(SPACE) == []


def test_note_with_an_asked_part_is_refused_with_the_setting(memory: LongTermMemory) -> None:
    set_rules(memory, card="ask")
    with pytest.raises(LooksPrivate, match=r"guard\.cards") as caught:
        memory.add_note(SPACE, CARD, kind=MemoryKind.KNOWLEDGE, pinned=False)
    assert "4111" not in str(caught.value)
    assert memory.latest(SPACE, Page(limit=9)) == []


def test_message_that_left_the_chat_no_longer_waits(memory: LongTermMemory) -> None:
    hold(memory)
    memory.reconcile(SPACE, "one", [CHAT[0], CHAT[2]], whole=True)
    assert inbox_of(memory).waiting(SPACE) == []
    assert files_with(memory, DIGITS) == []


def test_incomplete_chat_keeps_what_it_does_not_show(memory: LongTermMemory) -> None:
    one = hold(memory)
    memory.reconcile(SPACE, "one", [CHAT[2]], whole=False)
    assert only_held(memory) == one


def test_decision_holds_for_branches_too(memory: LongTermMemory) -> None:
    one = hold(memory)
    memory.reconcile(SPACE, "two", CHAT[:2], whole=True)
    assert only_held(memory).exchange == one.exchange
    inbox_of(memory).decide(SPACE, only_held(memory).id, HeldDecision.APPROVE)
    assert texts_of(memory, "two") == ["Hello", CARD]
    assert texts_of(memory) == ["Hello", CARD, "Bye"]
    assert inbox_of(memory).waiting(SPACE) == []


def test_moved_conversation_takes_along_what_waits(memory: LongTermMemory) -> None:
    one = hold(memory)
    memory.move_conversation(SPACE, "one", "renamed")
    assert only_held(memory).conversation == "renamed"
    inbox_of(memory).decide(SPACE, one.id, HeldDecision.APPROVE)
    assert texts_of(memory, "renamed") == ["Hello", CARD, "Bye"]


def test_decision_repeated_after_a_crash_stores_nothing_twice(memory: LongTermMemory) -> None:
    one = hold(memory)
    inbox_of(memory).decide(SPACE, one.id, HeldDecision.APPROVE)
    memory.held_file(SPACE).write([one])  # the crash came before the file was replaced
    inbox_of(memory).decide(SPACE, one.id, HeldDecision.APPROVE)
    assert texts_of(memory) == ["Hello", CARD, "Bye"]


def test_unknown_id_is_refused(memory: LongTermMemory) -> None:
    hold(memory)
    with pytest.raises(UnknownMemory):
        inbox_of(memory).decide(SPACE, "none", HeldDecision.DISCARD)


def test_damaged_file_is_named_and_nothing_is_written_past_it(memory: LongTermMemory) -> None:
    hold(memory)
    (SPACE.folder(memory.root) / held.FILE).write_text("{")
    with pytest.raises(StorageCorrupt, match=r"held\.json"):
        memory.reconcile(SPACE, "one", CHAT, whole=True)
    assert texts_of(memory) == ["Hello", "Bye"]

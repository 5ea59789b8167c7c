"""However a chat changes, the log holds its exchanges as the guard admits them."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.domain.private_parts import GuardAction, GuardRules, PrivatePart
from memory_core.domain.records import Exchange
from memory_core.text.private_parts import redact_parts
from tests.builders import NOW, SPACE, open_memory

CARDS = ("4111 1111 1111 1111", "5500 0000 0000 0004")
MAILS = ("ana@example.org", "bob@example.org")
PARTS = (*CARDS, *MAILS)
TEXTS = ("Hello", "Bye", "", *PARTS, f"{CARDS[0]} and {MAILS[0]}", f"{MAILS[1]} is mine")
ACTIONS = (GuardAction.KEEP, GuardAction.REDACT, GuardAction.SKIP)

sides = st.tuples(st.sampled_from(TEXTS[:2] + TEXTS[3:]), st.sampled_from(TEXTS))
chats = st.lists(sides, max_size=5)


def exchanges(chat: list[tuple[str, str]]) -> list[Exchange]:
    return [
        Exchange(user=user, assistant=answer, user_name="Ana", assistant_name="Mira", ts=NOW + at)
        for at, (user, answer) in enumerate(chat)
    ]


def is_skipped(said: Exchange, rules: GuardRules) -> bool:
    found = f"{said.user}\n{said.assistant}"
    cards = PrivatePart.CARD in rules.skipped and any(card in found for card in CARDS)
    return cards or (PrivatePart.EMAIL in rules.skipped and any(mail in found for mail in MAILS))


@pytest.mark.parametrize("card", ACTIONS)
@pytest.mark.parametrize("mail", ACTIONS)
@given(states=st.lists(chats, min_size=1, max_size=3))
@settings(max_examples=12, deadline=None)
def test_log_follows_a_chat_in_its_admitted_forms(
    card: GuardAction, mail: GuardAction, states: list[list[tuple[str, str]]]
) -> None:
    rules = GuardRules(actions={PrivatePart.CARD: card, PrivatePart.EMAIL: mail})
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(Path(folder))
        memory.guard.follow(rules)
        for chat in states:
            said = exchanges(chat)
            memory.reconcile(SPACE, "one", said, whole=True)
            assert not memory.reconcile(SPACE, "one", said, whole=True)
            found = [one.exchange for one in memory.conversation(SPACE, "one", 99) if one.exchange]
            assert [(one.user, one.assistant) for one in found] == [
                (
                    redact_parts(one.user, rules.redacted),
                    redact_parts(one.assistant, rules.redacted),
                )
                for one in said
                if not is_skipped(one, rules)
            ]
        memory.close()
        on_disk = b"".join(file.read_bytes() for file in Path(folder).rglob("*.jsonl"))
        forbidden = [part for part in PARTS if is_forbidden(part, rules)]
        assert not any(part.encode() in on_disk for part in forbidden)


def is_forbidden(part: str, rules: GuardRules) -> bool:
    kind = PrivatePart.CARD if part in CARDS else PrivatePart.EMAIL
    return kind in rules.forbidden

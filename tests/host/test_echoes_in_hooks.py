"""Questions that got no answer keep nothing out of the prompt, and do not stand in it."""

import pytest

from benchmarks.everyday import measured
from benchmarks.everyday_data import History, Probe
from benchmarks.everyday_report import Outcome
from memory_core.domain.records import Exchange

NOW, DAY_S = 1_790_000_000.0, 86_400.0
TALK = [
    ("my boss Karen is on holiday", "Enjoy the calm."),
    ("our printer is broken again", "Classic."),
    ("I run 5k on Sundays", "Impressive."),
]
DOG = ("My dog Rufus ate my slipper", "Bad boy.")
DOG_ECHOES = [("what's my dog called", "I don't know"), ("name of my dog?", "No idea, sorry!")]
DENTIST = ("dentist on thursday the 3rd at 9, ugh", "Brave heart.")
DENTIST_ECHOES = [
    ("when is my dentist appointment?", "I don't have that information yet, tell me?"),
    ("when is the dentist", "I can't see your calendar, so I couldn't say."),
]


def asked(text: str, told: list[tuple[str, str]], fact: tuple[str, str]) -> Outcome:
    """Sends the message alone, after these exchanges of one a day."""
    exchanges = [
        Exchange(user=user, assistant=reply, user_name="Ann", assistant_name="Bo", ts=day * DAY_S)
        for day, (user, reply) in enumerate(told, start=int(NOW / DAY_S) - len(told))
    ]
    want = frozenset((told.index(fact),))
    history = History(
        name="echoes",
        language="en",
        user="Ann",
        character="Bo",
        now=NOW,
        exchanges=exchanges,
        chats=[f"chat{day}" for day in range(len(told))],
        probes=[Probe(text=text, kind="direct", want=want, ok=frozenset())],
    )
    (outcome,) = measured([history], None, in_one_chat=False)
    return outcome


@pytest.mark.parametrize(
    ("text", "fact", "echoes"),
    [
        ("what's my dog called", DOG, DOG_ECHOES),
        ("whats my dogs name", DOG, DOG_ECHOES),
        ("when is my dentist appointment?", DENTIST, DENTIST_ECHOES),
        ("when's the dentist again", DENTIST, DENTIST_ECHOES),
    ],
)
@pytest.mark.parametrize("is_told_later", [False, True])
def test_statement_leads_and_no_echo_is_injected(
    text: str, fact: tuple[str, str], echoes: list[tuple[str, str]], is_told_later: bool
) -> None:
    told = [*TALK, *echoes, fact] if is_told_later else [fact, *TALK, *echoes]
    outcome = asked(text, told, fact)
    assert outcome.is_first
    injected = {told[given.exchange] for given in outcome.given}
    assert injected.isdisjoint(echoes)

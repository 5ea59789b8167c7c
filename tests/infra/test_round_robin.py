"""Turns in the background: who is used, who has more to do, who waits for a time."""

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.infra.round_robin import Turns
from tests.builders import Clock

ANA, BOB, EVE = (Namespace(it, "mira") for it in ("ana", "bob", "eve"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> Turns:
    return Turns(later_s=30.0, clock=clock)


def test_who_is_used_has_one_turn(turns: Turns) -> None:
    for it in (BOB, ANA, BOB):
        turns.touch(it)
    assert turns.are_waiting()
    assert turns.next() == [BOB, ANA]
    assert turns.next() == []
    assert not turns.are_waiting()


def test_who_has_more_to_do_comes_behind_those_who_came_meanwhile(turns: Turns) -> None:
    turns.touch(ANA)
    assert turns.next() == [ANA]
    turns.touch(BOB)
    turns.touch(ANA)
    assert turns.next() == [BOB, ANA]


def test_who_waits_has_a_turn_after_a_while_and_not_before(turns: Turns, clock: Clock) -> None:
    turns.later(ANA)
    clock.now += 29
    assert turns.next() == []
    clock.now += 1
    assert turns.next() == [ANA]
    clock.now += 30
    assert turns.next() == []


def test_a_change_concerns_all_that_were_used(turns: Turns) -> None:
    turns.touch(ANA)
    turns.touch(BOB)
    turns.next()
    turns.touch(EVE)
    turns.all_again()
    assert set(turns.next()) == {ANA, BOB, EVE}


def test_who_is_gone_has_no_turn(turns: Turns, clock: Clock) -> None:
    for it in (ANA, BOB):
        turns.touch(it)
    turns.later(ANA)
    turns.drop([ANA])
    turns.all_again()
    clock.now += 99
    assert turns.next() == [BOB]
    assert turns.used() == [BOB]

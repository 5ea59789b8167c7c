"""Turns of namespaces that are used, have more to do, or wait for a time."""

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.infra.round_robin import RoundRobin
from tests.builders import Clock

ANA, BOB, EVE = (Namespace(user, "mira") for user in ("ana", "bob", "eve"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> RoundRobin:
    return RoundRobin(later_s=30.0, clock=clock)


def test_used_namespace_gets_one_turn(turns: RoundRobin) -> None:
    for namespace in (BOB, ANA, BOB):
        turns.schedule(namespace)
    assert turns.has_due()
    assert turns.next() == [BOB, ANA]
    assert turns.next() == []
    assert not turns.has_due()


def test_namespace_with_more_work_comes_behind_those_scheduled_meanwhile(turns: RoundRobin) -> None:
    turns.schedule(ANA)
    assert turns.next() == [ANA]
    turns.schedule(BOB)
    turns.schedule(ANA)
    assert turns.next() == [BOB, ANA]


def test_namespace_scheduled_for_later_gets_a_turn_only_after_the_interval(
    turns: RoundRobin, clock: Clock
) -> None:
    turns.schedule_later(ANA)
    clock.now += 29
    assert turns.next() == []
    clock.now += 1
    assert turns.next() == [ANA]
    clock.now += 30
    assert turns.next() == []


def test_schedule_all_gives_every_used_namespace_a_turn(turns: RoundRobin) -> None:
    turns.schedule(ANA)
    turns.schedule(BOB)
    turns.next()
    turns.schedule(EVE)
    turns.schedule_all()
    assert set(turns.next()) == {ANA, BOB, EVE}


def test_dropped_namespace_gets_no_turn(turns: RoundRobin, clock: Clock) -> None:
    for namespace in (ANA, BOB):
        turns.schedule(namespace)
    turns.schedule_later(ANA)
    turns.drop([ANA])
    turns.schedule_all()
    clock.now += 99
    assert turns.next() == [BOB]
    assert turns.used_namespaces() == [BOB]

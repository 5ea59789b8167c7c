"""Derived memories in recall: outdated, shown, repeated and dated ones, and their places."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.recall.pipeline import fill_slots
from memory_core.recall.query import local_time
from memory_core.recall.results import Candidate, Dropped, DropReason
from tests.builders import DAY, NOW, SPACE, Clock, asked, open_memory, recalled, said
from tests.memory.derived_scene import LISBON, PORTO, observe, remember

HOME = Derivation(made_by=EXTRACTIVE, subject="Ana", key="home")


def _moved(tmp_path: Path, *, new: str = "Ana lives in Lisbon.") -> tuple[LongTermMemory, str, str]:
    """Stores that Ana lived in Porto and then moved; returns the ids of both observations."""
    clock = Clock()
    memory = open_memory(tmp_path, clock=clock)
    old = observe(memory, "Ana lives in Porto.", remember(memory, PORTO), derived=HOME)
    clock.now += 30 * DAY
    newer = observe(memory, new, remember(memory, LISBON), derived=HOME)
    DerivedMemories(memory).supersede(SPACE, old, newer)
    return memory, old, newer


def _reason(memory: LongTermMemory, question: str, text: str) -> DropReason | None:
    dropped = memory.recall(SPACE, asked(question)).dropped
    found: list[Dropped] = [drop for drop in dropped if text in drop.candidate.memory.text]
    return found[0].reason if found else None


@pytest.mark.parametrize("question", ["In which city do I live?", "Where do I live in Porto?"])
def test_outdated_memory_and_its_source_are_not_recalled_for_now(
    tmp_path: Path, question: str
) -> None:
    memory, *_ = _moved(tmp_path)
    found = recalled(memory.recall(SPACE, asked(question)))
    assert not any("Porto" in text for text in found)
    assert _reason(memory, question, "lives in Porto") is DropReason.OUTDATED
    assert _reason(memory, question, PORTO) is DropReason.OUTDATED


def test_memory_that_replaced_an_outdated_one_is_recalled_without_a_word_of_the_question(
    tmp_path: Path,
) -> None:
    memory, *_ = _moved(tmp_path, new="Ana moved to Lisbon.")
    found = memory.recall(SPACE, asked("In which city do I live?"))
    assert recalled(found)[0] == "Ana moved to Lisbon."
    assert found.kept[0].candidate.parts["successor"] > 0.0
    before = memory.recall(SPACE, asked("Where did I live?"))
    assert recalled(before) == ["Ana lives in Porto.", "Ana moved to Lisbon."]  # by "moved"
    assert "successor" not in before.kept[1].candidate.parts


def test_last_memory_of_a_chain_that_still_holds_is_recalled(tmp_path: Path) -> None:
    memory, _, middle = _moved(tmp_path, new="Ana moved to Lisbon.")
    last = observe(memory, "Now it is Braga for Ana.", remember(memory, "Braga it is"))
    DerivedMemories(memory).supersede(SPACE, middle, last)
    question = asked("In which city do I live?")
    assert recalled(memory.recall(SPACE, question))[0] == "Now it is Braga for Ana."
    memory.forget(SPACE, [last])
    assert recalled(memory.recall(SPACE, question))[0] == "Ana moved to Lisbon."


@pytest.mark.parametrize("question", ["Where did I live before?", "我以前住在哪里 live?"])
def test_question_about_the_past_finds_the_outdated_memory(tmp_path: Path, question: str) -> None:
    memory, *_ = _moved(tmp_path)
    found = memory.recall(SPACE, asked(question))
    assert any("Porto" in text for text in recalled(found))


def test_question_about_a_past_month_finds_the_outdated_memory(tmp_path: Path) -> None:
    memory, *_ = _moved(tmp_path)
    query = replace(asked("Where did I live in January 2020?"), now=local_time(NOW + 31 * DAY))
    assert any("Porto" in text for text in recalled(memory.recall(SPACE, query)))


def test_older_memory_is_recalled_again_when_the_newer_one_is_forgotten(tmp_path: Path) -> None:
    memory, _, new = _moved(tmp_path)
    memory.forget(SPACE, [new])
    assert any("Porto" in text for text in recalled(memory.recall(SPACE, asked("Where I live?"))))


def test_another_fact_of_the_same_exchange_stays_recallable(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source = remember(memory, "I live in Porto and my parrot is called Kiko")
    old = observe(memory, "Ana lives in Porto.", source, derived=HOME)
    observe(memory, "Ana's parrot is called Kiko.", source)
    new = observe(memory, "Ana lives in Lisbon.", remember(memory, LISBON), derived=HOME)
    DerivedMemories(memory).supersede(SPACE, old, new)
    assert _reason(memory, "What is my parrot called?", "I live in Porto and") in (
        None,
        DropReason.DUPLICATE,
    )


def test_expired_memory_is_not_recalled_after_its_end(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    away = Derivation(made_by=EXTRACTIVE, valid_to=NOW + DAY)
    observe(memory, "Ana is in Rome on holiday.", remember(memory, "Holiday!"), derived=away)
    question = asked("Am I on holiday in Rome?")
    for now, is_found in ((NOW, True), (NOW + 2 * DAY, False)):
        query = replace(question, now=local_time(now))
        texts = recalled(memory.recall(SPACE, query))
        assert any("Rome" in text for text in texts) is is_found


@pytest.mark.parametrize(
    ("said_then", "fact", "named", "question"),
    [
        ("Tuesday, off I go", "Ana rows on the lake.", ("sport", "rowing"), "What sports do I do?"),
        ("周末我常去爬山。", "小李周末常去爬山。", ("运动", "爬山"), "我喜欢什么运动？"),
    ],
)
def test_fact_is_found_by_the_property_that_only_its_key_names(
    tmp_path: Path, said_then: str, fact: str, named: tuple[str, str], question: str
) -> None:
    memory = open_memory(tmp_path)
    key, value = named
    derived = Derivation(made_by=EXTRACTIVE, key=key, value=value)
    observe(memory, fact, remember(memory, said_then), derived=derived)
    for words in ("My phone broke", "今天下雨"):
        remember(memory, words)
    assert fact in recalled(memory.recall(SPACE, asked(question)))


def test_derived_memory_and_its_source_do_not_both_take_a_place(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source = remember(memory, "My parrot is called Kiko, after my uncle from Braga")
    observe(memory, "Ana's parrot is called Kiko.", source)
    found = memory.recall(SPACE, asked("What is my parrot called?"))
    assert len(found.kept) == 1
    assert [drop.reason for drop in found.dropped] == [DropReason.DUPLICATE]


def test_overview_of_many_exchanges_replaces_none_of_them(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    sources = [remember(memory, f"Kiko the parrot learned word {n}") for n in range(4)]
    observe(memory, "Kiko the parrot learned words.", *sources, kind=MemoryKind.SUMMARY)
    found = memory.recall(SPACE, asked("Which word did Kiko the parrot learn?"))
    assert {"Kiko the parrot learned words.", "Kiko the parrot learned word 0"} <= set(
        recalled(found)
    )


def test_summary_brings_the_exchanges_that_lack_its_words(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source = remember(memory, "We flew at dawn")
    observe(memory, "A balloon ride in Cappadocia.", source, kind=MemoryKind.SUMMARY)
    found = memory.recall(SPACE, asked("What about the balloon ride in Cappadocia?"))
    candidates = [one.candidate for one in (*found.kept, *found.dropped)]
    assert any(one.memory.id == source for one in candidates)


def test_memory_made_of_shown_exchanges_alone_is_not_injected(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    shown, hidden = remember(memory, "My parrot is Kiko"), remember(memory, "My cat is Bruno")
    observe(memory, "A parrot called Kiko.", shown)
    observe(memory, "Pets: Kiko the parrot and Bruno the cat.", shown, hidden)
    query = replace(asked("parrot Kiko"), shown_keys=frozenset({said("My parrot is Kiko").key}))
    assert "A parrot called Kiko." not in recalled(memory.recall(SPACE, query))
    assert "Pets: Kiko the parrot and Bruno the cat." in recalled(memory.recall(SPACE, query))


def test_memory_of_a_stale_source_is_not_injected(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source = remember(memory, "My parrot is Kiko")
    observe(memory, "A parrot called Kiko.", source)
    query = replace(asked("parrot Kiko"), stale_ids=frozenset({source}))
    assert recalled(memory.recall(SPACE, query)) == []


def test_time_of_the_event_counts_like_the_time_of_saying(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    march = 1_772_000_000.0 + 20 * DAY  # in March 2026, NOW is in September
    told = Derivation(made_by=EXTRACTIVE, event_from=march, event_to=march + DAY)
    observe(memory, "Ana ran a marathon.", remember(memory, "Once I ran"), derived=told)
    observe(memory, "Ana ran for the bus.", remember(memory, "I ran today"))
    query = replace(asked("What happened in March 2026?"), now=local_time(NOW))
    assert recalled(memory.recall(SPACE, query))[0] == "Ana ran a marathon."


def test_short_derived_memories_share_the_place_of_an_exchange() -> None:
    def candidate(name: str, chars: int, *, is_derived: bool) -> Candidate:
        exchange = None if is_derived else said("x")
        kind = MemoryKind.OBSERVATION if is_derived else MemoryKind.EXCHANGE
        derived = HOME if is_derived else None
        text = "x" * chars
        return Candidate(
            memory=Memory(id=name, kind=kind, text=text, exchange=exchange, derived=derived),
            score=1.0,
        )

    long = [candidate(f"e{n}", 100, is_derived=False) for n in range(3)]
    short = [candidate(f"o{n}", 40, is_derived=True) for n in range(3)]
    ordered = [long[0], *short, long[1], long[2]]
    chosen = [one.memory.id for one in fill_slots(ordered, 2)]
    assert chosen == ["e0", "o0", "o1"]
    assert fill_slots(long, 2) == long[:2]

"""Tests of the recall pipeline: dropped candidates and reasons, replays, lines, search."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.gate import GateDecision, ScoreGate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.query import Query
from memory_core.recall.rerank import RerankByScore, RerankResult
from memory_core.recall.results import ALREADY_IN_SYSTEM_BLOCK, Candidate, DropReason, Form, Recall
from memory_core.recall.search import SearchScope, search
from memory_core.recall.vector_score import QueryVector, sample_baseline
from memory_core.storage.contract import SearchFilter
from memory_core.storage.log.events import Event, EventType
from tests.builders import added, said
from tests.cases import for_each
from tests.recall.searching import recalled
from tests.storage.index.in_memory.store import InMemoryStore

FAKE = FakeEmbedder(dim=64)
OPEN_GATE = ScoreGate(min_score=0.0, min_letters=1)
SIZES = RecallLimits(candidates=60, replay=2, lines=6)
DOGS = [f"My dog likes toy{n}" for n in range(12)]


def stored(*texts: str) -> InMemoryStore:
    """Returns a store of embedded exchanges id1, id2, … with these user sides."""
    store = InMemoryStore()
    store.apply([added(n, f"id{n}", said(text)) for n, text in enumerate(texts, start=1)], {})
    embed(store)
    return store


def embed(store: InMemoryStore) -> None:
    store.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    waiting = store.vectors.pending(99)
    rows = FAKE.embed([pending.text for pending in waiting])
    store.vectors.add([pending.vector_id for pending in waiting], rows)


def recall(
    store: InMemoryStore,
    query: Query,
    *,
    gate: ScoreGate = OPEN_GATE,
    sizes: RecallLimits = SIZES,
    dense: bool = False,
) -> Recall:
    pipeline = Pipeline(gate=gate, reranker=RerankByScore(), sizes=sizes)
    query_vector = vector_of(store, query.text) if dense else None
    return recalled(pipeline, store, query, query_vector)


def vector_of(store: InMemoryStore, text: str) -> QueryVector:
    vector = FAKE.embed_query(text, timeout_s=1)
    return QueryVector(vector=vector, baseline=sample_baseline(store, FAKE.dim))


def found_by(store: InMemoryStore, query: Query, *, limit: int = 9) -> list[Candidate]:
    return search(store, query, None, SearchScope(limit=limit)).candidates


def kept(found: Recall) -> list[tuple[str, Form]]:
    return [(recalled.memory.id, recalled.form) for recalled in found.kept]


def dropped(found: Recall) -> dict[str, DropReason]:
    return {drop.candidate.memory.id: drop.reason for drop in found.dropped}


DOG = Query(text="my dog")


# ---- reasons for dropping a candidate


def test_exchange_shown_in_the_prompt_is_dropped_in_every_copy() -> None:
    found = recall(
        stored("My dog barks", "My dog barks"),
        replace(DOG, shown_keys=frozenset({said("My dog barks").key})),
    )
    assert found.kept == ()
    assert dropped(found) == {"id1": DropReason.SHOWN, "id2": DropReason.SHOWN}


def test_memory_in_the_system_block_is_dropped_in_favour_of_others() -> None:
    query = replace(DOG, in_system_block=frozenset(f"id{n}" for n in range(1, 6)))
    found = recall(stored(*DOGS), query)
    assert len(found.kept) == 7
    shown = [drop for drop in found.dropped if drop.reason is DropReason.SHOWN]
    assert {drop.detail for drop in shown} == {ALREADY_IN_SYSTEM_BLOCK}
    assert len(shown) == 5


@pytest.mark.parametrize("dense", [False, True])
def test_memory_is_found_behind_more_shown_exchanges_than_there_are_candidates(dense: bool) -> None:
    shown = [f"My dog likes toy{n}" for n in range(20)]
    old = "Long ago, at the lake, before we moved into town, a dog slept in the boat"
    query = replace(DOG, shown_keys=frozenset(said(text).key for text in shown))
    few = replace(SIZES, candidates=8)
    found = recall(stored(old, *shown), query, sizes=few, dense=dense)
    assert kept(found) == [("id1", Form.REPLAY)]
    assert len(found.dropped) <= 8


def test_memory_that_the_chat_no_longer_contains_is_dropped() -> None:
    found = recall(stored("My dog barks"), replace(DOG, stale_ids=frozenset({"id1"})))
    assert dropped(found) == {"id1": DropReason.STALE}


def test_second_copy_of_an_exchange_is_dropped() -> None:
    found = recall(stored("My dog barks", "My dog barks"), DOG)
    assert kept(found) == [("id1", Form.REPLAY)]
    assert dropped(found) == {"id2": DropReason.DUPLICATE}


def test_stale_copy_does_not_drop_a_live_copy_of_another_chat() -> None:
    store = stored("My dog barks", "My dog barks")
    assert kept(recall(store, replace(DOG, stale_ids=frozenset({"id1"})))) == [("id2", Form.REPLAY)]


def test_candidate_below_the_gate_is_dropped_with_both_scores() -> None:
    found = recall(stored("My dog barks"), DOG, gate=ScoreGate(min_score=9.0, min_letters=1))
    (dropped,) = found.dropped
    assert dropped.reason is DropReason.GATE
    assert dropped.detail == f"score {dropped.candidate.score:.2f} is below 9.00"


def test_candidate_with_exactly_the_gates_score_passes() -> None:
    store = stored("My dog barks")
    score = recall(store, DOG).kept[0].candidate.score
    assert recall(store, DOG, gate=ScoreGate(min_score=score, min_letters=1)).kept


def test_exchange_of_two_short_messages_is_dropped() -> None:
    gate = ScoreGate(min_score=0.0, min_letters=10)
    store = InMemoryStore()
    store.apply(
        [added(1, "id1", said("dog?", "Bark!")), added(2, "id2", said("dog?", "It barks a lot"))],
        {},
    )
    found = recall(store, DOG, gate=gate)
    assert [memory_id for memory_id, _ in kept(found)] == ["id2"]
    assert found.dropped[0].detail == "shorter than 10 letters"


LONG = "My dog Bruno barks at the postman every morning, and the postman barks back at him."


def test_short_side_of_an_exchange_is_neither_found_nor_shown() -> None:
    store = InMemoryStore()
    store.apply(
        [
            added(1, "short", said("My dog is Bruno.", "Oh, that is news to me! " * 3), log="a"),
            added(2, "both", said("So what of it?", LONG), log="b"),
            added(3, "user", said(LONG, "My dog!"), log="c"),
        ],
        {},
    )
    gate = ScoreGate(min_score=0.01, min_letters=60)
    pipeline = Pipeline(gate=gate, reranker=RerankByScore(), sizes=SIZES, min_letters=60)
    found = recalled(pipeline, store, replace(DOG, text="Bruno the dog"))
    sides = {recalled.memory.id: recalled.memory.exchange for recalled in found.kept}
    assert {
        name: (exchange.user, exchange.assistant) for name, exchange in sides.items() if exchange
    } == {
        "both": ("", LONG),
        "user": (LONG, ""),
    }
    assert {recalled.form for recalled in found.kept} == {Form.LINE}


@for_each(
    ("user", "assistant", "side"),
    [
        ("My dog barks", "Oh, really?", 0),
        ("Who barks?", "Your dog, all day", 1),
        ("My cat", "Your cat", None),
        ("", "Your dog barks", 1),
    ],
)
@for_each("dense", [False, True])
def test_search_reports_the_better_matching_side(
    user: str, assistant: str, side: int | None, dense: bool
) -> None:
    store = InMemoryStore()
    store.apply([added(1, "id1", said(user, assistant)), added(2, "id2", said("my"))], {})
    embed(store)
    query_vector = vector_of(store, "dog") if dense and side is not None else None
    found = search(
        store, Query(text="dog", context=("cat",)), query_vector, SearchScope(limit=9)
    ).candidates
    assert {candidate.memory.id: candidate.matching_side for candidate in found}["id1"] == side


def test_search_prefers_the_addressed_side() -> None:
    store = InMemoryStore()
    store.apply([added(1, "id1", said("The dog barks", "The dog barks"))], {})
    sides = [
        found_by(store, Query(text=f"Does {name} say the dog barks?", names=("Ana", "Mira")))[
            0
        ].matching_side
        for name in ("Ana", "Mira")
    ]
    assert sides == [0, 1]


def test_gate_requires_a_cosine_distance_below_the_limit() -> None:
    store = stored("my dog")
    cosine = recall(store, DOG, dense=True).kept[0].candidate.cosine
    assert cosine is not None
    limit_reached = ScoreGate(min_score=0.0, min_letters=1, max_cosine_distance=1.0 - cosine)
    within_limit = replace(limit_reached, max_cosine_distance=1.0 - cosine + 0.01)
    assert dropped(recall(store, DOG, gate=limit_reached, dense=True)) == {"id1": DropReason.GATE}
    assert recall(store, DOG, gate=within_limit, dense=True).kept
    assert recall(store, DOG, gate=limit_reached).kept, "without a vector it cannot be judged"


def test_memory_over_the_limit_is_dropped() -> None:
    found = recall(stored(*DOGS), DOG)
    assert [form for _, form in kept(found)] == [Form.REPLAY] * 2 + [Form.LINE] * 6
    assert set(dropped(found).values()) == {DropReason.LIMIT}
    assert len(found.dropped) == 4


def test_every_candidate_is_either_kept_or_dropped() -> None:
    found = recall(stored(*DOGS, "My dog likes toy1"), replace(DOG, stale_ids=frozenset({"id3"})))
    ids = [memory_id for memory_id, _ in kept(found)] + list(dropped(found))
    assert sorted(ids) == sorted(f"id{n}" for n in range(1, 14))


# ---- replay and lines


@for_each(
    ("sizes", "forms"),
    [
        ((2, 6, None), "rrllllll"), ((2, 6, 3), "rrl"), ((2, 6, 1), "r"), ((2, 6, 0), ""),
        ((0, 3, None), "lll"), ((3, 0, None), "rrr"), ((0, 0, None), ""), ((2, 6, 99), "rrllllll"),
    ],
)  # fmt: skip
def test_best_exchanges_are_replayed_and_the_next_become_lines(
    sizes: tuple[int, int, int | None], forms: str
) -> None:
    replay, lines, most = sizes
    limits = RecallLimits(candidates=60, replay=replay, lines=lines, total=most)
    found = recall(stored(*DOGS), DOG, sizes=limits)
    assert "".join(form.value[0] for _, form in kept(found)) == forms
    scores = [recalled.candidate.score for recalled in found.kept]
    assert scores == sorted(scores, reverse=True)


def test_fourth_replay_is_not_shortened() -> None:
    sizes = RecallLimits(candidates=60, replay=4, lines=2)
    found = recall(stored(*DOGS), DOG, sizes=sizes)
    assert [recalled.is_brief for recalled in found.kept] == [False] * 4 + [True] * 2


def test_incomplete_exchange_becomes_a_line() -> None:
    store = stored("My dog barks")
    note = {"kind": "knowledge", "text": "dog dog my dog"}
    store.apply([Event(seq=7, op=EventType.NOTE, id="note", ts=None, fields=note)], {})
    store.apply([added(8, "half", said("my dog dog dog", ""))], {})
    assert dict(kept(recall(store, DOG))) == {
        "note": Form.LINE, "half": Form.LINE, "id1": Form.REPLAY,
    }  # fmt: skip


# ---- search


def test_score_is_the_sum_of_its_parts() -> None:
    store = InMemoryStore()
    talk = [said(f"Tell of thing{n}", f"Well, thing{n} is fine") for n in range(40)]
    store.apply([added(n, f"id{n}", text) for n, text in enumerate(talk)], {})
    embed(store)
    best = search(
        store, Query(text="thing7"), vector_of(store, "thing7"), SearchScope(limit=9)
    ).candidates[0]
    assert best.memory.id == "id7"
    assert set(best.parts) == {"words", "sitting", "turn", "exchange", "detail", "recency"}
    assert best.score == pytest.approx(sum(best.parts.values()))
    assert all(best.parts.values())


def test_candidate_has_the_cosine_of_the_nearer_side() -> None:
    store = stored("My dog barks")
    pair = store.vectors.get(["id1"])["id1"]
    vector = FAKE.embed_query("I see.", timeout_s=1)
    (candidate,) = search(store, DOG, vector_of(store, "I see."), SearchScope(limit=9)).candidates
    assert candidate.cosine == pytest.approx(
        max(float(row @ vector) for row in pair if row is not None)
    )
    assert candidate.cosine == pytest.approx(1.0)


def test_search_returns_the_best_candidates_up_to_the_limit() -> None:
    found = found_by(stored(*DOGS), DOG, limit=5)
    assert len(found) == 5
    assert [candidate.score for candidate in found] == sorted(
        (candidate.score for candidate in found), reverse=True
    )


def test_carried_over_score_passes_the_gate_behind_direct_hits() -> None:
    store = stored("My dog barks", "The cat sleeps")
    query = replace(DOG, carried_over_scores={"id2": 9.0, "gone": 9.0})
    dog, cat = found_by(store, query)
    assert (dog.memory.id, cat.memory.id, cat.carried_over) == ("id1", "id2", 9.0)
    assert dog.score > cat.score
    strict = ScoreGate(min_score=5.0, min_letters=1)
    assert strict.keep(query, [cat]).kept == (cat,)


def test_search_finds_the_neighbours_of_a_match() -> None:
    store = stored("My dog is ill", "The vet gave him a syrup", "It rains")
    assert [candidate.memory.id for candidate in found_by(store, DOG)][:2] == ["id1", "id2"]


def test_related_form_counts_when_the_word_itself_is_unknown() -> None:
    store = stored("Mein Fahrradschloss klemmt", "Es regnet", "Der Ofen ist aus")
    best = found_by(store, Query(text="Was war mit meinen Fahrradschlössern?"))[0]
    assert best.memory.id == "id1"
    assert best.parts["words"] > 0


def test_context_counts_less_than_the_message() -> None:
    store = stored("The cat sleeps a lot", *["It rains"] * 9, "My dog barks")
    own, before = ("id11", "id1")
    asked = Query(text="and the dog?", context=("our cat is odd",))
    scores = {candidate.memory.id: candidate.score for candidate in found_by(store, asked)}
    assert scores[own] > scores[before] > 0
    bare = {
        candidate.memory.id: candidate.score
        for candidate in found_by(store, replace(asked, context=()))
    }
    assert scores[before] > bare.get(before, 0.0)


def test_long_text_after_a_question_does_not_drown_it() -> None:
    store = stored(
        "My dog barks", *(f"We planned the weekend on Saturday, part {n}" for n in range(9))
    )
    tail = "I ask because we planned a lot for the weekend. Saturday is part of what we planned."
    long = found_by(store, Query(text=f"Does my dog bark? {tail}"))
    assert long[0].memory.id == "id1"


def test_carried_over_memory_does_not_return_once_forgotten() -> None:
    store = stored("My dog barks")
    store.apply([Event(seq=2, op=EventType.FORGET, id="id1", ts=0.0)], {})
    assert found_by(store, replace(DOG, carried_over_scores={"id1": 1.0})) == []


def test_search_finds_nothing_after_the_until_seq() -> None:
    found = search(
        stored(*DOGS), DOG, None, SearchScope(limit=60, search_filter=SearchFilter(until_seq=4))
    ).candidates
    assert {candidate.memory.id for candidate in found} == {"id1", "id2", "id3", "id4"}


# ---- collaborators


class Refusing:
    """A gate and reranker that report faults."""

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision:
        return GateDecision(kept=tuple(candidates), fault="no gate today")

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        return RerankResult(candidates=tuple(candidates)[::-1], fault="no order today")


def test_recall_reports_faults_and_keeps_the_rerankers_order() -> None:
    store = stored("my dog", "my dog and so many other things besides it")
    pipeline = Pipeline(gate=Refusing(), reranker=Refusing(), sizes=SIZES)
    found = recalled(pipeline, store, DOG)
    assert found.degraded_reasons == ("no gate today", "no order today")
    assert [memory_id for memory_id, _ in kept(recall(store, DOG))] == ["id1", "id2"]
    assert [memory_id for memory_id, _ in kept(found)] == ["id2", "id1"]

"""Tests of the candidates that have their score from their neighbours alone."""

from dataclasses import replace

from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.recall.gate import ScoreGate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.query import Query, explicit_query
from memory_core.recall.rerank import RerankByScore
from memory_core.recall.results import Candidate, DropReason, Form, NeedFeatures, Recall
from memory_core.recall.search import SearchResult
from memory_core.recall.uninformative import (
    drop_uninformative,
    is_uninformative,
    scores_by_neighbours,
)
from tests.builders import added, said
from tests.cases import for_each
from tests.recall.searching import recalled
from tests.storage.index.in_memory.store import InMemoryStore

RICH = said("We painted the wooden shutters dark green and oiled their rusty attic hinges")
POOR = said("Thanks, see you tomorrow", "Sleep well!")
NOTHING_EXEMPT = frozenset[str]()


def exchange_memory(exchange: Exchange, name: str = "a") -> Memory:
    text = f"{exchange.user}\n{exchange.assistant}"
    return Memory(id=name, kind=MemoryKind.EXCHANGE, text=text, exchange=exchange)


def candidate(name: str, score: float, own: float | None, exchange: Exchange = RICH) -> Candidate:
    return Candidate(memory=exchange_memory(exchange, name), score=score, own_score=own)


def names(candidates: list[Candidate]) -> str:
    return "".join(one.memory.id for one in candidates)


def test_score_is_lent_when_little_of_it_is_the_candidates_own() -> None:
    assert scores_by_neighbours(candidate("a", 0.6, 0.05), 1.0)
    assert not scores_by_neighbours(candidate("a", 0.6, 0.2), 1.0)
    assert not scores_by_neighbours(candidate("a", 0.1, 0.08), 1.0), "small, but its own"
    assert not scores_by_neighbours(candidate("a", 0.6, None), 1.0), "unknown"


def test_lent_candidate_with_something_to_tell_keeps_its_place() -> None:
    found = [candidate("a", 1.0, 0.9), candidate("b", 0.6, 0.0)]
    kept, dropped = drop_uninformative(found, exempt=NOTHING_EXEMPT)
    assert (names(kept), dropped) == ("ab", [])


def test_lent_candidate_that_says_little_is_dropped_by_the_gate() -> None:
    found = [candidate("a", 1.0, 0.9), candidate("b", 0.6, 0.0, POOR)]
    kept, dropped = drop_uninformative(found, exempt=NOTHING_EXEMPT)
    assert names(kept) == "a"
    assert [drop.reason for drop in dropped] == [DropReason.GATE]
    assert "only its neighbours fit" in dropped[0].detail


def test_candidates_stay_unjudged_once_the_places_are_full() -> None:
    found = [candidate(name, 0.6, 0.0, POOR) for name in "bd"]
    found = [candidate("a", 1.0, 0.9), found[0], candidate("c", 0.9, 0.9), found[1]]
    kept, dropped = drop_uninformative(found, exempt=NOTHING_EXEMPT, places=2)
    assert names(kept) == "acd"
    assert names([drop.candidate for drop in dropped]) == "b"


def test_exempt_candidate_takes_no_place() -> None:
    found = [candidate("a", 1.0, 0.9), candidate("b", 0.9, 0.9), candidate("c", 0.6, 0.0, POOR)]
    kept, _ = drop_uninformative(found, exempt={"b"}, places=2)
    assert names(kept) == "ab"


def test_small_talk_with_a_word_of_its_own_stays() -> None:
    found = [candidate("a", 1.0, 0.9), candidate("b", 0.6, 0.5, POOR)]
    assert names(drop_uninformative(found, exempt=NOTHING_EXEMPT)[0]) == "ab"


def test_small_talk_that_fits_far_worse_than_the_best_is_dropped() -> None:
    found = [candidate("a", 1.0, 0.9), candidate("b", 0.4, 0.4, POOR), candidate("c", 0.4, 0.4)]
    kept, dropped = drop_uninformative(found, exempt=NOTHING_EXEMPT)
    assert names(kept) == "ac"
    assert "fits less well" in dropped[0].detail
    assert names(drop_uninformative(found, exempt=NOTHING_EXEMPT, may_be_weak=True)[0]) == "abc"


def test_question_without_an_answer_is_dropped_behind_the_best() -> None:
    asked = said("What was the name of the vet who treated Bruno's paw last winter?", "I forgot!")
    found = [candidate("a", 1.0, 0.9), candidate("b", 0.9, 0.9, asked)]
    assert names(drop_uninformative(found, exempt=NOTHING_EXEMPT)[0]) == "a"
    assert names(drop_uninformative(found[::-1], exempt=NOTHING_EXEMPT)[0]) == "ba"


def test_first_and_exempt_candidates_stay() -> None:
    found = [candidate("a", 1.0, 0.0, POOR), candidate("b", 0.6, 0.0, POOR)]
    assert names(drop_uninformative(found, exempt={"b"})[0]) == "ab"
    assert names(drop_uninformative(found, exempt=NOTHING_EXEMPT)[0]) == "a"
    assert drop_uninformative([], exempt=NOTHING_EXEMPT) == ([], [])


@for_each(
    ("user", "answer"),
    [
        ("True. Good night, Nora. More soon.", "Good night! Sleep well and dream sweetly."),
        ("ok", "I'm here."),
        ("thanks, you too", "Any time."),
        ("晚安", "晚安，做个好梦。"),
        ("gute nacht", "Schlaf gut, bis bald."),
        ("gracias, buenas noches", "De nada, que descanses."),
        ("merci, bonne nuit", "Dors bien."),
        ("ありがとう、おやすみ", "おやすみなさい。"),
        ("спасибо, спокойной ночи", "Спокойной ночи!"),
    ],
)
def test_greetings_and_thanks_say_little(user: str, answer: str) -> None:
    assert is_uninformative(exchange_memory(said(user, answer)))


@for_each(
    ("user", "answer"),
    [
        ("The spare key hangs behind the blue flower pot at my neighbour Otto's", "Noted."),
        ("备用钥匙挂在邻居老周家门口的蓝色花盆后面，别告诉别人。", "记住了。"),
        ("Der Ersatzschlüssel hängt hinter dem blauen Blumentopf bei Nachbar Otto", "Gut."),
        ("La llave de repuesto cuelga detrás de la maceta azul del vecino Otto", "Vale."),
    ],
)
def test_facts_say_something(user: str, answer: str) -> None:
    assert not is_uninformative(exchange_memory(said(user, answer)))


def test_notes_say_something_however_short() -> None:
    assert not is_uninformative(Memory(id="a", kind=MemoryKind.KNOWLEDGE, text="No nuts."))


TALK = [
    said("My parrot Kiwi swears in Portuguese", "Kiwi sounds like a sailor."),
    said("Ha, yes. Good night!", "Sleep well."),
    said("The plumber comes on Tuesday and repairs the dripping tap", "About time!"),
]


def recall(query: Query, *, min_share: float = 0.2) -> Recall:
    store = InMemoryStore()
    lines = [added(place, f"m{place}", exchange) for place, exchange in enumerate(TALK, 1)]
    store.apply(lines, {})
    pipeline = Pipeline(
        gate=ScoreGate(min_score=0.05, min_letters=1, min_share=min_share),
        reranker=RerankByScore(),
        sizes=RecallLimits(candidates=60, replay=2, lines=6),
    )
    return recalled(pipeline, store, query)


def test_good_night_beside_a_hit_is_not_recalled() -> None:
    found = recall(Query(text="what language does my parrot swear in?"))
    assert [recalled.memory.id for recalled in found.kept] == ["m1"]
    assert {drop.candidate.memory.id: drop.reason for drop in found.dropped}["m2"] is (
        DropReason.GATE
    )


def test_search_for_memories_shows_the_neighbours_too() -> None:
    found = recall(explicit_query("parrot swear", 0.0))
    assert "m2" in {recalled.memory.id for recalled in found.kept}


def test_neighbours_stay_if_scores_are_not_compared_with_the_best() -> None:
    found = recall(Query(text="what language does my parrot swear in?"), min_share=0.0)
    assert "m2" in {recalled.memory.id for recalled in found.kept}


def test_lent_memory_is_a_short_line_and_the_next_own_hit_is_replayed() -> None:
    candidates = [
        replace(candidate(name, score, own), key=name)
        for name, score, own in (("a", 1.0, 0.9), ("b", 0.8, 0.0), ("c", 0.5, 0.4))
    ]
    pipeline = Pipeline(
        gate=ScoreGate(min_score=0.0, min_letters=1, min_share=0.2),
        reranker=RerankByScore(),
        sizes=RecallLimits(candidates=60, replay=2, lines=6),
    )
    features = NeedFeatures(share=1.0, found=2.0)
    found = [SearchResult(candidates=candidates, need_features=features)]
    forms = pipeline.choose(Query(text="shutters"), found).kept
    assert [recalled.form for recalled in forms] == [Form.REPLAY, Form.LINE, Form.REPLAY]
    assert [recalled.is_brief for recalled in forms] == [False, True, False]

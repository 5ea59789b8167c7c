"""Tests of memories that inform: statements keep their scores, small talk loses."""

import pytest

from memory_core.providers.embedders.built_in import BuiltInEmbedder
from memory_core.recall.informative import informative_regression, probability_to_inform
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate
from memory_core.recall.search import SearchScope, search
from memory_core.recall.vector_regression import VectorRegression
from memory_core.recall.vector_score import QueryVector, sample_baseline
from tests.builders import added, said
from tests.cases import for_each
from tests.providers.embedders.loaded_models import loaded_built_in
from tests.storage.index.in_memory.store import InMemoryStore

STATEMENT_AND_SMALL_TALK = {
    "en": ("my exam moved to friday the 12th at nine", "haha ok friday at last"),
    "zh": ("我妹妹小雨在成都当护士,下个月结婚", "哈哈好吧,今天真无聊"),
    "de": ("meine schwester lena ist im mai nach leipzig gezogen", "haha ok, gute nacht du"),
    "it": ("mia sorella Lena si è trasferita a Torino a maggio", "ahah ok, buonanotte"),
    "ko": ("여동생 레나가 오월에 부산으로 이사했어", "ㅎㅎ 그래 잘 자"),
    "tr": ("kız kardeşim Lena mayısta İzmir'e taşındı", "haha tamam, iyi geceler"),
}
SHORT_FACTS = [  # none of them was learned
    "My favourite tea is jasmine.",
    "My daughter Lena is six years old.",
    "the parrot is called Kiwi",
    "i'm colour blind",
    "我儿子叫乐乐",
    "meu cachorro se chama Thor",
    "sono allergica alle fragole",
]
DENTIST = "my dentist is dr. okafor in mill lane"
GOOD_NIGHT = "haha ok, good night"


@pytest.fixture(scope="module")
def model() -> BuiltInEmbedder:
    return loaded_built_in()


@pytest.fixture(scope="module")
def regression(model: BuiltInEmbedder) -> VectorRegression:
    found = informative_regression(model.fingerprint)
    assert found is not None
    return found


def stored(
    model: BuiltInEmbedder, *texts: str, embedded: int, answer: str = "haha ok"
) -> InMemoryStore:
    """Returns a store of exchanges id1, id2, …, of which the first `embedded` have vectors."""
    store = InMemoryStore()
    store.vectors.use_model(model.fingerprint, model.embed(["x"]).shape[1])
    for number, text in enumerate(texts, start=1):
        store.apply([added(number, f"id{number}", said(text, answer))], {})
        waiting = store.vectors.pending(99) if number <= embedded else []
        if waiting:
            rows = model.embed([pending.text for pending in waiting])
            store.vectors.add([pending.vector_id for pending in waiting], rows)
    return store


def found_by(
    store: InMemoryStore, model: BuiltInEmbedder, text: str, *, trust: float = 1.0
) -> dict[str, Candidate]:
    vector = model.embed_query(text, timeout_s=60)
    query_vector = QueryVector(
        vector=vector,
        baseline=sample_baseline(store, len(vector)),
        trust=trust,
        informative=informative_regression(model.fingerprint),
    )
    candidates = search(store, Query(text=text), query_vector, SearchScope(limit=9)).candidates
    return {candidate.memory.id: candidate for candidate in candidates}


def kept_share(candidate: Candidate) -> float:
    """Returns the share of the score that is left."""
    return candidate.score / (candidate.score - candidate.parts.get("informative", 0.0))


@for_each("language", sorted(STATEMENT_AND_SMALL_TALK))
def test_statement_informs_and_small_talk_does_not(
    model: BuiltInEmbedder, regression: VectorRegression, language: str
) -> None:
    statement, small_talk = model.embed(STATEMENT_AND_SMALL_TALK[language])
    assert regression.log_odds(statement) > 0.0 > regression.log_odds(small_talk)


def test_answer_that_informs_keeps_the_score_of_its_exchange(model: BuiltInEmbedder) -> None:
    store = stored(model, GOOD_NIGHT, embedded=1, answer=f"good night, and by the way {DENTIST}")
    assert kept_share(found_by(store, model, "good night")["id1"]) > 0.9


@for_each("text", SHORT_FACTS)
def test_short_fact_informs(
    model: BuiltInEmbedder, regression: VectorRegression, text: str
) -> None:
    assert regression.log_odds(model.embed([text])[0]) > 0.0


def test_vectors_of_another_model_tell_nothing() -> None:
    assert informative_regression("fake:8") is None


def test_statement_keeps_its_score_and_small_talk_loses_half(model: BuiltInEmbedder) -> None:
    found = found_by(stored(model, DENTIST, GOOD_NIGHT, embedded=2), model, "dentist, good night")
    assert kept_share(found["id1"]) > 0.95
    assert kept_share(found["id2"]) < 0.55


def test_nothing_is_lost_without_trust_in_the_model(model: BuiltInEmbedder) -> None:
    found = found_by(stored(model, GOOD_NIGHT, embedded=1), model, "good night", trust=0.0)
    assert kept_share(found["id1"]) == 1.0


def test_memory_without_a_vector_loses_nothing(
    model: BuiltInEmbedder, regression: VectorRegression
) -> None:
    store = stored(model, DENTIST, GOOD_NIGHT, embedded=1)
    passages = store.fulltext.passages(["id1", "id2"], [])
    told, unknown = probability_to_inform(regression, store.vectors, passages)
    assert 0.8 < told < 1.0
    assert unknown == 1.0

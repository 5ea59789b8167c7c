"""Tests of the query adapter: answers gain on sentences that merely look alike."""

import numpy as np
import pytest

from memory_core.providers.embedders.built_in import BuiltInEmbedder
from memory_core.recall.query_adapter import MODEL, adapt_query
from tests.cases import for_each
from tests.providers.embedders.loaded_models import loaded_built_in

# A question, its answer, and a sentence with the question's words.
QUESTIONS = {
    "en": (
        "when is the thing with the teeth",
        "My dentist appointment is on the 14th at nine.",
        "The comb has lost some teeth.",
    ),
    "zh": ("我对什么过敏", "一吃花生我的喉咙就肿。", "我对什么都没兴趣。"),
    "ja": (
        "私の仕事は何だっけ",
        "大阪の病院で看護師をしています。",
        "仕事が終わらなくて疲れた。",
    ),
    "es": (
        "¿qué me sienta mal comer?",
        "Los cacahuetes me hinchan la garganta.",
        "¿Qué me pongo para la cena?",
    ),
    "fr": (
        "c'est quoi déjà mon boulot",
        "Je travaille comme infirmière à l'hôpital de Lyon.",
        "Mon boulot, quel enfer aujourd'hui.",
    ),
    "de": (
        "womit fahre ich zur arbeit",
        "Ich nehme morgens immer das Rad ins Büro.",
        "Womit soll ich nur anfangen?",
    ),
    "it": (
        "chi si occupa del gatto",
        "La vicina Giovanna dà da mangiare a Micio quando viaggiamo.",
        "Il gatto ha graffiato il divano.",
    ),
    "pt": (
        "como entro na casa de campo",
        "A chave fica atrás do tijolo solto, ao lado da porta.",
        "Gosto do campo na primavera.",
    ),
}


@pytest.fixture(scope="module")
def model() -> BuiltInEmbedder:
    return loaded_built_in()


@for_each("language", sorted(QUESTIONS))
def test_answer_gains_on_a_sentence_with_the_same_words(
    model: BuiltInEmbedder, language: str
) -> None:
    question, answer, lookalike = model.embed(QUESTIONS[language])
    adapted = adapt_query(model.fingerprint, question)
    assert adapted @ (answer - lookalike) > question @ (answer - lookalike)


def test_adapted_vector_has_length_one(model: BuiltInEmbedder) -> None:
    (question,) = model.embed(["where did i park"])
    adapted = adapt_query(model.fingerprint, question)
    assert adapted.dtype == np.float32
    assert np.linalg.norm(adapted) == pytest.approx(1.0)


def test_matrix_belongs_to_the_built_in_model(model: BuiltInEmbedder) -> None:
    assert model.fingerprint == MODEL


def test_vector_of_another_model_stays_as_it_is() -> None:
    vector = np.ones(3, dtype=np.float32)
    assert adapt_query("fake:3", vector) is vector

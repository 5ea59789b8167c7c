"""Tests of the cue by meaning, in languages of which no wording was learned."""

import numpy as np
import pytest

from memory_core.providers.embedders.built_in import BuiltInEmbedder
from memory_core.recall.cue import cue, idle, languages, log_length, relative_length
from memory_core.recall.cue_by_meaning import (
    UNKNOWN_WORDING,
    Wording,
    usual_length,
    wording_by_meaning,
)
from memory_core.recall.languages import all_probes
from tests.cases import for_each
from tests.providers.embedders.loaded_models import loaded_built_in

ASKING_AND_IDLE = {
    "pt": ("como se chama mesmo a minha dentista?", "kkk tá bom, boa noite"),
    "it": ("come si chiama già la mia dottoressa?", "ahah ok buonanotte"),
    "ko": ("내 주치의 이름이 뭐라고 했더라?", "ㅎㅎ 그래 좋은 밤 보내"),
    "pl": ("jak się nazywała moja lekarka?", "haha dobra, miłej nocy"),
    "nl": ("hoe heette mijn huisarts ook alweer?", "haha oké slaap lekker"),
    "tr": ("doktorumun adı neydi?", "haha tamam iyi geceler"),
    "ar": ("ما اسم طبيبتي مرة أخرى؟", "ههه حسنا تصبح على خير"),
    "th": ("หมอของฉันชื่ออะไรนะ", "ฮ่าๆ โอเค ราตรีสวัสดิ์"),
}
GREEK = "Πώς λέγεται ο γιατρός μου;"
VECTOR = np.eye(512, dtype=np.float32)[0]


@pytest.fixture(scope="module")
def model() -> BuiltInEmbedder:
    return loaded_built_in()


@for_each("language", sorted(ASKING_AND_IDLE))
def test_question_about_the_past_and_small_talk_are_told_apart(
    model: BuiltInEmbedder, language: str
) -> None:
    asking, small_talk = (
        wording_by_meaning(model.fingerprint, vector, trust=1.0)
        for vector in model.embed(ASKING_AND_IDLE[language])
    )
    assert asking.cue > 0.0 > small_talk.cue
    assert small_talk.idle > max(0.0, asking.idle)


@for_each("text", ["😂😂", "💀", "6666"])
def test_message_without_letters_does_not_ask(model: BuiltInEmbedder, text: str) -> None:
    (vector,) = model.embed([text])
    assert wording_by_meaning(model.fingerprint, vector, trust=1.0).cue < 0.0


def test_vectors_of_another_model_say_nothing() -> None:
    assert wording_by_meaning("fake:8", VECTOR, trust=1.0) == UNKNOWN_WORDING


def test_log_odds_count_as_far_as_the_model_is_trusted(model: BuiltInEmbedder) -> None:
    full, half = (wording_by_meaning(model.fingerprint, VECTOR, trust) for trust in (1.0, 0.5))
    assert half == Wording(cue=full.cue / 2, idle=full.idle / 2)


def test_meaning_counts_where_no_wording_was_learned() -> None:
    by_meaning = Wording(cue=1.5, idle=-2.5)
    assert (cue(GREEK, "", by_meaning), idle(GREEK, "", by_meaning)) == (1.5, -2.5)


def test_meaning_does_not_count_beside_learned_wording() -> None:
    text = "what was my doctor's name again?"
    assert cue(text, "", Wording(cue=-9.0)) == cue(text)


@for_each("language", sorted(set(all_probes()) - set(languages())))
def test_sentences_of_everyday_are_of_usual_length_in_every_language(language: str) -> None:
    lengths = [log_length(text) for pair in all_probes()[language].pairs for text in pair]
    assert abs(sum(lengths) / len(lengths) - usual_length(language)) < 0.3


def test_short_message_is_compared_with_the_usual_length_of_its_language() -> None:
    assert relative_length("오늘 정말 피곤하다") == pytest.approx(
        log_length("오늘 정말 피곤하다") - usual_length("ko")
    )

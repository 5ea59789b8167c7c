"""The demo's shipped vectors belong to its samples and suggestions, and to nothing else."""

import numpy as np
import pytest

from memory_core.domain.errors import EmbedderNotReady
from memory_core.domain.namespaces import Namespace
from memory_core.recall.languages import all_probes, measure_language, trust_from
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.search_method import SearchMethod, search_method
from memory_core.ui.demo.shipped_vectors import FILE, ShippedVectors
from memory_core.ui.tab.settings.basic_choices import DEMO_VECTORS, ModelChoice, model_choice

from .chatting import derive

MIRA = Namespace("Alex", "Mira")
BY_MEANING_ALONE = "Which musical instrument am I studying?"


def ask(program: Program, text: str) -> tuple[str, tuple[str, ...]]:
    """Returns the answer in a new chat with Mira, and the notes of its recall."""
    session = program.session("Alex", "Mira")
    session.new_chat()
    for _ in session.send(text, program.responder(session)):
        pass
    trace = program.runtime.traces.latest(MIRA)[0]
    return str(session.history["internal"][-1][1]), trace.notes


def test_every_sample_talk_in_english_has_its_vectors(program: Program) -> None:
    with program.runtime.memory.open_namespace(MIRA) as opened:
        opened.use_model("another", 3)
        pending = opened.query(lambda store: store.vectors.pending(1_000))
    assert len(pending) > 80
    assert [row.text for row in pending if not ShippedVectors().has(row.text)] == []


def test_every_suggestion_in_english_goes_by_meaning(program: Program) -> None:
    derive(program, MIRA)
    for question in program.characters["Mira"].questions:
        assert ask(program, question)[1] == (), question


def test_suggestion_without_a_common_word_finds_its_answer(program: Program) -> None:
    derive(program, MIRA)
    assert "cello" in ask(program, BY_MEANING_ALONE)[0]


def test_suggestion_asked_again_finds_its_answer_before_itself(program: Program) -> None:
    for _ in range(2):
        derive(program, MIRA)
        assert "cello" in ask(program, BY_MEANING_ALONE)[0]
    kept = program.runtime.traces.latest(MIRA)[0].recall.kept
    assert BY_MEANING_ALONE not in kept[0].memory.text


def test_typed_text_goes_by_words_and_says_so(program: Program) -> None:
    derive(program, MIRA)
    answer, notes = ask(program, "What happened to my umbrella?")
    assert "Old Man of Storr" in answer
    assert notes == ("words only: the demo has vectors for its suggestions only",)
    assert program.runtime.problems() == []


def test_page_names_the_search_method_of_its_suggestions(program: Program) -> None:
    runtime, characters = program.runtime, program.characters
    methods = [search_method(runtime, characters[name]) for name in ("Mira", "小岚")]
    assert methods == [SearchMethod.SHIPPED_VECTORS, SearchMethod.WORDS]
    runtime.save_settings({"embedder.kind": "none"})
    assert search_method(runtime, characters["Mira"]) is SearchMethod.WORDS


def test_settings_call_the_shipped_vectors_no_model(program: Program) -> None:
    assert program.runtime.settings.embedder.kind == DEMO_VECTORS
    assert model_choice(program.runtime.settings) is ModelChoice.DEMO


def test_text_without_a_vector_is_known_to_have_none() -> None:
    vectors = ShippedVectors()
    assert not vectors.embed(["something else"]).any()
    with pytest.raises(EmbedderNotReady):
        vectors.embed_query("something else", timeout_s=1)


def test_shipped_vectors_are_unit_rows_of_a_small_file() -> None:
    vectors = ShippedVectors()
    rows = vectors.embed([text for pair in all_probes()["en"].pairs for text in pair])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-3)
    assert FILE.stat().st_size < 150_000


def test_languages_are_measured_as_of_the_model_that_made_the_vectors() -> None:
    assert trust_from(measure_language(ShippedVectors(), "en")) > 0.95
    assert trust_from(measure_language(ShippedVectors(), "zh")) == 0.0

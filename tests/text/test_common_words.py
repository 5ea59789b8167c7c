"""The weights of common words."""

import json

from benchmarks.make_common_words import DATA, common_words, examples
from memory_core.text.common_words import FOLDER, word_weights
from memory_core.text.search_terms import terms
from tests.cases import for_each

COMMON_AND_TELLING = [
    ("what did i get from the dentist last", "get", "dentist"),
    ("was hab ich dem Zahnarzt nochmal gesagt", "nochmal", "zahnarzt"),
    ("¿qué me dijo ahora el dentista?", "ahora", "dentista"),
    ("c'est quand encore le dentiste", "encore", "dentiste"),
    ("что мне сегодня сказал стоматолог", "сегодня", "стоматолог"),
]


@for_each(("text", "common", "telling"), COMMON_AND_TELLING)
def test_common_word_weighs_less_than_a_telling_one(text: str, common: str, telling: str) -> None:
    (one,), (other,) = terms(common), terms(telling)
    found = word_weights([one, other], text)
    assert found[one] < 0.8 * found[other]


def test_word_of_another_language_keeps_its_weight() -> None:
    (german,) = terms("nochmal")
    assert word_weights([german], "what was the nochmal thing again, tell me") == {german: 1.0}


def test_words_of_an_unknown_language_keep_their_weight() -> None:
    assert word_weights(["απο", "σημερα"], "τι ωρα ειναι σημερα") == {"απο": 1.0, "σημερα": 1.0}


def test_common_words_counts_texts_and_leaves_out_rare_terms() -> None:
    texts = ["sleep well, sleep tight", *["good day"] * 998, "walrus"]
    found = common_words(texts)
    assert "walru" not in found
    assert found[terms("day")[0]] == 0.998


def test_common_words_leaves_out_single_characters() -> None:
    assert all(len(term) > 1 for term in common_words(["我想睡觉", "我想吃饭"]))


def test_stored_tables_are_those_of_the_examples() -> None:
    for path in sorted(DATA.glob("*.tsv")):
        stored = json.loads((FOLDER / f"{path.stem}.json").read_text(encoding="utf-8"))
        assert stored == common_words(examples(path)), "run benchmarks/make_common_words.py"

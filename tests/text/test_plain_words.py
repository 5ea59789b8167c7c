"""The tab's texts use no words that only a developer knows."""

import re

from memory_core.text.locales import LANGUAGES, load_texts
from tests.cases import for_each

WORDS_OF_DEVELOPERS = re.compile(
    r"namespace|tombstone|cosine|system block|replay|vector|sqlite|zarr|faiss|\bgate\b|\bhook\b"
    r"|\bprompt hook|(recall|consolidation|ltm_context|ltm_writes|rolling_backup|llm)\.[a-z_]+"
    r"|docs/|余弦|系统块|重放|向量|命名空间|墓碑|钩子",
    re.IGNORECASE,
)
LOGGED = "problem_"  # these texts are those of the log, which names settings by their keys


def words_of_developers(text: str) -> list[str]:
    return [found[0] for found in WORDS_OF_DEVELOPERS.finditer(text)]


@for_each("language", sorted(LANGUAGES.values()))
def test_tab_has_no_words_that_only_developers_know(language: str) -> None:
    found = {
        key: words
        for key, text in load_texts(language)["tab"].items()
        if not key.startswith(LOGGED)
        if (words := words_of_developers(text))
    }
    assert found == {}


@for_each("text", ["stays in the system block", "recall.enabled is off", "余弦距离 0.3"])
def test_word_of_a_developer_is_found(text: str) -> None:
    assert words_of_developers(text)

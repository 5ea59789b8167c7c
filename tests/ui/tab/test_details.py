"""Why memories were left out, in the reader's language."""

import re

from memory_core.host.activity import COMMAND
from memory_core.memory import embedding, language_trust
from memory_core.recall import earlier_questions, pipeline, uninformative
from memory_core.recall.gate import describe_below
from memory_core.recall.results import ALREADY_IN_SYSTEM_BLOCK
from memory_core.text.locales import tab_words
from memory_core.ui.tab.answer.details import detail_text
from tests.cases import for_each

DETAILS = (
    f"the message seems to need no memory ({describe_below(0.3, 0.5)})",
    f"score {describe_below(0.2, 0.5)}",
    uninformative._BY_NEIGHBOURS,
    earlier_questions._UNANSWERED_DETAIL,
    pipeline._REPEATED,
    ALREADY_IN_SYSTEM_BLOCK,
    "a command, or its reply",
    "the prompt already says it",
    "only 8 are recalled",
    f"{pipeline._SHOWN_FITS_BETTER}only 3 are recalled",
    "only 8 are kept",
    "only 12 tokens were left",
    "shorter than 3 letters",
    "cosine distance 0.90 is not below 0.50",
    "recall is paused in this chat",
    "the message has no text to recall for",
    COMMAND,
    embedding.NO_EMBEDDER,
    embedding.CHANGED,
    "embeddings are not ready yet: words only",
    language_trust._NOTE.format(language="Chinese", trust=0.2),
)


@for_each("detail", DETAILS)
def test_detail_is_translated_to_chinese(detail: str) -> None:
    told = detail_text(detail, tab_words("zh"))
    assert not re.search("[a-zA-Z]", told)
    assert re.findall(r"\d[\d.]*", told) == re.findall(r"\d[\d.]*", detail)


def test_reason_of_a_failing_model_stays_in_its_words() -> None:
    told = detail_text("words only: no answer from http://127.0.0.1:9/v1", tab_words("zh"))
    assert told.endswith("no answer from http://127.0.0.1:9/v1")


def test_unknown_detail_stays_as_it_is() -> None:
    assert detail_text("the model says no", tab_words("zh")) == "the model says no"
    assert detail_text("", tab_words("zh")) == ""


@for_each(
    ("value", "least", "told"),
    [
        (0.2, 0.25, "0.20 is below 0.25"),
        (0.2671, 0.2689, "0.267 is below 0.269"),
        (0.5, 0.5, "0.500000 is below 0.500000"),
    ],
)
def test_different_numbers_are_shown_with_different_digits(
    value: float, least: float, told: str
) -> None:
    assert describe_below(value, least) == told

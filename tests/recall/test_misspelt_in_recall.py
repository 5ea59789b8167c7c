"""Misspelt words and short forms find the memories that contain the right words."""

from memory_core.recall.passages import expand_query
from memory_core.recall.query import Query, local_time
from tests.builders import NOW
from tests.cases import for_each
from tests.recall.test_related_in_recall import stored


def expanded(message: str, *texts: str) -> dict[str, str]:
    """Returns stored term → word of the message, where they differ."""
    query = Query(text=message, now=local_time(NOW), names=("Ana", "Sol"))
    expansion = expand_query(stored(*texts).fulltext, query, with_related_words=False)
    return {term: word for term, word in expansion.forms.items() if term != word}


@for_each(
    ("message", "memory", "term"),
    [
        ("who is my new teahcer", "our teacher has ink on her ears", "teacher"),
        ("whats my roomate called", "I found a roommate", "roommat"),
        ("в какую аудиторию к кушдряшову", "Кудряшову нужна аудитория", "кудряшов"),
    ],
)
def test_misspelt_word_stands_for_a_stored_one(message: str, memory: str, term: str) -> None:
    assert term in expanded(message, memory)


def test_word_that_memories_contain_stands_for_itself() -> None:
    assert expanded("the roomate", "my roomate", "my roommate") == {}


def test_everyday_word_is_not_taken_for_a_misspelt_one() -> None:
    assert expanded("I saw a horse", "we have a house") == {}


def test_word_near_many_stored_ones_stands_for_none() -> None:
    near = ("brentik", "brintik", "brontik")
    assert expanded("where is brantik", *near[:2]).keys() == set(near[:2])
    assert expanded("where is brantik", *near) == {}


def test_only_a_few_unknown_words_of_a_message_are_looked_up() -> None:
    nonsense = " ".join(f"qqww{chr(97 + n)}zz" for n in range(6))
    assert expanded(f"{nonsense} teahcer", "our teacher") == {}
    assert expanded("teahcer", "our teacher") != {}


def test_short_form_stands_for_the_long_one_and_both_are_counted() -> None:
    query = Query(text="when is moms bday", now=local_time(NOW), names=("Ana", "Sol"))
    texts = ("my mother's birthday is in May", "birthday cake", "mom called")
    expansion = expand_query(stored(*texts).fulltext, query, with_related_words=False)
    assert expansion.forms["birthday"] == "bday"
    assert expansion.forms["mother"] == expansion.forms["mom"] == "mom"
    assert expansion.corpus.document_frequency["bday"] == 2
    assert expansion.corpus.document_frequency["mom"] == 2

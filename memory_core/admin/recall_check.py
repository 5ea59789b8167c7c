"""Asks for things that a person said, and counts how many of them are recalled.

Rules derive the questions from the person's own words, so they are easier than real ones.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..domain.namespaces import Namespace
from ..domain.records import Memory
from ..memory.long_term_memory import LongTermMemory
from ..recall.query import Query, local_time
from ..storage.contract import Page
from ..text.cleaning import clean_user_message
from ..text.locales import question_words
from ..text.questions import asks_in_any_words
from ..text.search_terms import terms
from ..text.sentences import sentences
from ..text.topics import known_words

_LOOK_BACK = 2_000
_ASKED = 10
_WORDS, _HAN_WORDS = 2, 1
_MIN_CHARS, _MAX_CHARS, _MIN_HAN = 25, 200, 8
_MIN_WORD = 4
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've)\b|\b(?i:my|ich|mein\w*|mi|mis|yo|je|mon|ma|mes)\b"
    r"|[\u6211\u79c1\u50d5\u4ffa]|\b[\u042f\u044f]\b|\b(?i:\u043c\u043e[\u0439\u044f\u0451\u0438])\b"
)
_HAN = re.compile("[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+")
_NO_NAMES = re.compile("[我你他她它在的了]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One question. `rank` is the place of the memory among the recalled ones, 0 for a miss.

    `reason` is the reason why recall dropped the memory, if it was found at all.
    """

    statement: str
    question: str
    ts: float | None
    rank: int = 0
    reason: str = ""


def check_recall(
    memory: LongTermMemory, namespace: Namespace, *, asked: int = _ASKED
) -> list[Trial]:
    """Asks for up to `asked` statements of the person, spread over the history."""
    found = list(_statements(memory.latest(namespace, Page(limit=_LOOK_BACK))))
    frequencies = Counter(word for _, text in found for word in set(_words(text)))
    step = max(1, len(found) // asked)
    chosen = found[::step][:asked]
    return [_try_one(memory, namespace, *known, frequencies) for known in chosen]


def _statements(memories: Sequence[Memory]) -> Iterator[tuple[Memory, str]]:
    """Yields at most one statement in the first person from each exchange, after its memory."""
    for memory in memories:
        if memory.exchange is None:
            continue
        spoken = sentences(clean_user_message(memory.exchange.user))
        text = next(filter(_is_worth_asking, spoken), "")
        if text:
            yield memory, text


def _is_worth_asking(sentence: str) -> bool:
    is_long = len(sentence) >= (_MIN_HAN if _HAN.search(sentence) else _MIN_CHARS)
    if not is_long or len(sentence) > _MAX_CHARS or asks_in_any_words(sentence):
        return False
    min_words = _HAN_WORDS if _HAN.search(sentence) else _WORDS
    return bool(_FIRST_PERSON.search(sentence)) and len(set(_words(sentence))) >= min_words


def _words(sentence: str) -> list[str]:
    """Returns the words that a question can name, as they are written in the sentence."""
    if _HAN.search(sentence):
        # Neighbouring characters may belong to two words, and "my sister" is not a name.
        return known_words(_NO_NAMES.sub(" ", sentence), "zh")
    return [word for word in _WORD.findall(sentence) if len(word) >= _MIN_WORD and terms(word)]


def question_about(sentence: str, frequencies: Counter[str]) -> str:
    """Returns a question that names the two rarest words of a sentence, or its only one."""
    words = list(dict.fromkeys(_words(sentence)))
    if not _HAN.search(sentence) and len(words) > _WORDS and sentence.startswith(words[0]):
        del words[0]  # it may be a filler at the beginning of the sentence
    rarest = sorted(words, key=lambda word: (frequencies[word], -len(word)))[:_WORDS]
    named = sorted(rarest, key=words.index)
    language = "zh" if _HAN.search(sentence) else "en"
    asking = question_words(language)
    if len(named) == 1:
        return asking("told_about_one", first=named[0])
    return asking("told_about", first=named[0], second=named[1])


def _try_one(
    memory: LongTermMemory,
    namespace: Namespace,
    known: Memory,
    statement: str,
    frequencies: Counter[str],
) -> Trial:
    exchange = known.exchange
    names = (exchange.user_name, exchange.assistant_name) if exchange else ()
    question = question_about(statement, frequencies)
    query = Query(text=question, names=names, now=local_time(memory.now()))
    recall = memory.recall(namespace, query)
    rank = next(
        (
            rank
            for rank, hit in enumerate(recall.kept, start=1)
            if hit.memory.id == known.id or _says(hit.memory, statement)
        ),
        0,
    )
    dropped = (drop for drop in recall.dropped if drop.candidate.memory.id == known.id)
    reason = "" if rank else next((drop.reason.value for drop in dropped), "")
    return Trial(statement=statement, question=question, ts=known.ts, rank=rank, reason=reason)


def _says(memory: Memory, sentence: str) -> bool:
    return sentence in (memory.exchange.user if memory.exchange else memory.text)

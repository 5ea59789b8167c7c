"""Names the everyday topics that a text touches, so that "surgeon" can find "operation".

Each language has a file, topics/<language>.json, with stemmed words and their topics.
benchmarks/make_topics.py makes them from the word lists in benchmarks/data/topics. A topic is
written as a search term that no text can contain. The words of idioms say nothing about a topic:
"we're back" is not about a back.
"""

# ruff: noqa: RUF001

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from pathlib import Path

from ..domain.unicode import normalised
from .language import languages_of, latin_languages
from .search_terms import stemmer_of

_ENGLISH = r"""\b(?:am|are|is|was|were|be|been|come|came|coming|go|goes|going|went|get|got|getting
    |i['’]m|we['’]re|she['’]s|he['’]s|bring|brought|give|gave|call|called|welcome)\s+back\b
    |\blive\s+(?:without|with\s+(?:it|that))\b|\bworr(?:y|ies|ied)\s+(?:me|us)\b
    |\bcatch(?:es|ing)?\s+a\s+(?:bus|train|break)\b|\bby\s+heart\b|\bhead\s+(?:home|off|out)\b
    |\bfish(?:ing)?\s+for\s+compliments\b|\bpiece\s+of\s+cake\b|\bkeep\s+an\s+eye\b
    |\ba\s+pain\s+in\s+the\s+\w+|\bsick\s+(?:of|and\s+tired)\b|\bdying\s+to\b|\bas\s+a\s+(?:kid|child)\b"""
_OTHERS = r"""\bals\s+kind\b|\blach\w*\s+mich\s+kaputt\b|\bme\s+muero\s+de\b
    |\bde\s+(?:niñ|pequeñ)[oa]\b
    |\bmorte?\s+de\s+rire\b|\bв\s+детстве\b|\bумираю\s+со\b"""
# Words that name a topic in the word lists, but hardly ever in a chat: soy carmen, wir ziehen nach.
_OF_NO_TOPIC = r"""\bbro?ken?\s+up\b|\bsorry\b|\bcan\s+we\s+talk\b|\bhab\b
    |\bsoy\b(?=\s+\w)(?!\s+(?:milk|sauce|beans?|yog\w*|protein|products?|allerg\w*|and|or|too|free|lattes?)\b)
    |\b(?:con|mis|sabes)\b|\bc[oó]mo\s+se\b|\bhace\s+(?:un|dos|tres|\d+)\s+años?\b
    |\b(?:zieh(?:en?|t|st)?|zogen?)\b(?=.{1,40}\b(?:nach|um|aus|ein|weg|zusammen)\b|\s+(?:um|aus|ein)\b)"""
_CHINESE = "笑死|冰岛|回来了|吃惊|吃亏|吃醋|头疼的事|热心|放心|担心|小心|开心"
_IDIOM = re.compile(f"{_ENGLISH}|{_OTHERS}|{_OF_NO_TOPIC}|{_CHINESE}", re.IGNORECASE | re.VERBOSE)
MARK = "#"
FOLDER = Path(__file__).with_name("topics")
_STEMMERS = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "pt": "portuguese",
    "it": "italian",
    "ru": "russian",
}
UNSPACED = frozenset(("zh", "ja"))
_WORD = re.compile(r"[^\W\d_]{2,40}(?:-[^\W\d_]{1,40}){0,3}")
_ASCII_WORD = re.compile(r"[a-z]{2,40}(?:-[a-z]{1,40}){0,3}")
_COMPOUND, _PART = 8, 4  # minimum letters of a German compound and of its parts
_MAX_REPEATS = 2  # times that one topic counts in one text
_MAX_CACHED = 20_000  # words
Lexicon = Mapping[str, tuple[str, ...]]


def without_idioms(text: str) -> str:
    """Returns the text with a blank for each idiom."""
    return _IDIOM.sub(" ", text)


def topics(text: str) -> list[str]:
    """Returns the topics of a text as search terms, each up to twice if several words name it."""
    counts: dict[str, int] = {}
    for named in topics_by_word(text):
        for topic in named:
            counts[topic] = counts.get(topic, 0) + 1
    return [topic for topic, times in counts.items() for _ in range(min(times, _MAX_REPEATS))]


def topics_by_word(text: str) -> Iterator[tuple[str, ...]]:
    """Yields the topics of each word of the text that names any."""
    if text.isascii():
        words = _ASCII_WORD.findall(text.lower())
        languages = latin_languages(words)
    else:
        text = normalised("NFKC", text).casefold()
        words, languages = _WORD.findall(text), languages_of(text)
    for language in languages:
        if language in UNSPACED:
            yield from _in_unspaced(text, language)
        elif language in _STEMMERS:
            yield from filter(None, map(_topics_of_word[language], dict.fromkeys(words)))


def known_words(text: str, language: str) -> list[str]:
    """Returns the words of a language without blanks that name topics, the longest at each place.

    Ignores single characters.
    """
    lexicon, found, start = lexicon_of(language), list[str](), 0
    while start < len(text):
        lengths = range(_longest_words(language).get(text[start], 1), 1, -1)
        runs = (text[start : start + length] for length in lengths)
        word = next((run for run in runs if run in lexicon), "")
        if word:
            found.append(word)
        start += len(word) or 1
    return found


def _in_unspaced(text: str, language: str) -> Iterator[tuple[str, ...]]:
    lexicon, longest = lexicon_of(language), _longest_words(language)
    for start, first in enumerate(text):
        for length in range(1, longest.get(first, 0) + 1):
            if (run := text[start : start + length]) in lexicon:
                yield lexicon[run]


@cache
def _longest_words(language: str) -> Mapping[str, int]:
    """Returns the length of the longest word that begins with each character."""
    longest: dict[str, int] = {}
    for word in lexicon_of(language):
        longest[word[0]] = max(longest.get(word[0], 0), len(word))
    return longest


def _topics_of(word: str, language: str) -> tuple[str, ...]:
    lexicon = lexicon_of(language)
    own = lexicon.get(stem(word, language), ())
    if own:
        return own
    if "-" in word:
        return tuple(topic for part in word.split("-") for topic in _topics_of(part, language))
    return _of_parts(word, lexicon) if language == "de" else ()


_topics_of_word = {
    language: lru_cache(maxsize=_MAX_CACHED)(partial(_topics_of, language=language))
    for language in _STEMMERS
}


def _of_parts(word: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Returns the topics of the longest last part of a German compound, then of the first."""
    if len(word) < _COMPOUND:
        return ()
    lengths = range(len(word) - 3, _PART - 1, -1)
    ends = (lexicon.get(stem(word[-length:], "de"), ()) for length in lengths)
    beginnings = (lexicon.get(stem(word[:length], "de"), ()) for length in lengths)
    names = (*next(filter(None, ends), ()), *next(filter(None, beginnings), ()))
    return tuple(dict.fromkeys(names))


def load_lexicons() -> None:
    """Loads the word lists of the languages in Latin letters, which share their short messages."""
    for language in _STEMMERS.keys() - {"ru"}:
        lexicon_of(language)


@cache
def lexicon_of(language: str) -> Lexicon:
    """Returns the stemmed words of a language with their topics; loaded when first needed."""
    path = FOLDER / f"{language}.json"
    if not path.exists():
        return {}
    words = json.loads(path.read_text(encoding="utf-8"))
    return {key: tuple(MARK + topic for topic in names.split()) for key, names in words.items()}


def stem(word: str, language: str) -> str:
    """Returns the key of a word in the files of topics, apart from its accents."""
    name = _STEMMERS.get(language)
    if language == "es" and word.endswith("ao"):
        word = f"{word[:-1]}do"  # "cansao" is how many say and type "cansado"
    return str(stemmer_of(name).stemWord(word)) if name else word

"""Guesses the language of a short text, and the one of a chat in which its prompt is written.

Most languages are recognised by their script, those in Latin letters by their function words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice

from ..infra.lru_cache import memoize
from . import stopwords
from .locales import DEFAULT, PROMPT_LANGUAGES

LATIN = {
    "en": stopwords.ENGLISH,
    "de": stopwords.GERMAN,
    "es": stopwords.SPANISH,
    "fr": stopwords.FRENCH,
    "pt": stopwords.PORTUGUESE,
    "it": stopwords.ITALIAN,
    "pl": stopwords.POLISH,
    "tr": stopwords.TURKISH,
    "nl": stopwords.DUTCH,
}
# Function words missing in the stop word lists because another language has the same word.
_SHARED = {
    "en": "a an the i you he she it we they me my is are was and or of in on at to do so no",
    "de": "der die das den dem ein eine ich du er sie es wir mir mich mein ist bin war hat am im "
    "in und oder mit von zu auf an so was wann wo wie nicht nochmal mal da",
    "es": "el la los las un una de del en y o a que mi mis tu me te se lo le es son fue con por "
    "para al ya no si tengo muy cuando como donde hoy voy era da",
    "fr": "le la les un une des de du en et ou a que mon ma mes ton ta me te se je il elle on est "
    "sont avec pour au ne pas si ce cette quand comment dans jsuis chuis chu jai jme jvais jpeux "
    "jfais jdois jsais jveux cest ya yen yavait",
    "pt": "o a os as um uma de do da em e ou que meu minha me te se eu com por para ao na no se "
    "quando como onde hoje vou era",
    "it": "il lo la i gli le un una di del in e o che mio mia mi ti si io con per da al ho sono "
    "non quando come dove oggi era",
    "nl": "de het een ik jij hij zij we me mijn is ben was en of van in op met te niet wat waar",
    "pl": "i w z na do to jest nie się mi mnie ja ty co jak kiedy gdzie",
    "tr": "bir bu ve ne ben sen mi de da ile için var yok",
}
# The votes of all languages are added up at once, as parts of one number.
_MOST_VOTES = 0xFFFFFFFF  # of one language: more than any text has words
_VOTE_SHIFTS = {language: 32 * index for index, language in enumerate(LATIN)}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("uk", re.compile("[\u0404\u0406\u0407\u0454\u0456\u0457\u0490\u0491]")),
    ("ru", re.compile("[\u0400-\u052f]")),
    ("vi", re.compile("[\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9]")),
    ("ar", re.compile("[\u0620-\u064a]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
_LATIN_WORD = re.compile("[a-z\u00df-\u00ff\u0100-\u024f]+")
_ASCII_LETTERS = bytes(  # letters become lower-case, all else becomes blanks
    ord(chr(code).lower() if code < 128 and chr(code).isalpha() else " ") for code in range(256)
)
_HAN_OR_KANA = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u306d\u306f-\u30ff]")  # without の, which Chinese writers use, too
# Other languages have Cyrillic letters, too.
_RUSSIAN = re.compile(r"[ыэё]|\b(?:что|меня|мне|когда|только|сегодня|очень|если|есть|еще|нет)\b")
_NOT_RUSSIAN = re.compile("[іїєґў]")
_WORD_WITH_BLANKS = re.compile("[^\\W\\d_\u3040-\u30ff\u3400-\u9fff]+")
_LONGEST = 2_000  # the rest of a text is ignored
_CACHE_CHARS = 100_000  # each message, and what is recalled, is examined for several purposes
_LATEST_MESSAGES = 12  # of a chat, examined for its language
_MESSAGES_TO_CHANGE = 3
_LEAD_OVER_ENGLISH = 2  # function words; an English message may have fewer


@memoize(chars=_CACHE_CHARS)
def languages_of(text: str) -> tuple[str, ...]:
    """Returns the likeliest language, or all that are equally likely, as ISO 639-1 codes.

    Returns all languages in Latin letters for a text without known function words, and none for
    an unknown script.
    """
    text = text[:_LONGEST]
    if text.isascii():  # the same words in a third of the time
        return latin_languages(text.encode().translate(_ASCII_LETTERS).decode().split())
    text = text.casefold()
    for language, letters in _SCRIPTS:
        if letters.search(text):
            return (language,)
    return latin_languages(_LATIN_WORD.findall(text))


def latin_languages(words: Sequence[str]) -> tuple[str, ...]:
    """Returns the likeliest languages of lower-case words in Latin letters, none without words."""
    return _likeliest(_count_votes(words)) if words else ()


def latin_votes(text: str) -> Mapping[str, int]:
    """Returns the number of known function words per language in Latin letters."""
    return _count_votes(_LATIN_WORD.findall(text[:_LONGEST].casefold()))


def _likeliest(votes: Mapping[str, int]) -> tuple[str, ...]:
    most = max(votes.values())
    return tuple([language for language, number in votes.items() if number == most])


def _count_votes(words: Iterable[str]) -> dict[str, int]:
    votes = sum(filter(None, map(_votes().get, words)))
    return {language: votes >> shift & _MOST_VOTES for language, shift in _VOTE_SHIFTS.items()}


@cache
def _votes() -> dict[str, int]:
    """Returns for each function word one number with a vote for each of its languages."""
    votes: dict[str, int] = {}
    for language, shift in _VOTE_SHIFTS.items():
        for word in {*LATIN[language].split(), *_SHARED[language].split()}:
            votes[word] = votes.get(word, 0) + (1 << shift)
    return votes


def chat_language(newest_first: Iterable[str], known: str = "") -> str:
    """Returns the language for a chat with these messages of the user, "" if none is certain.

    A `known` language changes only after three messages in a row in another one, because each
    change makes the model process the whole prompt again.
    """
    spoken = list(islice(filter(None, map(_message_language, newest_first)), _LATEST_MESSAGES))
    if not spoken:
        return known
    if not known:
        return max(dict.fromkeys(spoken), key=spoken.count)
    latest = spoken[:_MESSAGES_TO_CHANGE]
    has_changed = len(latest) == _MESSAGES_TO_CHANGE and len(set(latest)) == 1
    return latest[0] if has_changed else known


def _message_language(text: str) -> str:
    """Returns the prompt language that fits one message, "" if that is uncertain.

    Returns the default for languages without prompts.
    """
    text = text[:_LONGEST].casefold()
    if len(_HAN_OR_KANA.findall(text)) > len(_WORD_WITH_BLANKS.findall(text)):
        return "ja" if _KANA.search(text) else "zh"
    if _RUSSIAN.search(text) and not _NOT_RUSSIAN.search(text):
        return "ru"
    votes = _count_votes(_LATIN_WORD.findall(text))
    likeliest, *others = _likeliest(votes)
    if others:
        return ""
    is_certain = votes[likeliest] - votes["en"] >= _LEAD_OVER_ENGLISH
    if likeliest not in PROMPT_LANGUAGES:
        return DEFAULT if is_certain else ""
    return likeliest if is_certain or likeliest == "en" else ""

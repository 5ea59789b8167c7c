"""Splits text of any script into search terms: stemmed words, or character pairs without blanks.

Stemming is Snowball's (https://snowballstem.org), by script: a message is too short to detect its
language, and a word must give the same term in every context. So every word in Latin letters is
stemmed as English, without accents; Cyrillic as Russian, Devanagari as Hindi.

Chinese, Japanese, Korean and Thai runs become overlapping pairs of characters, the usual choice
without a segmenter; a single character stays unchanged. Since a Chinese character is often a
word, each is also a term of its own. Traditional characters count as their simplified forms.
Japanese is split where its scripts change, Korean before
its particles.
"""

import json
import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from ..domain.unicode import normalised
from . import stopwords

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7af"
_THAI = "\u0e00-\u0e7f"
_UNSPACED = _THAI + _KANA + _HAN + _HANGUL
# Separate vowel signs and accents belong to the word (Devanagari to Malayalam, Hebrew, Arabic,
# decomposed Latin), but Python's \w does not match them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f"
    "\u0670\u0900-\u0963\u0971-\u0dff"
)
_WORD = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])+"
_PIECE = re.compile(rf"[{_UNSPACED}]+|{_WORD}(?:['’]{_WORD})?")  # noqa: RUF001
_ASCII_PIECE = re.compile("[a-z0-9]+(?:'[a-z0-9]+)?")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
# Soft hyphen, joiner, and the Armenian signs on a vowel within a word.
_WITHIN = re.compile("[\u00ad\u200d\u055b\u055c\u055e]")
_APOSTROPHE = re.compile("['’\u02bc]")  # noqa: RUF001
_LONGEST = 40
_SOME = f"{{1,{_LONGEST}}}"


def terms(text: str) -> list[str]:
    """Returns the terms of a text in order, with repeats but without stop words."""
    if text.isascii():  # the same terms ten times as fast
        pieces = (
            _ASCII_PIECE.findall(text.lower())
            if "'" in text
            else text.encode().translate(_LETTERS_ALONE).decode().split()
        )
        return list(filter(None, map(_known.__getitem__, pieces)))
    text = normalised("NFKC", text).casefold()
    result: list[str] = []
    for piece in _PIECE.findall(text if text.isascii() else _WITHIN.sub("", text)):
        if _IS_UNSPACED.match(piece):
            result.extend(_unspaced(piece))
        elif term := _known[piece]:
            result.append(term)
    return result


def drop_paired_characters(words: Iterable[str]) -> frozenset[str]:
    """Returns the words without single characters that also occur in one of the pairs."""
    unique = frozenset(words)
    pairs = [word for word in unique if len(word) == 2 and not word.isascii()]
    return unique - {char for pair in pairs for char in pair} if pairs else unique


def indivisible_terms(text: str) -> frozenset[str]:
    """Returns the terms of a text, without pairs of characters that are both terms themselves."""
    found = frozenset(terms(text))
    pairs = [term for term in found if len(term) == 2 and not term.isascii()]
    return found - {pair for pair in pairs if found.issuperset(pair)} if pairs else found


_LETTERS_ALONE = bytes(  # lower-case letters and digits stay, the rest becomes blanks
    ord(char.lower() if char.isalnum() else " ")
    for char in (chr(code) if code < 128 else " " for code in range(256))
)


# Words.


class _Known(dict[str, str]):
    """Cache of recent terms, twice as fast as an lru_cache, which records every look-up.

    Only the beginning of a long word is stored.
    """

    def __missing__(self, piece: str) -> str:
        if len(piece) > _LONGEST:
            return self[piece[:_LONGEST]]
        if len(self) >= _MAX_CACHED:
            self.clear()
        self[piece] = term = _term(piece)
        return term


_MAX_CACHED = 50_000
_known = _Known()


def _term(piece: str) -> str:
    """Returns the stem of a word, or an empty text for a stop word.

    In Latin letters it is the stem of the part before the apostrophe (don't → don), or after an
    elision (l'eau → eau). Accents are removed only after the comparison with stop words, because
    té (tea) is not a stop word.
    """
    if piece.isascii() and piece.isalpha():  # most words: none of what follows applies to them
        return "" if piece in STOP_WORDS else _stem(_unaccented(piece), "english")
    script = _SCRIPT.search(piece)
    language = (script and script.lastgroup) or ""
    if language != "english":
        word = _plain(_APOSTROPHE.sub("", piece), language)
        return "" if word in _stop_words(language) else _stem(word, language)
    word, *rest = _APOSTROPHE.split(piece, maxsplit=1)
    if rest and word in _ELISIONS and rest[0] not in _CLITICS:
        word = "" if rest[0] in _BEHIND_ELISION else rest[0]
    return "" if word in STOP_WORDS else _stem(_unaccented(word), "english")


_SCRIPT = re.compile(
    "(?P<english>[a-z\u00aa-\u02af\u1e00-\u1eff])|(?P<greek>[\u0370-\u03ff\u1f00-\u1fff])"
    "|(?P<russian>[\u0400-\u052f])|(?P<armenian>[\u0530-\u058f])|(?P<hebrew>[\u0590-\u05ff])"
    "|(?P<arabic>[\u0600-\u077f])|(?P<hindi>[\u0900-\u097f])|(?P<tamil>[\u0b80-\u0bff])"
)


_CONTRACTIONS = stopwords.CONTRACTIONS.split()
FULL_FORMS = {word.replace("'", ""): word for word in _CONTRACTIONS} | stopwords.HURRIED
STOP_WORDS = frozenset(" ".join((stopwords.ENGLISH, *stopwords.LATIN, *FULL_FORMS)).split())
_CLITICS = frozenset(("s", "t", "d", "m", "ll", "re", "ve", "em", "mon"))  # dad's, c'mon
_ELISIONS = frozenset(stopwords.ELISIONS.split())
_BEHIND_ELISION = frozenset(stopwords.BEHIND_ELISION.split())


def _unaccented(word: str) -> str:
    """Returns the word without accents, and with French and Portuguese plurals made singular."""
    if word.endswith("aux"):
        word = _FRENCH_PLURAL.sub("al", word)
    if word.isascii() or _VIETNAMESE.search(word):  # its tones distinguish words
        return word
    if _TURKISH.search(word):
        word = _stem(word, "turkish")
    return _bare(_NASAL_PLURAL.sub("ao", word)).translate(_LETTERS)


_FRENCH_PLURAL = re.compile("(?<=...)(?<!e)aux$")  # chevaux → cheval, but not faux, bureaux
_NASAL_PLURAL = re.compile("(?:õe|ãe|ão)s$")  # Portuguese: canções → cancao, as canção
_TURKISH = re.compile("[ğış]")
_VIETNAMESE = re.compile("[\u01a1\u01b0\u1ea0-\u1ef9]")
_LETTERS = str.maketrans(
    {"ł": "l", "đ": "d", "ð": "d", "ø": "o", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}  # noqa: RUF001
)


def _bare(word: str) -> str:
    decomposed = normalised("NFD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _plain(word: str, language: str) -> str:
    """Removes marks that many people leave out: stress, points, vowels, Devanagari's nukta."""
    if language == "greek":
        return _bare(word)
    return _OPTIONAL.sub("", word).translate(_SAME) if language in _WRITTEN_VARIOUSLY else word


_WRITTEN_VARIOUSLY = frozenset(("russian", "hebrew", "arabic", "hindi"))
_OPTIONAL = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c]"
)
_SAME = str.maketrans("ёأإآٱیک\u0901", "еاااايك\u0902")


@lru_cache
def _stop_words(language: str) -> frozenset[str]:
    """Returns the stop words in the form of the words compared with them."""
    text = normalised("NFKC", stopwords.BY_LANGUAGE.get(language, "")).casefold()
    return frozenset(_plain(word, language) for word in text.split())


def _stem(word: str, language: str) -> str:
    if language not in _STEMMED:
        return word
    stemmer = getattr(_own, language, None) or stemmer_of(language)
    stem = str(stemmer.stemWord(word))
    too_short = len(stem) < 2 and language != "english"  # Hindi leaves one sign of "brother"
    return word if too_short else stem


_STEMMED = frozenset(
    ("english", "russian", "greek", "armenian", "arabic", "hindi", "tamil", "turkish")
)
_own = threading.local()


def stemmer_of(language: str) -> Any:  # noqa: ANN401  (the library ships no types)
    """Returns this thread's stemmer, because a stemmer keeps the current word as state."""
    if not hasattr(_own, language):
        import snowballstemmer

        setattr(_own, language, stemmer := snowballstemmer.stemmer(language))
        stemmer.maxCacheSize = 0  # its cache triples the time of a new word; _known has its own
    return getattr(_own, language)


# Runs without blanks.


def simplified(text: str) -> str:
    """Returns the text with simplified forms of traditional Chinese characters."""
    return text if text.isascii() else text.translate(_simplified_forms())


@cache
def _simplified_forms() -> Mapping[int, int]:
    groups = json.loads(_SIMPLIFIED.read_text(encoding="utf-8"))
    return {
        ord(old): ord(new) for olds, news in groups for old, new in zip(olds, news, strict=True)
    }


_SIMPLIFIED = Path(__file__).with_name("simplified.json")


def _unspaced(run: str) -> Iterable[str]:
    run = simplified(run)
    if not _KANA_OR_HANGUL.search(run):
        return _pairs(run)
    return [term for part in _PARTS.findall(run) for term in _part(part)]


def _pairs(run: str) -> Iterable[str]:
    """Yields pairs, and for Chinese also each character: 狗 (dog) occurs in 小狗 and 狗粮."""
    if not _IS_HAN.match(run):
        return _all_pairs(run) if len(run) > 1 else (run,)
    return chain.from_iterable(map(_chinese, _ASKING.split(run)))


def _chinese(run: str) -> Iterator[str]:
    for left, right in pairwise(run):
        if left not in _STOP_CHARS or right not in _STOP_CHARS:
            yield left + right
    yield from (char for char in run if char not in _STOP_CHARS)


_IS_HAN = re.compile(f"[{_HAN}]")
_STOP_CHARS = frozenset(stopwords.CHINESE)
_ASKING = re.compile(
    f"[{stopwords.CHINESE_BORDERS}]|{'|'.join(stopwords.CHINESE_QUESTIONS.split())}"
)
_KANA_OR_HANGUL = re.compile(f"[{_KANA}{_HANGUL}]")
_PARTS = re.compile(
    # An ending belongs to the kanji before it (食べる), a particle does not (犬が).
    f"[{_HAN}]{_SOME}(?:(?![のはがをにでともへやかなだよねさしすせ])[{_HIRAGANA}ー]{_SOME})?"
    f"|[{_HIRAGANA}][{_HIRAGANA}ー]{{0,{_LONGEST}}}|[{_KATAKANA}]{_SOME}|[{_HANGUL}]{_SOME}|[{_THAI}]{_SOME}"
)


@lru_cache(maxsize=50_000)
def _part(part: str) -> tuple[str, ...]:
    if _IS_HANGUL.match(part):
        return tuple(_hangul(part))
    if _IS_JAPANESE.match(part):
        return tuple(_japanese(part))
    return tuple(_pairs(part))


_IS_HANGUL = re.compile(f"[{_HANGUL}]")
_IS_JAPANESE = re.compile(f"[{_HAN}{_HIRAGANA}]")


def _japanese(part: str) -> Iterator[str]:
    """Yields pairs of kanji and each kanji by itself, so that 犬 finds 子犬."""
    kanji, kana = _KANJI_KANA.findall(part)[0]
    yield from _all_pairs(kanji)
    yield from (char for char in kanji if char not in _PRONOUNS)
    yield from _hiragana(kana)


_KANJI_KANA = re.compile(f"([{_HAN}]*)(.*)")


def _hiragana(kana: str) -> Iterator[str]:
    """Yields pairs except those of grammar; a single character is a particle or an ending."""
    for pair in _all_pairs(kana):
        if pair not in _GRAMMAR and "を" not in pair:
            yield pair


def _hangul(part: str) -> Iterator[str]:
    """Yields pairs of a word without its particles.

    A single remaining syllable also yields the pair it came from, because 종이 (paper) is not 종
    (bell).
    """
    *_, longer, word = ("", part, *_without_particles(part))
    if part in _KOREAN or word in _KOREAN_PRONOUNS:
        return
    yield from (pair for pair in _all_pairs(word) if pair not in _ENDINGS)
    if len(word) == 1:
        yield word
        yield from _all_pairs(longer[:2])


def _without_particles(word: str) -> Iterator[str]:
    """Yields the word with one particle less each time: 강아지에게는 → 강아지에게, 강아지.

    The form of a particle depends on the sound before it, so 가을 has none.
    """
    for length in range(min(3, len(word) - 1), 0, -1):
        rest, tail = word[:-length], word[-length:]
        if tail in _PARTICLES[_ends_in_consonant(rest)]:
            yield rest
            yield from _without_particles(rest)
            return


def _ends_in_consonant(word: str) -> bool:
    return (ord(word[-1]) - 0xAC00) % 28 != 0


def _all_pairs(run: str) -> Iterator[str]:
    return (left + right for left, right in pairwise(run))


_PRONOUNS = frozenset(simplified(stopwords.KANJI))
_GRAMMAR = frozenset(pair for word in stopwords.HIRAGANA.split() for pair in _all_pairs(word))
_PARTICLES = {
    closed: frozenset(f"{own} {stopwords.AFTER_ANY}".split())
    for closed, own in ((False, stopwords.AFTER_VOWEL), (True, stopwords.AFTER_CONSONANT))
}
_KOREAN = frozenset(stopwords.KOREAN.split())
_KOREAN_PRONOUNS = frozenset(stopwords.KOREAN_PRONOUNS.split())
_ENDINGS = frozenset(pair for word in stopwords.ENDINGS.split() for pair in _all_pairs(word))

"""Text to search terms, for every script: stemmed words, and character bigrams where no blanks are.

Stemming is Snowball's (https://snowballstem.org), by script: a message is too short to tell its
language from, and a word has to give the same term whatever stands around it. So every word in
Latin letters is stemmed as English, without its accents; Cyrillic as Russian, Devanagari as Hindi.

Chinese, Japanese, Korean and Thai runs become overlapping pairs of characters, the usual choice
where no segmenter is at hand; a run of one character stays as it is. Since a Chinese character is
often a word, each is a term beside its pairs. Japanese is cut where its scripts change, Korean
before its particles.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

from . import stopwords
from .normal_form import normalised

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7af"
_THAI = "\u0e00-\u0e7f"
_UNSPACED = _THAI + _KANA + _HAN + _HANGUL
# Vowel signs and accents written on their own belong to the word (Devanagari to Malayalam, Hebrew,
# Arabic, decomposed Latin); Python's \w leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f"
    "\u0670\u0900-\u0963\u0971-\u0dff"
)
_WORD = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])+"
_PIECE = re.compile(rf"[{_UNSPACED}]+|{_WORD}(?:['’]{_WORD})?")  # noqa: RUF001
_ASCII_PIECE = re.compile("[a-z0-9]+(?:'[a-z0-9]+)?")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
# Soft hyphen, joiner, and the Armenian signs that stand on a vowel in the midst of a word.
_WITHIN = re.compile("[\u00ad\u200d\u055b\u055c\u055e]")
_APOSTROPHE = re.compile("['’\u02bc]")  # noqa: RUF001
_LONGEST = 40
_SOME = f"{{1,{_LONGEST}}}"


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats included; stop words are left out."""
    if text.isascii():  # a tenth of the work, for the same terms
        return list(filter(None, map(_known.__getitem__, _ascii_pieces(text))))
    text = normalised("NFKC", text).casefold()
    found: list[str] = []
    for piece in _PIECE.findall(text if text.isascii() else _WITHIN.sub("", text)):
        if _IS_UNSPACED.match(piece):
            found.extend(_unspaced(piece))
        elif term := _known[piece]:
            found.append(term)
    return found


def drop_contained_pairs(words: Iterable[str]) -> frozenset[str]:
    """Without the characters that stand in a pair among these as well, and say no more than it."""
    own = frozenset(words)
    parts = {char for it in own if len(it) == 2 and not it.isascii() for char in it}
    return own - parts


def _ascii_pieces(text: str) -> list[str]:
    if "'" in text:
        return _ASCII_PIECE.findall(text.lower())
    return text.encode().translate(_LETTERS_ALONE).decode().split()


_LETTERS_ALONE = bytes(  # in small letters, and numbers; all else as blanks
    ord(char.lower() if char.isalnum() else " ")
    for char in (chr(code) if code < 128 else " " for code in range(256))
)


# Words.


class _Known(dict[str, str]):
    """The terms of the words met last: half the work of an lru_cache, which notes each look-up.

    Of a long word the beginning counts, and is what is kept.
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
    """The stem of a word, or nothing of a stop word."""
    script = _SCRIPT.search(piece)
    language = (script and script.lastgroup) or ""
    if language == "english":
        return _latin(piece)
    word = _plain(_APOSTROPHE.sub("", piece), language)
    return "" if word in _stop_words(language) else _stem(word, language)


_SCRIPT = re.compile(
    "(?P<english>[a-z\u00aa-\u02af\u1e00-\u1eff])|(?P<greek>[\u0370-\u03ff\u1f00-\u1fff])"
    "|(?P<russian>[\u0400-\u052f])|(?P<armenian>[\u0530-\u058f])|(?P<hebrew>[\u0590-\u05ff])"
    "|(?P<arabic>[\u0600-\u077f])|(?P<hindi>[\u0900-\u097f])|(?P<tamil>[\u0b80-\u0bff])"
)


def _latin(piece: str) -> str:
    """The word before its apostrophe (don't → don, Ana's → ana), or after an elision (l'eau → eau).

    Accents are taken off after it was compared with the stop words: té is tea.
    """
    word, *rest = _APOSTROPHE.split(piece, maxsplit=1)
    if rest and word in _ELISIONS and rest[0] not in _CLITICS:
        word = "" if rest[0] in _BEHIND_ELISION else rest[0]
    return "" if word in STOP_WORDS else _stem(_unaccented(word), "english")


FULL_FORMS = {it.replace("'", ""): it for it in stopwords.CONTRACTIONS.split()} | stopwords.HURRIED
STOP_WORDS = frozenset(" ".join((stopwords.ENGLISH, *stopwords.LATIN, *FULL_FORMS)).split())
_CLITICS = frozenset(("s", "t", "d", "m", "ll", "re", "ve", "em", "mon"))  # dad's, c'mon
_ELISIONS = frozenset(stopwords.ELISIONS.split())
_BEHIND_ELISION = frozenset(stopwords.BEHIND_ELISION.split())


def _unaccented(word: str) -> str:
    """As it is often typed, without the few endings that its letters make certain."""
    word = _FRENCH_PLURAL.sub("al", word)
    if word.isascii() or _VIETNAMESE.search(word):  # whose tones tell words apart
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
    """Without accents, whether of one piece with their letters or not."""
    apart = normalised("NFD", word)
    return "".join(char for char in apart if not unicodedata.combining(char))


def _plain(word: str, language: str) -> str:
    """Without what many people leave out: stress, points, vowels, the foreign dot of Devanagari."""
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
    """Written as the words that are compared with them."""
    text = normalised("NFKC", stopwords.BY_LANGUAGE.get(language, "")).casefold()
    return frozenset(_plain(word, language) for word in text.split())


def _stem(word: str, language: str) -> str:
    if language not in _STEMMED:
        return word
    stem = str(_stemmer(language).stemWord(word))
    too_short = len(stem) < 2 and language != "english"  # Hindi leaves one sign of "brother"
    return word if too_short else stem


_STEMMED = frozenset(
    ("english", "russian", "greek", "armenian", "arabic", "hindi", "tamil", "turkish")
)
_own = threading.local()


def _stemmer(language: str) -> Any:  # noqa: ANN401  (the library ships no types)
    """One for each thread: a Snowball stemmer keeps the word in hand in itself."""
    if not hasattr(_own, language):
        import snowballstemmer

        setattr(_own, language, snowballstemmer.stemmer(language))
    return getattr(_own, language)


# Runs without blanks.


def _unspaced(run: str) -> Iterable[str]:
    if not _KANA_OR_HANGUL.search(run):
        return _pairs(run)
    return [term for part in _PARTS.findall(run) for term in _part(part)]


def _pairs(run: str) -> Iterable[str]:
    """Of Chinese each character too: a dog is called 狗, and stands in 小狗 and 狗粮 as well."""
    if not _IS_HAN.match(run):
        return _all_pairs(run) if len(run) > 1 else (run,)
    return chain.from_iterable(map(_chinese, _ASKING.split(run)))


def _chinese(run: str) -> Iterator[str]:
    for left, right in pairwise(run):
        if left not in _STOP_CHARS or right not in _STOP_CHARS:
            yield left + right
    yield from (it for it in run if it not in _STOP_CHARS)


_IS_HAN = re.compile(f"[{_HAN}]")
_STOP_CHARS = frozenset(stopwords.CHINESE)
_ASKING = re.compile(
    f"[{stopwords.CHINESE_BORDERS}]|{'|'.join(stopwords.CHINESE_QUESTIONS.split())}"
)
_KANA_OR_HANGUL = re.compile(f"[{_KANA}{_HANGUL}]")
_PARTS = re.compile(
    # An ending belongs to the kanji before it, a particle does not: 食べる, 犬が.
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
    """Pairs of kanji, and each by itself: 子犬 is found by 犬."""
    kanji, kana = _KANJI_KANA.findall(part)[0]
    yield from _all_pairs(kanji)
    yield from (it for it in kanji if it not in _PRONOUNS)
    yield from _hiragana(kana)


_KANJI_KANA = re.compile(f"([{_HAN}]*)(.*)")


def _hiragana(kana: str) -> Iterator[str]:
    """Pairs without those of grammar; a single one is a particle or an ending."""
    for pair in _all_pairs(kana):
        if pair not in _GRAMMAR and "を" not in pair:
            yield pair


def _hangul(part: str) -> Iterator[str]:
    """Pairs of a word without its particles.

    Where one syllable is left the pair that it was cut from comes too: 종이, paper, is no bell.
    """
    *_, longer, word = ("", part, *_without_particles(part))
    if part in _KOREAN or word in _KOREAN_PRONOUNS:
        return
    yield from (pair for pair in _all_pairs(word) if pair not in _ENDINGS)
    if len(word) == 1:
        yield word
        yield from _all_pairs(longer[:2])


def _without_particles(word: str) -> Iterator[str]:
    """강아지에게는 → 강아지에게, 강아지.

    The form of a particle depends on the sound before it: in 가을 nothing is cut.
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


_PRONOUNS = frozenset(stopwords.KANJI)
_GRAMMAR = frozenset(it for word in stopwords.HIRAGANA.split() for it in _all_pairs(word))
_PARTICLES = {
    closed: frozenset(f"{own} {stopwords.AFTER_ANY}".split())
    for closed, own in ((False, stopwords.AFTER_VOWEL), (True, stopwords.AFTER_CONSONANT))
}
_KOREAN = frozenset(stopwords.KOREAN.split())
_KOREAN_PRONOUNS = frozenset(stopwords.KOREAN_PRONOUNS.split())
_ENDINGS = frozenset(it for word in stopwords.ENDINGS.split() for it in _all_pairs(word))

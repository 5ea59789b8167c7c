"""Which sentences a prompt says already: none is to stand in it twice.

Two sentences are the same where they have the same words in the same order, whatever their forms
and signs; a little word more (an article, an interjection, "her") makes no other sentence of one,
"not" and "from" do.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ..infra.lru_cache import memoize
from ..text.normal_form import normalised
from ..text.search_terms import terms
from ..text.sentences import remove_sentences, sentences

Words = tuple[str, ...]

_LEAST_WEIGHT = 4  # two words: "Oh, really?" may be said again
_CACHE_WORDS = 50_000
_CACHE_CHARS = 4_000_000
_HEAD = 80  # letters in which a line says when and who
_COLON = re.compile('[:：]\\s*["“]?')  # noqa: RUF001
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:['’][^\W{_UNSPACED}]+)?|[?？]")  # noqa: RUF001
# Articles, interjections and the like; then what may stand in one of two and not in the other.
_LITTLE_WORDS = (
    "a an the so and but well oh ah hey hi ok okay yes yeah just really also too "
    "der die das ein eine und aber so ach ja na auch doch le la les un une et mais bon "
    "el los las una y pero pues ну и а да же вот 呀 啊 呢 吧 哦 嘛 啦 哈 ね よ"  # noqa: RUF001
)
_OPTIONAL_WORDS = (
    "my your his her its our their is are am that mein meine dein deine sein seine ihr ihre "
    "mon ma mes ton ta tes son sa ses mi mis tu tus su sus 的 了 我 は が の"
)
_LITTLE, _OPTIONAL = frozenset(_LITTLE_WORDS.split()), frozenset(_OPTIONAL_WORDS.split())


@dataclass(frozen=True, slots=True)
class QuotedSentences:
    """Sentences, by what they say."""

    known: Mapping[Words, frozenset[Words]] = field(default_factory=dict)

    def with_texts(self, texts: Iterable[str]) -> "QuotedSentences":
        """These sentences too; of a line that tells when or who says it, also what it says."""
        known = dict(self.known)
        for text in texts:
            for core, words in _sentence_words(text):
                known[core] = known.get(core, frozenset()) | {words}
        return QuotedSentences(known)

    def repeated_sentences(self, text: str) -> frozenset[str]:
        """Which of its sentences were said; what says next to nothing counts as new each time."""
        if not self.known:
            return frozenset()
        return frozenset(it for it, words in _sentences(text) if words and self._is_known(*words))

    def _is_known(self, core: Words, words: Words) -> bool:
        said = self.known.get(core, ())
        return any(_is_subsequence(words, it) or _is_subsequence(it, words) for it in said)

    def without_repeated(self, text: str) -> str:
        """The text without what was said; empty where the rest says nothing of its own."""
        said = self.repeated_sentences(text)
        if not said:
            return text
        rest = remove_sentences(text, said)
        known = {word for it in said for word in terms(it)}
        return rest if set(terms(rest)) - known else ""


NO_QUOTES = QuotedSentences()


@memoize(chars=_CACHE_CHARS)
def _sentence_words(text: str) -> tuple[tuple[Words, Words], ...]:
    """Of each sentence the words that make it what it is, and all its words."""
    found = (_words(part) for sentence in sentences(text) for part in _parts(sentence))
    return tuple(it for it in found if it is not None)


@memoize(chars=_CACHE_CHARS)
def _sentences(text: str) -> tuple[tuple[str, tuple[Words, Words] | None], ...]:
    return tuple((it, _words(it)) for it in sentences(text))


def _parts(sentence: str) -> list[str]:
    starts = [it.end() for it in _COLON.finditer(sentence, 0, _HEAD)]
    return [sentence, *(sentence[it:] for it in starts)]


def _words(sentence: str) -> tuple[Words, Words] | None:
    """None where there are too few to tell it by."""
    plain = sentence.lower()
    if not plain.isascii():
        plain = normalised("NFKC", sentence).casefold().replace("’", "'")  # noqa: RUF001
    said = _WORD.findall(plain)
    if sum(map(_weight, set(said))) < _LEAST_WEIGHT:
        return None
    words = tuple(filter(None, map(_root, said)))
    return tuple(it for it in words if it not in _OPTIONAL), words


@lru_cache(maxsize=_CACHE_WORDS)
def _root(word: str) -> str:
    """The word in one form; nothing for one that makes no difference."""
    if word in _LITTLE or word in _OPTIONAL:
        return "" if word in _LITTLE else word
    return "".join(terms(word)) or word


@lru_cache(maxsize=_CACHE_WORDS)
def _weight(word: str) -> int:
    """How much of a sentence it makes: a sign of a script without blanks is half a word."""
    return min(2, len(word)) if word not in _LITTLE and terms(word) else 0


def _is_subsequence(fewer: Words, more: Words) -> bool:
    """Whether these words stand among those in this order."""
    left = iter(more)
    return all(word in left for word in fewer)

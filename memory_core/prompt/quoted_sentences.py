"""Tracks the sentences that a prompt already contains, so that none appears twice.

Two sentences are equal if they have the same words in the same order. Inflection and punctuation do
not count, nor do function words such as articles, interjections or "her". "Not" and "from" do.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..domain.unicode import normalised
from ..infra.lru_cache import memoize
from ..text.search_terms import terms
from ..text.sentences import remove_sentences, sentences

Words = tuple[str, ...]

_MIN_WEIGHT = 4  # two words: "Oh, really?" may be repeated
_CACHE_WORDS = 50_000
_CACHE_CHARS = 4_000_000
_MAX_PREFIX_CHARS = 80  # letters at the start of a line that may give date and speaker
_PREFIX_END = re.compile(r'\A[-*•\s]*\([^()]*\)\s*|[:：]\s*["“]?')  # noqa: RUF001
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:['’][^\W{_UNSPACED}]+)?|[?？]")  # noqa: RUF001
# Words that never count, then words that only one of two equal sentences may have.
_FUNCTION_WORD_LIST = (
    "a an the so and but well oh ah hey hi ok okay yes yeah just really also too "
    "der die das ein eine und aber so ach ja na auch doch le la les un une et mais bon "
    "el los las una y pero pues ну и а да же вот 呀 啊 呢 吧 哦 嘛 啦 哈 ね よ"  # noqa: RUF001
)
_OPTIONAL_WORD_LIST = (
    "my your his her its our their is are am that mein meine dein deine sein seine ihr ihre "
    "mon ma mes ton ta tes son sa ses mi mis tu tus su sus 的 了 我 は が の"
)
_FUNCTION_WORDS, _OPTIONAL_WORDS = (
    frozenset(_FUNCTION_WORD_LIST.split()),
    frozenset(_OPTIONAL_WORD_LIST.split()),
)


@dataclass(frozen=True, slots=True)
class QuotedSentences:
    """A set of sentences that compares by meaningful words. Immutable, with a cache.

    `known` has the variants of each sentence by its core words; `short` has those of sentences too
    short to be recognised alone.
    """

    known: Mapping[Words, frozenset[Words]] = field(default_factory=dict)
    short: frozenset[Words] = frozenset()
    _repeated: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def with_texts(self, texts: Iterable[str]) -> "QuotedSentences":
        """Returns a copy with these texts added.

        A line such as `- (date) Name: sentence` or `- (date) sentence` counts both as a whole and
        without its prefix.
        """
        known, short = dict(self.known), set(self.short)
        for text in texts:
            for _, parts in _sentences(text):
                for core, words in parts:
                    if core is None:
                        short.add(words)
                    else:
                        known[core] = known.get(core, frozenset()) | {words}
        return QuotedSentences(known, frozenset(short))

    def repeated_sentences(self, text: str) -> frozenset[str]:
        """Returns the sentences of a text that are known.

        Very short ones count as new, unless another sentence of the text is known, too.
        """
        if not self.known:
            return frozenset()
        if text not in self._repeated:  # a memory is rendered several times until it fits
            found = {
                sentence for sentence, (words, *_) in _sentences(text) if self._is_known(*words)
            }
            if found:
                found |= {
                    sentence
                    for sentence, ((core, words), *_) in _sentences(text)
                    if core is None and words in self.short
                }
            self._repeated[text] = frozenset(found)
        return self._repeated[text]

    def _is_known(self, core: Words | None, words: Words) -> bool:
        if core is None:
            return False
        variants = self.known.get(core, ())
        return any(
            _is_subsequence(words, other) or _is_subsequence(other, words) for other in variants
        )

    def without_repeated(self, text: str) -> str:
        """Returns the text without known sentences, or "" if the rest adds no new term."""
        repeated = self.repeated_sentences(text)
        if not repeated:
            return text
        rest = remove_sentences(text, repeated)
        known = {word for sentence in repeated for word in terms(sentence)}
        return rest if any(not known.issuperset(terms(one)) for one in sentences(rest)) else ""


NO_QUOTES = QuotedSentences()


@memoize(chars=_CACHE_CHARS)
def _sentences(text: str) -> tuple[tuple[str, Sequence[tuple[Words | None, Words]]], ...]:
    """Returns each sentence with the words of the whole, then of each part behind a prefix."""
    return tuple((sentence, [*map(_words, _parts(sentence))]) for sentence in sentences(text))


def _parts(sentence: str) -> list[str]:
    ends = [found.end() for found in _PREFIX_END.finditer(sentence, 0, _MAX_PREFIX_CHARS)]
    return [sentence, *(sentence[end:] for end in ends)]


def _words(sentence: str) -> tuple[Words | None, Words]:
    """Returns core words and all words; no core of a sentence too short to be recognised."""
    plain_text = sentence.lower()
    if not plain_text.isascii():
        plain_text = normalised("NFKC", sentence).casefold().replace("’", "'")  # noqa: RUF001
    found = _WORD.findall(plain_text)
    words = tuple(root for word in found if (root := _root_and_weight(word)[0]))
    if sum(_root_and_weight(word)[1] for word in set(found)) < _MIN_WEIGHT:
        return None, words
    return tuple(word for word in words if word not in _OPTIONAL_WORDS), words


@lru_cache(maxsize=_CACHE_WORDS)
def _root_and_weight(word: str) -> tuple[str, int]:
    """Returns the stem and 2 for a word, or 1 for a character of a script without blanks.

    A function word has neither; a stop word has no weight.
    """
    if word in _FUNCTION_WORDS:
        return "", 0
    found = terms(word)
    root = word if word in _OPTIONAL_WORDS else "".join(found) or word
    return root, min(2, len(word)) if found else 0


def _is_subsequence(fewer: Words, more: Words) -> bool:
    """Returns whether `more` contains these words in this order."""
    remaining = iter(more)
    return all(word in remaining for word in fewer)

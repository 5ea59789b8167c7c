"""Made-up talk, the same for the same seed: common words are common and rare ones rare, as in life.

The words are invented and follow Zipf's law, so that searching them costs what searching real
talk costs; the small words between them are English.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from memory_core.records import Exchange

WORDS = 6000
_ZIPF, _FLAT_HEAD = 1.07, 2.7  # Mandelbrot's form of the law, with values usual for English
_HALF_SENTENCE = 8
_USER_SHARE = 3  # a third of an exchange is the user's

_ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl pr r s sh sl st t th tr v w z".split()
_NUCLEI = "a e i o u ai ea oo ou".split()
_CODAS = ["", "", "", *"n r l s t m ck nd rn st".split()]

_SENTENCES = """
I took the {} to the {} and it was {} all day.
My {} says that the {} needs a new {} before winter.
We could not find any {} in the {}, so we bought {} instead.
Did I tell you about the {} that {} gave me?
Yesterday the {} broke, and the {} had to {} it.
It is hard to {} when the {} is so {}.
The {} was {}, but I still liked the {}.
She wants to {} the {} with a {} from {}.
I have been thinking about the {} and why it {} so often.
That sounds {}! What did the {} say about your {}?
If you {} the {} first, then the {} will not {}.
They moved the {} from {} to {} because of the {}.
You might try a {} {} with some {} on it.
Nobody at the {} knew how the {} {} works.
He told me that {} and {} are the same {}.
There was a {} near the {} where we used to {}.
""".strip().splitlines()
_QUESTION = "Do you still remember what I told you about the {} and the {}, back with the {}?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An exchange, and the rarest of its words: by these a person would ask for it again."""

    exchange: Exchange
    rarest: tuple[str, ...]


class Corpus:
    """Writes talk by the token: `count` says how many a text has."""

    def __init__(self, seed: int, count: Callable[[str], int]) -> None:
        self.random = random.Random(seed)
        self._count = count
        self._words = _invented(random.Random(0))
        self._weights = list(accumulate((n + _FLAT_HEAD) ** -_ZIPF for n in range(WORDS)))
        self._rank = {word: rank for rank, word in enumerate(self._words)}

    def sentence(self) -> str:
        frame = self.random.choice(_SENTENCES)
        words = self.random.choices(self._words, cum_weights=self._weights, k=frame.count("{}"))
        text = frame.format(*words)
        return text[0].upper() + text[1:]

    def passage(self, tokens: int) -> str:
        """Whole sentences, about this many tokens long together."""
        said: list[str] = []
        left = tokens
        while left > _HALF_SENTENCE:
            said.append(self.sentence())
            left -= self._count(said[-1])
        return " ".join(said)

    def told(self, tokens: int, ts: float) -> Told:
        user = self.passage(tokens // _USER_SHARE)
        return self.answered(user, tokens, ts)

    def answered(self, user: str, tokens: int, ts: float) -> Told:
        """An exchange of about this many tokens that begins with these words of the user."""
        assistant = self.passage(tokens - self._count(user))
        exchange = Exchange(
            user=user, assistant=assistant, user_name="Ana", assistant_name="Mira", ts=ts
        )
        return Told(exchange=exchange, rarest=self._rarest(f"{user} {assistant}"))

    def question(self, told: Told, tokens: int) -> str:
        """Some talk that ends by asking for what was told."""
        asked = _QUESTION.format(*told.rarest)
        return f"{self.passage(tokens - self._count(asked))} {asked}".strip()

    def _rarest(self, text: str) -> tuple[str, ...]:
        words = {word.strip(".,!?") for word in text.split()} & self._rank.keys()
        return tuple(sorted(words, key=self._rank.__getitem__)[-_QUESTION.count("{}") :])


def _invented(source: random.Random) -> list[str]:
    """Distinct words, the most common first; those are the shorter ones."""
    found: dict[str, None] = {}
    while len(found) < WORDS:
        syllables = 1 + (len(found) > 150) + (len(found) > 3000)
        found.setdefault("".join(_syllables(source, syllables)))
    return list(found)


def _syllables(source: random.Random, number: int) -> Iterator[str]:
    for _ in range(number):
        yield source.choice(_ONSETS) + source.choice(_NUCLEI) + source.choice(_CODAS)

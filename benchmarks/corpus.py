"""Generated talk, equal for equal seeds, with a realistic frequency of words.

The words are invented and follow Zipf's law, so that searching them costs what searching real
talk costs; the small words between them are English.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from memory_core.domain.records import Exchange
from memory_core.text.sentences import sentences

WORDS = 6000
_ZIPF, _STOP_WORDS = 1.07, 30  # English's exponent; the list's head, as if cut off below
_HALF_SENTENCE = 8
_USER_SHARE = 3  # a third of an exchange is the user's

_ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl pr r s sh sl st t th tr v w z".split()  # noqa: SIM905
_NUCLEI = "a e i o u ai ea oo ou".split()  # noqa: SIM905
_CODAS = ["", "", "", *"n r l s t m ck nd rn st".split()]  # noqa: SIM905

# These words are never searched for; only the invented ones between them are.
_SENTENCES = """
I have {} the {} to my {} and it was very {}.
You should {} some {} with the {}, or it will be too {} for {}.
He couldn't {} those {} from the {}, so they are {} in the {}.
We would have {} into the {} if our {} hadn't {}.
Why don't you {} it by the {}, where the {} is?
That was {}! What did your {} {} about the {}?
All of her {} had been {} off the {} when she {} me.
I am {} on a {} too, and I can't {} how {} it is.
They {} us about that {} for a {} at the {}.
Some {} is in this {}, but any {} might {} it out.
Her {} and his {} will be the {} of such a {}.
It just {}, then it {}, and there you are: {}!
""".strip().splitlines()
_RECALLING = "I remember that you told me about the {}, back in {}."
_OFTEN_RECALLED = 0.01  # else the words of the question would be rarer than what it asks for
_QUESTION = "Do you still remember what I told you about the {} and the {}, back with the {}?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An exchange, and its rarest words, which a person would use to ask for it."""

    exchange: Exchange
    rarest: tuple[str, ...]

    def question(self) -> str:
        """Returns a message that asks for the exchange, in its own words."""
        return f"{next(sentences(self.exchange.user))} {_QUESTION.format(*self.rarest)}"


class Corpus:
    """Writes talk of a given length in tokens; `count` counts those of a text."""

    def __init__(self, seed: int, count: Callable[[str], int]) -> None:
        self.random = random.Random(seed)
        self._count = count
        self._words = _invented(random.Random(0))
        self._weights = list(accumulate((n + _STOP_WORDS) ** -_ZIPF for n in range(WORDS)))
        self._rank = {word: rank for rank, word in enumerate(self._words)}

    def sentence(self) -> str:
        recalls = self.random.random() < _OFTEN_RECALLED
        frame = _RECALLING if recalls else self.random.choice(_SENTENCES)
        words = self.random.choices(self._words, cum_weights=self._weights, k=frame.count("{}"))
        text = frame.format(*words)
        return text[0].upper() + text[1:]

    def passage(self, tokens: int) -> str:
        """Returns whole sentences of about this many tokens together."""
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
        """Returns an exchange of about this many tokens that begins with these user's words."""
        assistant = self.passage(tokens - self._count(user))
        exchange = Exchange(
            user=user, assistant=assistant, user_name="Ana", assistant_name="Mira", ts=ts
        )
        return Told(exchange=exchange, rarest=self._rarest(f"{user} {assistant}"))

    def _rarest(self, text: str) -> tuple[str, ...]:
        words = {word.strip(".,!?") for word in text.split()} & self._rank.keys()
        return tuple(sorted(words, key=self._rank.__getitem__)[-_QUESTION.count("{}") :])


def _invented(source: random.Random) -> list[str]:
    """Returns distinct words, the most common first, which are the shorter ones."""
    found: dict[str, None] = {}
    while len(found) < WORDS:
        syllables = 1 + (len(found) > 150) + (len(found) > 3000)
        found.setdefault("".join(_syllables(source, syllables)))
    return list(found)


def _syllables(source: random.Random, number: int) -> Iterator[str]:
    for _ in range(number):
        yield source.choice(_ONSETS) + source.choice(_NUCLEI) + source.choice(_CODAS)

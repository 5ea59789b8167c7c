"""Finds the statements in which people say something about themselves."""

import re
from collections.abc import Iterator

from .questions import asks
from .sentences import sentences

_SHORTEST, _LONGEST = 8, 240  # characters of a statement
_SHORTEST_UNSPACED = 4
_READ_CHARS = 4_000
# Words that mean the speaker. Languages that leave the pronoun out have common verbs too.
_SPACED = (
    "i my me mine myself i'm i've i'd i'll we our we're "
    "ich mein meine meinen meinem meiner mich mir wir unser unsere "
    "je j'ai mon ma mes moi nous notre nos "
    "yo mi mis soy tengo vivo trabajo estoy nosotros nuestra nuestro "
    "eu meu minha meus minhas tenho moro trabalho sou "
    "io mio mia miei mie sono ho abito lavoro "
    "ik mijn mij wij ons onze "
    "ja mój moja moje mam jestem mieszkam "
    "я мой моя мое моё мои меня мне мы наш наша"
)
_WORDS = frozenset(_SPACED.split())
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")  # noqa: RUF001
_UNSPACED = re.compile("我|咱|私|僕|俺|저는|제가|나는|내가")
_IS_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def own_statements(text: str) -> Iterator[str]:
    """Yields the sentences in the first person that are no questions, in their order."""
    for sentence in sentences(text[:_READ_CHARS]):
        if _fits(sentence) and _is_about_speaker(sentence) and not asks(sentence):
            yield sentence


def _fits(sentence: str) -> bool:
    shortest = _SHORTEST_UNSPACED if _IS_UNSPACED.search(sentence) else _SHORTEST
    return shortest <= len(sentence) <= _LONGEST


def _is_about_speaker(sentence: str) -> bool:
    if _UNSPACED.search(sentence):
        return True
    found = _WORD.findall(sentence.casefold().replace("’", "'"))  # noqa: RUF001
    return not _WORDS.isdisjoint(found)

"""Tells whether a statement names somebody whom a memory mentions: "Jo passed!".

A name is a capitalised word within a sentence that is rare in everyday chat; in Chinese, a
nickname (阿强, 小雅, 老周). German capitalises all nouns, so a German word must be rarer still.
"""

import re
from collections.abc import Iterator, Sequence

from ..text.language import languages_of
from ..text.lexicon import word_weights
from ..text.search_terms import terms

_MIN_RARITY = 0.88  # weight of a name among common words
_MIN_RARITY_OF_NOUNS = 1.0  # not among the common words at all
_WORD = re.compile(r"[^\W\d_]{3,}")
_SHORT_NAME = re.compile(r"\b[A-ZÀ-ÞА-Я][a-zß-ÿа-я]\b")
_NAME = re.compile(r"(?<=[^\W_] )[^\W\d_]{2,}")
_ASCII_NAME = re.compile("(?<=[A-Za-z0-9] )[A-Z][A-Za-z]+")  # the same in a fraction of the time
_NICKNAME = re.compile("[阿小老][\u4e00-\u9fff]")
# Everyday words that are built like a nickname.
_NO_NICKNAMES = frozenset(
    (
        *("小时", "小心", "小孩", "小说", "小区", "小吃", "小学", "小事", "小声", "小组"),
        *("小费", "小子", "小睡", "小酌", "小姐", "小伙", "小鬼", "小狗", "小猫", "小雨"),
        *("小店", "小的", "小点", "小车", "小路", "小腿", "小气", "小偷", "小型", "小众"),
        *("老师", "老板", "老公", "老婆", "老家", "老是", "老人", "老实", "老妈", "老爸"),
        *("老爷", "老头", "老太", "老子", "老大", "老了", "老外", "老虎", "老鼠", "老样"),
        *("老毛", "老地", "老规", "老年", "老友", "老天", "老乡", "老街", "老房", "老同"),
        *("老朋", "老伴", "小腹", "小号", "小便", "小题", "阿姨", "阿拉", "阿根", "阿里"),
        *("阿门", "老夫", "老铁", "老哥", "老弟", "老姐", "老妹"),
    )
)


def names_somebody(message: str, own_names: Sequence[str], memories: Sequence[str]) -> bool:
    """Returns whether the message has a name that one of these texts has.

    `own_names` are those of the two who chat; these do not count.
    """
    languages = languages_of(message)
    rarity = _MIN_RARITY_OF_NOUNS if "de" in languages else _MIN_RARITY
    own = {term for name in own_names for term in terms(name)}
    said = {term for word in _said(message) for term in terms(word)} - own
    known = {term for text in memories for name in _names(text) for term in terms(name)}
    weights = word_weights(said & known, message)
    if any(weight >= rarity for weight in weights.values()):
        return True
    nicknames = frozenset(_NICKNAME.findall(message)) - _NO_NICKNAMES - own
    return any(name in text for name in nicknames for text in memories)


def _said(message: str) -> Iterator[str]:
    yield from _WORD.findall(message.casefold())
    yield from _SHORT_NAME.findall(message)


def _names(text: str) -> Iterator[str]:
    for name in (_ASCII_NAME if text.isascii() else _NAME).findall(text):
        if name[0].isupper() and (len(name) > 2 or _SHORT_NAME.fullmatch(name)):
            yield name

"""Tells whether a message names somebody whom a memory mentions: "Jo passed!".

A name is a word that is rare in everyday chat, and capitalised within a sentence or introduced as a
name ("my boss is called gary", "my cousin arthur", "arthur is my cousin", "two kids, leo and ida");
in Chinese, a nickname (阿强, 小雅, 老周) or a full name that a memory introduces. German
capitalises all nouns, so a word must be rarer still there.
"""

# ruff: noqa: RUF001  (Cyrillic letters)

import re
from collections.abc import Iterator, Sequence

from ..text.language import languages_of
from ..text.lexicon import word_weights
from ..text.search_terms import terms
from .chinese_names import introduced_names

MIN_RARITY = 0.88  # weight of a name among common words
_MIN_RARITY_OF_NOUNS = 1.0  # not among the common words at all
_WORD = re.compile(r"[^\W\d_]{3,}")
_SHORT_NAME = re.compile(r"\b[A-ZÀ-ÞА-Я][a-zß-ÿа-я]\b")
_NAME = re.compile(r"(?<=[^\W_] )[^\W\d_]{2,}")
_ASCII_NAME = re.compile("(?<=[A-Za-z0-9] )[A-Z][A-Za-z]+")  # the same in a fraction of the time
# Those who are introduced by name, as people type it.
_RELATIONS = (
    r"(?:(?:best|older|younger|big|little|half) )?(?:sister|brother|cousin|uncle|aunt(?:ie)?"
    r"|friend|mate|bestie|neighbou?r|boss|manager|colleague|co-?worker|(?:room|flat|house)mate|gf"
    r"|bf|(?:girl|boy)friend|husband|wife|partner|fianc[eé]e?|ex|(?:grand)?(?:son|daughter|kid)"
    r"|niece|nephew|twin|dog|puppy|cat|kitten|horse|hamster|therapist|teacher|landlord)s?"
    r"|(?:grand)?children|puppies"
    r"|schwestern?|br[uü]der|cousine?|onkel|tante|freundin|freunde?|nachbarin|nachbar|chefin|chef"
    r"|kollegin|kollege|mann|frau|(?:enkel)?(?:s[oö]hne?|kind(?:er)?|t[oö]chter)|hunde?|katzen?"
    r"|kater"
    r"|(?:herman[oa]|prim[oa]|t[ií][oa]|amig[oa]|vecin[oa]|jef[ea]|novi[oa]|espos[oa]|hij[oa]"
    r"|niet[oa]|perr[oa]|gat[oa])s?|marido"
    r"|(?:s(?:œ|oe)ur|frère|amie|ami|pote|voisine?|copine|copain|femme|(?:petite-)?fille"
    r"|enfant|chienne?|chat)s?|(?:petit-)?fils|mari"
    r"|сестр[ауы]|брата?|дядя|т[её]тя|подруг[ауи]|друга?|сосед(?:ка|ку)?|начальник|муж|жена|сына?"
    r"|доч(?:ь|ка|ку)|собак[ау]|кот|кошк[ау]"
)
_OWN = (
    r"(?:my|our|mein(?:e[rmn]?)?|unser[em]?|mi|nuestr[oa]|mon|ma|notre|мо(?:й|я|ю|его|ей)|наш[ау]?)"
)
_SOME = (  # before a list: "two kids, mateo (9) and vega (6)"
    r"(?:an?|two|three|[2-9]|ein(?:e[nm]?)?|zwei|drei|un[ae]?|dos|deux|tr(?:es|ois)|mis|mes|meine)"
)
_CALLED = (
    r"(?:(?:call(?:ed)?|named?)(?: (?:her|him|it|them))?|name(?: is|['’]?s)|namens"
    r"|hei(?:ß|ss)t(?: jetzt)?"
    r"|se llama|(?:l[aoe]s? )?llam(?:o|é|amos)|s'appelle|appel(?:le|lons|ée?s?)"
    r"|зовут|назва(?:ла?|ли)(?: (?:его|е[её]|их))?)"
)
_NAME_TO_FIND = r"([^\W\d_]{3,})"
_AND = r"(?: de)?(?: ?\(?\d+\)?)?(?:,| (?:and|&|und|y|et)) "
_INTRODUCED = re.compile(
    rf"\b(?:(?:{_CALLED}|{_OWN} (?:{_RELATIONS})),? |{_SOME} (?:{_RELATIONS})(?:,|:| \() ?)"
    rf"{_NAME_TO_FIND}(?:{_AND}{_NAME_TO_FIND})?"
    rf"|\b{_NAME_TO_FIND},? (?:is|ist|es|est|это) {_OWN} (?:{_RELATIONS})\b",
    re.IGNORECASE,
)
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
    rarity = _MIN_RARITY_OF_NOUNS if "de" in languages else MIN_RARITY
    own = {term for name in own_names for term in terms(name)}
    said = {term for word in _said(message) for term in terms(word)} - own
    rare = {term for term, weight in word_weights(said, message).items() if weight >= rarity}
    if any(_has_name(text, rare, message) for text in memories):
        return True
    nicknames = frozenset(_NICKNAME.findall(message)) - _NO_NICKNAMES - own
    if any(name in text for name in nicknames for text in memories):
        return True
    full_names = {name for text in memories for name in introduced_names(text)}
    return any(name in message for name in full_names.difference(own_names))


def _has_name(text: str, rare: set[str], message: str) -> bool:
    """Returns whether one of these rare terms of the message is a name in the text."""
    if not (shared := rare.intersection(terms(text))):
        return False
    if not shared.isdisjoint(term for name in _names(text) for term in terms(name)):
        return True
    weights = word_weights(shared, message)
    unknown = {term for term in shared if weights[term] >= _MIN_RARITY_OF_NOUNS}
    return not unknown.isdisjoint(term for name in _introduced(text) for term in terms(name))


def _said(message: str) -> Iterator[str]:
    yield from _WORD.findall(message.casefold())
    yield from _SHORT_NAME.findall(message)


def _names(text: str) -> Iterator[str]:
    for name in (_ASCII_NAME if text.isascii() else _NAME).findall(text):
        if name[0].isupper() and (len(name) > 2 or _SHORT_NAME.fullmatch(name)):
            yield name


def _introduced(text: str) -> Iterator[str]:
    return (name for found in _INTRODUCED.finditer(text) for name in found.groups() if name)

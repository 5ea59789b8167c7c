"""The patterns of a statement about oneself with "remember that" after it, in seven languages.

"I'm allergic to peanuts, please remember that." Only first-person statements count: "this is our
song, remember that" is talk.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese punctuation)

import re

from . import chinese, further_languages
from .english import CLAUSE, PLEASE, REMEMBER
from .further_languages import (
    JAPANESE_FACT,
    JAPANESE_KEEP,
    JAPANESE_NOT_OF_YOU,
    JAPANESE_WANTED,
    RUSSIAN_PLEASE,
)

_STATEMENT = r"[^.!?;\n。！？]{2,160}?"
_BREAK = r"\s{0,3}[,.;:!–—-]\s{0,3}"
_END = r"[\s.!~)]{0,9}\Z"
_ENGLISH = rf"""(?P<statement>(?:{CLAUSE}){_STATEMENT}){_BREAK}
    (?:(?:so|and|{PLEASE}|always|just|you\s+should|you\s+have\s+to)\s+){{0,3}}
    (?:{REMEMBER}|(?:do\s?n['’]?t|never)\s+(?:ever\s+)?forget|keep\s+in\s+mind|make\s+(?:a\s+)?note\s+of)
    \s+(?:that|this|it)(?:[\s,]{{1,3}}(?:{PLEASE}|ok(?:ay)?|for\s+(?:me|later|next\s+time))){{0,2}}"""
_GERMAN = rf"""(?P<statement>(?:ich|mein\w{{0,2}}|wir|unser\w{{0,2}})\s+{_STATEMENT})
    (?:{_BREAK}|\s{{1,3}}(?=merke?\s))
    (?:(?:und|also|bitte)\s+){{0,2}}(?:merke?\s+dir\s+(?:das|es)|vergiss\s+(?:das|es)\s+(?:nicht|nie)
      |(?<=bitte\s)(?:das\s+)?merken)
    (?:\s+(?:bitte|gut|mal|ja))?"""
_SPANISH = rf"""(?P<statement>(?:yo|soy|tengo|vivo|trabajo|estoy|mis?(?=\s+[^\s,]+\s+[^\s,])
    |no\s+(?:soy|tengo|como|bebo)|me)\s+{_STATEMENT}){_BREAK}(?:(?:y|por\s+favor)\s*,?\s+){{0,2}}(?:recu[eé]rdalo|record[aá]lo
      |acu[eé]rdate|acord[aá]te|no\s+(?:te\s+)?(?:lo\s+)?olvid[eé]s)
    (?:[\s,]{{1,3}}(?:por\s+favor|porfa(?:vor)?))?"""
_FRENCH = rf"""(?P<statement>
    (?:je\s|j['’]|j(?:suis|ai|habite|bosse|aime|mange|bois)\s|nous\s|m(?:on|a|es)\s(?=[^\s,]+\s+[^\s,]))
    {_STATEMENT}){_BREAK}(?:et\s+)?
    (?:souviens[-\s]t['’]en|rappelle[-\s]t['’]en|retiens[-\s]le|(?:ne\s+|n['’])?(?:l['’])?oublie\s+pas|note[-\s]le)
    (?:\s+(?:bien|stp))?"""
_RUSSIAN = rf"""(?P<statement>(?![^.!?\n]*\b(?:сказал|говорил|просил|велел|теб[яе]\b))
    (?:я|мо(?:[йяёеи]|его|ю|ей|им|их)|мы|у\s+меня|меня|мне|наш\w?|\w+\s+зовут
      |(?:код|пароль|пин|логин|номер|адрес)(?=[^.!?\n]*\d))\s+{_STATEMENT})
    (?:{_BREAK}|\s{{1,3}}(?=(?:запомни|не\s+забудь)(?:те)?\b))
    (?:(?:и|{RUSSIAN_PLEASE})\s+)?(?:запомни|учти|запиши|не\s+забудь|не\s+забывай)(?:те)?
    (?:\s+(?:это|себе))?(?:\s*,?\s*{RUSSIAN_PLEASE})?"""
_JAPANESE = rf"""(?P<statement>{JAPANESE_NOT_OF_YOU}(?=[^。！!？?\n]{{0,80}}{JAPANESE_FACT})
    [^。！!？?\n「『]{{3,120}}?)
    (?:[。！!、,\s]{{1,4}}|(?:んだ)?(?:から|けど|ので)[、,\s]{{0,3}})(?:これ|それ)?(?:ちゃんと|絶対に?|必ず)?
    (?:{JAPANESE_KEEP}|忘れないで){JAPANESE_WANTED}[\s。！!？?~～ー笑w]{{0,9}}\Z"""
_CHINESE = r"""(?P<statement>(?:我|咱)[^。！!？?\n]{2,80}?)[，,。；;\s]\s{0,3}
    (?:你|您)?(?:也|可|都)?(?:请|請|要|得|一定要?|务必|務必|千万|千萬|帮我|幫我|给我|給我){0,3}
    (?:[记記](?:住|好|牢|下来?|下來|一下)|(?:别|別|不要)忘(?:[记記]|了)?)
    (?:了|哦|啊|吧|呀|喔|噢|哈|啦|这个|這個|这一?点|這一?點|这件?事|這件?事){0,3}[\s。！!~～]{0,9}\Z"""
_WITH_END = (_CHINESE, _JAPANESE)
_MAX_CHARS = 300
PATTERNS = tuple(
    re.compile(
        rf"(?=[\s\S]{{0,{_MAX_CHARS}}}\Z)\s*{pattern}{'' if pattern in _WITH_END else _END}",
        re.IGNORECASE | re.VERBOSE,
    )
    for pattern in (_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN, _JAPANESE, _CHINESE)
)


def is_request(_: re.Match[str], statement: str) -> bool:
    """Returns whether the statement before the request is one."""
    return further_languages.is_statement(statement) or chinese.is_statement(statement)

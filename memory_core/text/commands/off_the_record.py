"""Recognises "don't remember this: …" in plain words, in a message that says something else, too.

The same words may tell what somebody has forgotten ("don't remember that, sorry"), or mean a thing
("don't save this file"). So a request counts by its place in the message and by the words beside
it. off_the_record_words.py lists the requests with what they need, off_the_record_context.py the
words beside them that decide. This file splits a message and compares its parts with these needs:

    "i got fired, pls don't save this lol"     "don't save this file, it's broken"
     before      please  request   tail         request        behind: of a thing

"This stays between us" asks for no such thing: a secret is told to be known.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from .off_the_record_context import (
    ANY_PERSON,
    DIRECT_REPORT,
    EXPLAINS,
    FAMILY,
    FORGOTTEN,
    INTIMATE,
    REPORT,
    REPORT_BEHIND,
    THING,
    compiled,
)
from .off_the_record_words import EMOJI, LANGUAGES, SPACED, UNSPACED, Kind

_LONGEST = 500  # letters; a longer text is searched at its edges, and for clear requests only
_EDGE = 200
_MOST_REQUESTS = 12  # of one kind; a text with more repeats itself
_NEARBY = 80  # letters beside the request that may name a thing

_VERBS = re.compile("|".join(one.pattern(one.verbs) for one in LANGUAGES))
_DENIALS = re.compile("|".join(one.pattern(one.denials) for one in LANGUAGES))
_BREAK = rf"[,，;；.。!！?？…、—–\n()（）\[\]*~:：{EMOJI}-]"
_BLANKS = rf"[\s{EMOJI}]{{0,9}}"
_BUT = "but|aber|pero|mais|но"
_AND = f"and|so|und|y|et|и|{_BUT}"
# No name: who or what says these words, and words that deny or join.
_NO_NAME = r"""(?:i|you|u|we|they|he|she|it|y['’]?all|people|guys|most|some|many|why|that|who|what
    |which|just|still|really|also|always|usually|often|never|kids|friends|parents|men|women|girls|boys|to|by|or|if|when|how|save
    |ich|du|er|sie|es|wir|ihr|man|warum|wieso|dass?|kannst|yo|tú|él|ella|que|qué|si|para|mejor
    |je|tu|il|elle|on|nous|vous|ils|elles|qui|ne|j|я|ты|он|она|мы|вы|они|что|почему|как|если)"""
_NAME = rf"""(?:(?!(?:{_NO_NAME}|and|y|et|и|und)\b)(?![\u3040-\ud7a3])[^\W\d_]{{2,20}}[,!]?\s
    |(?![^别別不這这]{{0,4}}[说說叫让讓求问問我你他她师師])[\u4e00-\u9fff]{{2,4}}[,，]?
    |[a-z]{{2,20}}[,，]?\Z|[ァ-ヶー]{{2,8}}(?:ちゃん|さん)?、?)"""
_GREETING = r"""(?:ok(?:ay)?|hey|hi|hello|so|and|but|also|oh|btw|by\sthe\sway|well|now|um|uh|yo|psst
    |listen|lol|omg|wait|hallo|ach|und|aber|übrigens|oye|hola|bueno|y|pero|et|mais|au\sfait|ну|и|а|кстати
    |对了|對了|那个|那個|ねえ|あの)\b[\s,，、!:.…]{0,4}"""
_PLEASE = "|".join(one.pattern(one.please) for one in SPACED)
_STATEMENTS = "|".join(one.pattern(one.statement) for one in LANGUAGES)
# Before a request, up to its first word.
_LEAD_IN = compiled(rf"[(（\[]?{_BLANKS}(?:{_GREETING}){{0,2}}(?:{_NAME})?")
_PLEASE_BEFORE = compiled(rf"(?<!\w)(?:{_PLEASE}),?\s\Z")
_JUST_BEFORE = compiled(r"(?<!\w)(?:just|bloß|nur|только|тока|ток),?\s\Z")
_BREAK_BEFORE = compiled(
    rf"(?:{_BREAK}{_BLANKS}(?:{_GREETING}){{0,2}}(?:{_NAME})?|\s(?:{_AND})\s|けど|から)\Z"
)
_AND_BEFORE = compiled(rf"\s(?:{_AND})\s\Z")
_PARTICLE_BEFORE = compiled(r"(?:[了啊呢呀哦吧的たるだよねの]|[어다요지네야해\u3040-\u9fff]\s)\Z")
_OPENED_BEFORE = compiled(r"[(（\[]\s?\Z")
_SUBJECT_BEFORE = compiled(rf"\b(?:{_NO_NAME}|sich|mir|kann|konnte|werde|wollte)\s*\Z")
# Behind a request, from its last word.
_TAIL = compiled(rf"""(?:,?\s?(?:(?P<please>{_PLEASE})|(?:ok(?:ay)?|k|eh|ja|anywhere|ever|lol|lmao
    |haha\w*|xd|thx|thanks|tho|though|danke|gracias|vale|merci|ок(?:ей)?|хорошо|спасибо)\b)){{0,2}}""")
_BREAK_BEHIND = compiled(
    rf"{_BLANKS}(?:\Z|{_BREAK})|,?\s(?:{_BUT})\s|(?<=けど)|(?<=から)|(?<=[\u4e00-\u9fff])\s"
)
_BUT_BEHIND = compiled(rf",?\s(?:{_BUT})\s")
_COLON_BEHIND = compiled(r"\s?[:：](?![()DPdp/3])|\s?[.!。！]?\s?[)）\]]")
_STATEMENT_BEHIND = compiled(rf"""\s?(?!im\sged|as[íi]\s)(?:(?:que|q|because|cuz|weil)\s)?
    (?:{_STATEMENTS}|{FAMILY})|(?:(?<=さい)|(?<=[ねよ]))(?!って|と[言い思])(?=\w)""")
_END = compiled(r"[^\w\"“”„«»」』]*_?\Z")
_NAME_AT_END = compiled(r",\s[^\W\d_]{2,20}[^\w\"”]*\Z")
# A name, which a "this" would not belong to.
_WORD = r"""\s(?!(?:files?|folder|photos?|pics?|pictures?|images?|videos?|numbers?
    |songs?|games?|seats?|places?|movies?|docs?|documents?|drafts?|pages?|code|e-?mails?|contacts?
    |recipes?|time|money|stuff|anymore|yet|later|in|on|off|out|up)\b)[^\W\d_]{2,20}"""
_WORD_AT_END = compiled(rf"""{_WORD}[^\w\"”]*\Z""")
_NAME_BEHIND_THIS = compiled(rf"(?<=\bthis){_WORD},\s")
_KANA = re.compile("[\u3041-\u30ff]")
# Chinese and Japanese often leave out of whom a statement is: 考试挂了,别记.
_UNSPACED_BEFORE = re.compile(rf"[\u3040-\u9fff]{_BLANKS}{_BREAK}{{0,3}}\s?\Z")
# The statement may be the object: 别把我挂科的事记下来.
_OBJECT = compiled(
    r"""(?:能不能|可不可以|可以|请|請|你)?(?:不要|别|別)把(?P<said>[我他她][^，。！？\s]{1,20}?)
        (?:[记記](?:住|[录錄]|下[来來]?)|存下[来來]|保存)[吗嗎了哦啊呀哈吧]?[\W_]*\Z"""
)
# A command that does not begin its message, "hey, /off I quit", still means what it says.
_SLASH_INSIDE = re.compile(
    r"(?<!\bon)\s[/／](?:off(?=\s+\w|\W*\Z)|不记录|不記錄)[\s:：,，]*", re.IGNORECASE
)
_CODE = "```"


def _requests_of(kind: Kind) -> re.Pattern[str]:
    spaced = "|".join(one.pattern(one.requests[kind]) for one in SPACED if kind in one.requests)
    unspaced = "|".join(one.pattern(one.requests[kind]) for one in UNSPACED if kind in one.requests)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)" + (f"|{unspaced}" if unspaced else ""))


_REQUESTS = {kind: _requests_of(kind) for kind in Kind}


def text_beside_request(text: str) -> str | None:
    """Returns what a message says beside such a request, which may be nothing.

    Returns None for a message without one.
    """
    is_long = len(text) > _LONGEST
    match = None if is_long else _SLASH_INSIDE.search(text)
    if match and _CODE not in text:
        return f"{text[: match.start()]} {text[match.end() :]}".strip()
    if not may_ask(text):
        return None
    for request in _find_requests(text):
        if request.is_alone:
            return ""
        if request.is_clear or (not is_long and request.is_beside_statement):
            return request.text_beside
    match = _OBJECT.search(text, max(0, len(text) - _EDGE))
    return match["said"] if match else None


def may_ask(text: str) -> bool:
    """Returns whether a message has words of such a request, which few have."""
    lower = (text if len(text) <= _LONGEST else f"{text[:_EDGE]}\n{text[-_EDGE:]}").lower()
    return bool(_DENIALS.search(lower) and _VERBS.search(lower))


def _find_requests(text: str) -> Iterator["_Request"]:
    lower = text.replace("İ", "I").lower()  # as long as the text
    ends = ((0, _EDGE), (len(text) - _EDGE, len(text)))
    for kind, pattern in _REQUESTS.items():
        for end in ends if len(text) > _LONGEST else ((0, len(text)),):
            for match in islice(pattern.finditer(lower, *end), _MOST_REQUESTS):
                yield _Request.of(kind, text, *match.span())


@dataclass(frozen=True, slots=True)
class _Request:
    """A request between `start` and `end`, which include its "please" and other fillers."""

    kind: Kind
    text: str
    start: int
    end: int
    is_polite: bool

    @classmethod
    def of(cls, kind: Kind, text: str, start: int, end: int) -> "_Request":
        is_polite, first = False, max(0, start - _EDGE)
        if just := _JUST_BEFORE.search(text, first, start):
            start = just.start()
        if please := _PLEASE_BEFORE.search(text, first, start):
            is_polite, start = True, please.start()
        if tail := _TAIL.match(text, end):
            is_polite, end = is_polite or tail["please"] is not None, tail.end()
        return cls(kind, text, start, end, is_polite)

    @property
    def text_beside(self) -> str:
        return f"{self.text[: self.start].strip()} {self.text[self.end :].strip()}".strip()

    @property
    def is_alone(self) -> bool:
        """Whether the message says nothing else that must not be stored."""
        if not self._is_first or not _END.match(self._behind) or INTIMATE.search(self._before):
            return False
        return self.kind.may_be_alone or (self.kind is Kind.THAT and self.is_polite)

    @property
    def is_clear(self) -> bool:
        """Whether it counts beside any statement."""
        if self._is_talk or DIRECT_REPORT.search(self._before):
            return False
        if not self._is_apart:
            return self._asks and self._is_last and not self._is_about_a_thing
        if len(self.text) > _LONGEST and not (self._is_first or self._is_last):
            return False
        is_marked = _COLON_BEHIND.match(self._behind) or _OPENED_BEFORE.search(self._before)
        needs_more = self.kind in (Kind.LOOSE, Kind.ALONE)
        return self.kind is Kind.SURE or self._asks or bool(is_marked and not needs_more)

    @property
    def is_beside_statement(self) -> bool:
        """Whether it counts for what the rest of the message tells."""
        if self._is_talk or self.kind is Kind.ALONE:
            return False
        return self._is_beside_intimate or self._is_beside_personal

    @property
    def _before(self) -> str:
        return self.text[max(0, self.start - _LONGEST) : self.start]

    @property
    def _behind(self) -> str:
        return self.text[self.end : self.end + _LONGEST]

    @property
    def _is_first(self) -> bool:
        return _LEAD_IN.fullmatch(self._before) is not None

    @property
    def _is_last(self) -> bool:
        return any(end.match(self._behind) for end in (_END, _NAME_AT_END))

    @property
    def _is_apart(self) -> bool:
        """Whether marks separate it from the rest of the message."""
        before = self._is_first or _BREAK_BEFORE.search(self._before)
        if self.kind in (Kind.SURE, Kind.THIS):
            before = before or _PARTICLE_BEFORE.search(self._before)
        # The mark may be missing: "no guardes esto porfa Le mentí".
        is_before_capital = self.is_polite and self._behind[1:2].isupper()
        return bool(before and (is_before_capital or _BREAK_BEHIND.match(self.text, self.end)))

    @property
    def _asks(self) -> bool:
        return self.is_polite and self.kind in (Kind.SURE, Kind.THIS, Kind.POLITE)

    @property
    def _is_talk(self) -> bool:
        """Whether somebody else says it, or it says what is forgotten."""
        before = any(one.search(self._before) for one in (FORGOTTEN, _SUBJECT_BEFORE))
        return before or REPORT_BEHIND.match(self._behind) is not None

    @property
    def _is_about_a_thing(self) -> bool:
        before, behind = self._before.rstrip(" ,，、…"), self._behind
        is_report = REPORT.search(before) is not None
        return is_report or any(map(THING.search, (before[-_NEARBY:], behind[:_NEARBY])))

    @property
    def _is_before_statement(self) -> bool:
        may_be = self.kind in (Kind.SURE, Kind.THIS, Kind.THAT)
        return may_be and _STATEMENT_BEHIND.match(self.text, self.end) is not None

    @property
    def _is_beside_intimate(self) -> bool:
        is_intimate = any(map(INTIMATE.search, (self._before, self._behind)))
        if not is_intimate or DIRECT_REPORT.search(self._before):
            return False
        if self._is_apart or self._is_last or _WORD_AT_END.match(self._behind):
            return True
        if _NAME_BEHIND_THIS.match(self.text, self.end):
            return True
        if self._is_first and (self._asks or _KANA.match(self.text, self.end - 1)):
            return True
        is_led_in = self._is_first or _AND_BEFORE.search(self._before) is not None
        return is_led_in and self._is_before_statement

    @property
    def _is_beside_personal(self) -> bool:
        """Whether it stands beside a statement of somebody, and of no thing."""
        if self._is_about_a_thing or EXPLAINS.match(self._behind):
            return False
        is_of_somebody = any(map(ANY_PERSON.search, (self._before, self._behind)))
        if self.kind in (Kind.SURE, Kind.THIS):
            runs_on = self._is_first and self._is_before_statement
            return runs_on or (is_of_somebody and (self._is_apart or self._is_last))
        if self.kind is not Kind.THAT:
            return False
        if self._is_apart and self._is_last:
            return is_of_somebody or _UNSPACED_BEFORE.search(self._before) is not None
        return is_of_somebody and self._is_first and bool(_BUT_BEHIND.match(self._behind))

"""Recognises corrections, and puts right what they correct: "my locker is 14", "sorry, 41".

A message counts only if it says nothing else: another number or another weekday, or the right word
beside the wrong one ("Hanna, not Anna").
"""

# ruff: noqa: RUF001  (Cyrillic, Chinese punctuation)

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from . import stopwords

MAX_CORRECTION_CHARS = 60  # of a message that says nothing else
_MAX_EARLIER_CHARS = 500
# Words that take back, and words that may stand beside the number.
_TAKING_BACK = {
    "en": "sorry sry soz wait no nope oops whoops ops actually mean meant correction typo mistake "
    "rather not nvm argh ugh pardon",
    "de": "sorry moment warte halt nein nee ne ups hoppla quatsch falsch meinte meine vertippt "
    "entschuldigung tschuldigung verzeihung doch nicht korrektur",
    "es": "perdón perdon perdona no digo espera ups oops quise equivoqué disculpa siento "
    "corrección",
    "fr": "pardon non enfin attends oups désolé désolée erreur plutôt voulais pas trompé trompée",
    "ru": "ой извини извините сорри сори нет не стоп погоди подожди точнее вернее упс опечатка "
    "ошибся ошиблась прости пардон тьфу",
    "pt": "desculpa desculpe não nao ops espera aliás alias minto digo errei",
    "it": "scusa no anzi volevo ops aspetta cioè cioe ho sbagliato",
    "pl": "sorry przepraszam nie znaczy czekaj ups pomyłka czyli",
    "ko": "아니 아니다 아니야 미안 미안해 죄송 죄송해요 잠깐 앗 아차",
}
_BESIDE = {
    "en": "i it its it's it’s is the a make that at on to and hang hold on um uh er my bad should "
    "be was pm am o'clock o’clock oh ah lol lmao haha hahaha fuck damn shit omg",
    "de": "ich ist es sind um uhr am der die das den und ach sondern eigentlich äh mein fehler",
    "es": "es son era a la las el lo y me decir mejor dicho quería",
    "fr": "c'est c’est je dire à le la les en fait suis me et h",
    "ru": "а в это то есть я имела имел виду на блин",
    "pt": "é as às a o são quis dizer e",
    "it": "è alle le il la sono dire e",
    "pl": "to o jest na",
    "ko": "아 이야 야 예요 이에요 입니다 시",
}
_SMALL_WORDS = {
    word for words in (_TAKING_BACK, _BESIDE) for one in words.values() for word in one.split()
}
_TAKES_BACK = {word for words in _TAKING_BACK.values() for word in words.split()}
_UNSPACED_TAKING_BACK = re.compile(
    "抱歉|对不起|對不起|不好意思|不对|不對|不是|错了?|錯了?|打错|打錯|说错|說錯|应该是|應該是|才对|才對|等等|更正"
    "|哦不|^不(?![对對])|啊不(?![对對])|ごめん(?:なさい|ね)?|すみません|すまん|違う|違った|ちがう|じゃなく(?:て|った)|ではなく|間違え(?:た|ました)?"
    "|待って|いや|やっぱり?|訂正|^あ(?=[、,\\s\\d一-龠])"
)
_UNSPACED_BESIDE = re.compile(
    "[哦啊是的了呢吧嗯改成说說打]|です|でした|だった|だよ|だ|や|よ|ね|の|で|に|は|あ"
)
_NUMERALS = "〇零一二三四五六七八九十两"
_NUMBER = re.compile(rf"[a-z]*\d[\d:.,a-z]*|[{_NUMERALS}]+(?=[点點号號时時日月楼樓层層室番])")
_WORD_OF_LETTERS = re.compile(r"[^\W\d_][\w'’]*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SHORT_NUMBER = 2  # digits; "9pm" may become "10pm"
_LONG_NUMBER = 3  # digits; nobody types nearly the same ones by chance
_MARK = "*"  # as people mark corrections: "3370*"
_NUMBER_WITH_HYPHENS = re.compile(rf"[a-z]*\d[\d:.,a-z-]*|{_NUMBER.pattern}", re.IGNORECASE)
_COUNTED = re.compile(r"\A(\d+)(?:st|nd|rd|th|[月日号號点點])\Z")
_DAY_OF_MONTH = re.compile(rf"(?P<number>[\d{_NUMERALS}])(?P<unit>[日号號])")
_UNITS = ("月", "日号號", "点點时時")
_ARTICLES = r"(?:(?:on|at|the|um|am|der|den|el|a|las?|le|à|в|во|на|w)\s){0,2}\Z"
_DENIES_NEXT = re.compile(rf"(?:\b(?:not|nicht|pas|не|não|nie)\s{_ARTICLES}|不是\Z)", re.IGNORECASE)
_NO_MORE = re.compile(rf"\bno\s{_ARTICLES}", re.IGNORECASE)  # "el 15, no el 14"
_BUT_NEXT = re.compile(rf",\s{_ARTICLES}", re.IGNORECASE)  # "no el 14, el 15"
_AFFIXES = re.compile(r"\A([^\W\d]*)\d.*?([^\W\d]*)\Z", re.DOTALL)  # the letters of BA118 and 9pm
_BARE_NUMBER = re.compile(r"\d[\d:.,]*")
_NUMBER_END = ".,:-"
_SIDE = r"\w[\w'’-]*(?:\s\w[\w'’-]*){0,2}"
_NOT = r"(?:not|nicht|no|pas|не|não|non|nie)"
# "Tom no come carne" is no contrast without a comma: other languages deny any verb by this word.
_AND_NOT = rf"(?:[,;]?\s(?:not|nicht)|[,;]\s(?:(?:and|und|y|et|а|и|e|i)\s)?{_NOT})"
_BUT = r"(?:but|sondern|sino|mais|а|mas|ma|tylko|ale)"
_CONTRASTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<right>{_SIDE}){_AND_NOT}\s(?P<wrong>{_SIDE})",
        rf"{_NOT}\s(?P<wrong>{_SIDE})(?:,?\s{_BUT}\s|,\s)(?P<right>{_SIDE})",
        r"(?:[^，,]{0,4}[，,])?是?(?P<right>[^\s，,是]{1,8})[，,]?不是(?P<wrong>[^\s，,是]{1,8})",
        r"(?:[^，,]{0,4}[，,])?不是(?P<wrong>[^\s，,是]{1,8})[，,]?(?:而是|是)(?P<right>[^\s，,是]{1,8})",
    )
)
# The name behind "called", in the statement and in the message.
_CALLED = re.compile(
    r"\b(?:called|named|name\sis|name['’]?s|hei(?:ß|ss)(?:t|e)|se\sllama|me\sllamo|s['’]appelle|зовут)"
    r"\s(?P<name>[^\W\d_][\w'’-]*)|叫(?:做)?(?P<unspaced>[\u4e00-\u9fff]{1,4})(?=$|[\s，,。.！!]|才对|才對)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w[\w'’-]*")
_PAUSE = re.compile("[,，]")
_PRONOUNS = "she he it they is are was sie er es ist heißt ella él la lo elle il её его 她他它"
_LEAD_IN = frozenset(
    f"{_PRONOUNS} her his their my our name ihr sein mein ihre seine meine su mi nombre".split()
)
_EDGES = " \t\n.!。！~～…:)("  # not "*", which marks corrections
_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonntag sonnabend lunes martes miércoles miercoles jueves viernes sábado "
    "sabado domingo lundi mardi mercredi jeudi vendredi samedi dimanche понедельник вторник среда "
    "среду четверг пятница пятницу суббота субботу воскресенье"
)
_WEEKDAY = re.compile(
    rf"(?<![\w'’-])(?P<day>{'|'.join(_WEEKDAYS.split())})(?![\w'’-])"
    "|(?P<unspaced>(?:星期|周|週|礼拜|禮拜)[一二三四五六日天])",
    re.IGNORECASE,
)
_OTHER_FUNCTION_WORDS = (
    "please pls plz thanks thank thx ok okay yes yeah never ever though honestly really maybe "
    "perhaps yet today tomorrow now later said told ask call tell text love likes good ja "
    "danke heute jetzt vielleicht tú tu él ella "
    "gracias hoy ahora tal vez je il elle on nous vous merci maintenant peut-être я ты он она мы "
    "вы они спасибо сегодня сейчас eu você ele ela obrigado obrigada io lui lei grazie ona"
)
# Words that name nothing, so that none of them takes the place of another: "not tea, thanks".
_FUNCTION_WORDS = _SMALL_WORDS.union(
    stopwords.ENGLISH.split(),
    stopwords.CONTRACTIONS.split(),
    stopwords.GERMAN.split(),
    _OTHER_FUNCTION_WORDS.split(),
)
_UNSPACED_FUNCTION_WORD = re.compile("[我你您他她它谁誰这這那]|[今明昨]天|现在|現在|谢|謝")
# The word that is denied, and the value in "不是41".
_DENIED = re.compile(
    r"\b(?:not|nicht|pas|не|não|nie)\s(?:(?:on|at|the|um|am|le|à|в|во|на|w)\s){0,2}(?P<word>\S+)"
    r"|(?<!是)不是(?P<unspaced>[^\s，,。.的是]+)"
)
# A subject that means the speaker, other than in "I mean" and "I meant".
_SPEAKER = re.compile(
    r"\bi\s(?!meant?\b|said|wrote|typed)|\bi['’]?m\s|\bich\s(?!mein|sagt|schrieb)|\byo\s"
    r"|\bje\s(?!voulais|me\s)|\bj['’]|\bя\s(?!имел|ошиб|хотел|перепут)|\beu\s(?!quis|errei)"
    r"|\bio\s(?!volevo)|我[是在有要]"
)
_CLOCK = re.compile(
    rf"\d\s?(?:[ap]\.?m\b|uhr\b|o['’]?clock\b|h\b)|\d:\d\d|[\d{_NUMERALS}][点點時时]"
    r"|\b(?:at(?:\sthe)?|um|à|a\slas|son\slas|в|às|alle)\s\d"
)
# "No, martes no" and "dienstag nicht" only deny.
_DENIED_BEHIND = re.compile(
    rf"(?:\d|\b(?:{'|'.join(_WEEKDAYS.split())}))\s(?:no|não|nao|non|nicht|tampoco)\Z"
)
_ASKS = re.compile(r"(?:\A|[\s,])(?:is|was|are)\s(?:it|she|he|that|this|they)\b")
_HAS_BECOME = re.compile(r"(?<!改成)(?<!改到)(?:\d+[号號日]?|[一二三四五六日天])了")


def corrected_statement(statement: str, message: str) -> str:
    """Returns the statement as the message corrects it, or "" if it corrects nothing.

    The correction follows in brackets if it may mean several numbers of the statement.
    """
    message = _with_days_as_in(statement, message.strip(_EDGES))
    if not message or len(message) > MAX_CORRECTION_CHARS or "?" in message or "？" in message:
        return ""
    if _tells_something_else(message.lower(), statement.lower()):
        return ""
    if corrects(message, statement):
        return _with_number(statement, message) or f"{statement} ({message})"
    return _with_word(statement, message) or _with_value(statement, message)


def _with_days_as_in(statement: str, message: str) -> str:
    """Returns the message with days of the month as the statement writes them: 14日 or 14号."""
    found = _DAY_OF_MONTH.search(statement)
    return _DAY_OF_MONTH.sub(rf"\g<number>{found['unit']}", message) if found else message


def _tells_something_else(message: str, statement: str) -> bool:
    """Returns whether the message denies another value, or is of the speaker, of a time, or asks.

    "Not 41", "sorry, I am at 41", "wait, it's 5 am" and "no, is it 41" tell nothing of a locker.
    """
    denied = (found["word"] or found["unspaced"] for found in _DENIED.finditer(message))
    return (
        any(_stem(word.strip(".,;:!")) not in statement for word in denied)
        or bool(_SPEAKER.search(message) and not _SPEAKER.search(statement))
        or bool(_CLOCK.search(message) and not _CLOCK.search(statement))
        or bool(_DENIED_BEHIND.search(message))
        or bool(_ASKS.search(message) or _HAS_BECOME.search(message))
    )


def _stem(word: str) -> str:
    """Returns an ordinal's or a Chinese date's bare number; any other word as it is."""
    return _COUNTED.sub(r"\1", word)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number at its place in a text, and the unit behind it, of Chinese dates and times."""

    start: int
    text: str
    unit: str

    @property
    def key(self) -> str:
        return _stem(self.text.lower())


def _with_number(statement: str, message: str) -> str:
    """Returns the statement with the new number, or "" if it is not clear which one is wrong."""
    known, said = _placed_numbers(statement), _placed_numbers(message)
    written = {number.key for number in known}
    new = [number for number in said if number.key not in written]
    if len(new) != 1:
        return ""
    wrong = _wrong_number(known, new[0], [one for one in said if one.key in written], message)
    if wrong is None:
        return ""
    right = _with_affixes(new[0].text, wrong.text)
    return statement[: wrong.start] + right + statement[wrong.start + len(wrong.text) :]


def _wrong_number(
    known: Sequence[_Number], new: _Number, repeated: Sequence[_Number], message: str
) -> _Number | None:
    """Returns the number that the new one replaces, or None if it may be several.

    A repeated number is the wrong one if the message takes it back: "14, sorry, 41", "41 not 14".
    Otherwise it is said to be right: "sorry, 12 May at 8".
    """
    taken_back = {one.key for one in repeated if _is_taken_back(one, new, message)}
    right = {one.key for one in repeated} - taken_back
    left = [one for one in known if one.key not in right]
    unit = [one for one in left if new.unit and one.unit == new.unit]
    choices: Iterable[Sequence[_Number]] = (
        [one for one in left if one.key in taken_back],
        unit,
        [one for one in left if _is_alike(new.key, one.key, is_taken_back=False)],
        [one for one in left if _is_alike(new.key, one.key, is_taken_back=True)],
    )
    wrong = next((found for found in choices if found), ())
    return wrong[0] if len(wrong) == 1 else None


def _is_taken_back(repeated: _Number, new: _Number, message: str) -> bool:
    """Returns whether the message denies this number, or takes it back before the new one."""
    before = message[: repeated.start]
    if new.start < repeated.start:
        return bool(_DENIES_NEXT.search(before) or _NO_MORE.search(before))
    between = message[repeated.start + len(repeated.text) : new.start]
    is_denied = _DENIES_NEXT.search(before) or (
        _NO_MORE.search(before) and _BUT_NEXT.fullmatch(between)
    )
    return bool(is_denied or (between.strip() and _takes_back(between.strip().lower())))


def _placed_numbers(text: str) -> list[_Number]:
    found = ((one, one[0].rstrip(_NUMBER_END)) for one in _NUMBER_WITH_HYPHENS.finditer(text))
    return [
        _Number(one.start(), number, _unit(text[one.start() + len(number) :]))
        for one, number in found
    ]


def _unit(rest: str) -> str:
    """Returns the counters that mean the same as the one at this place, or ""."""
    return next((units for units in _UNITS if rest[:1] and rest[0] in units), "")


def _with_affixes(new: str, known: str) -> str:
    """Returns the new number with the letters of the known one, if it has none of its own."""
    affixes = _AFFIXES.match(known)
    return f"{affixes[1]}{new}{affixes[2]}" if affixes and _BARE_NUMBER.fullmatch(new) else new


def _with_word(statement: str, message: str) -> str:
    for said in _without_lead_in(message, statement):
        for pattern in _CONTRASTS:
            if contrast := pattern.fullmatch(said):
                found = _places(statement, contrast["wrong"])
                if len(found) == 1 and _is_contrast(
                    contrast, statement, before=message[: -len(said)]
                ):
                    return _replaced(statement, found[0], contrast["right"])
    return ""


def _is_contrast(contrast: re.Match[str], statement: str, *, before: str) -> bool:
    """Returns whether the right words may stand in the place of the wrong ones.

    They have as many words, or one more if they begin the message and a comma follows: "new york,
    not boston". Names, and what the message takes something back `before`, may have more.
    """
    right, wrong = contrast["right"], contrast["wrong"]
    has_pause = bool(_PAUSE.search(contrast[0]))
    if _CJK.search(right):
        is_function_word = bool(_UNSPACED_FUNCTION_WORD.search(right))
        return not is_function_word and (has_pause or not set(right).isdisjoint(wrong))
    known, words = set(statement.lower().split()), right.split()
    new = [word for word in words if word.lower() not in known]
    if not _FUNCTION_WORDS.isdisjoint(word.lower() for word in (*new, words[-1])):
        return False
    is_taken_back = bool(before) and _takes_back(before.lower())
    most = len(wrong.split()) + (has_pause and not before)
    is_name = all(word[0].isupper() for word in new)
    return bool(new) and (len(new) <= most or is_name or is_taken_back)


def _without_lead_in(message: str, statement: str) -> Iterator[str]:
    """Yields the message, and what is left of it behind each word that leads to the right one.

    These are small words, pronouns and words of the statement: "no, he lives in Linz, not Graz".
    """
    yield message
    lead_in = _SMALL_WORDS.union(_LEAD_IN, _WORD.findall(statement.lower()))
    for word in _WORD.finditer(message):
        if word[0].lower() not in lead_in:
            return
        if rest := message[word.end() :].lstrip(" ,;.!…-"):
            yield rest


def _places(statement: str, words: str) -> list[tuple[int, int]]:
    """Returns the spans of these words, or else those before an s: Tim in "tims birthday"."""
    edge = r"\b" if words.isascii() else ""
    for end in (edge, r"(?=s\b)"):
        found = re.finditer(rf"{edge}{re.escape(words)}{end}", statement, re.IGNORECASE)
        if places := [match.span() for match in found]:
            return places
    return []


def _replaced(statement: str, place: tuple[int, int], right: str) -> str:
    """Returns the statement with `right` at this place, without small words or words before it."""
    start, end = place
    before = _SMALL_WORDS.union(word.lower() for word in _WORD.findall(statement[:start]))
    words = right.split(" ")
    while len(words) > 1 and words[0].lower() in before:
        words.pop(0)
    return f"{statement[:start]}{' '.join(words)}{statement[end:]}"


def _with_value(statement: str, message: str) -> str:
    """Returns the statement with the name of "sorry, she is called Hanna", or with a weekday."""
    for pattern, beside in ((_CALLED, _PRONOUNS), (_WEEKDAY, "во")):
        known, said = list(pattern.finditer(statement)), list(pattern.finditer(message))
        if len(known) != 1 or len(said) != 1 or not _takes_back(message.lower()):
            continue
        (start, end), (first, last) = map(_span_of_value, (known[0], said[0]))
        rest = f"{message[: said[0].start()]} {message[last:]}"
        if _says_nothing_else(rest.lower(), f"{statement} {beside}".lower()):
            return statement[:start] + message[first:last] + statement[end:]
    return ""


def _span_of_value(found: re.Match[str]) -> tuple[int, int]:
    return found.span(found.lastgroup or 0)


def corrects(later: str, earlier: str) -> bool:
    """Returns whether `later` says nothing but another number in place of one of `earlier`."""
    later, earlier = later.strip().lower(), earlier[:_MAX_EARLIER_CHARS].lower()
    if len(later) > MAX_CORRECTION_CHARS or "?" in later or "？" in later:
        return False
    known = _numbers(earlier)
    new = [number for number in _numbers(later) if number not in known]
    if not (new and known):
        return False
    is_taken_back = _takes_back(later)
    pairs = ((one, other) for one in new for other in known)
    has_pair = any(_is_alike(*pair, is_taken_back=is_taken_back) for pair in pairs)
    return has_pair and _says_nothing_else(later, earlier)


def _numbers(text: str) -> list[str]:
    return [number.rstrip(".,:") for number in _NUMBER.findall(text)]


def names_a_number(text: str) -> bool:
    """Returns whether the text has a number, so that another one may correct it."""
    return bool(_numbers(text[:_MAX_EARLIER_CHARS].lower()))


def _takes_back(text: str) -> bool:
    """Returns whether a message in lower case has a word or a mark that takes something back."""
    words = _WORD_OF_LETTERS.findall(text)
    return (
        _MARK in (text[0], text[-1])
        or not _TAKES_BACK.isdisjoint(words)
        or bool(_UNSPACED_TAKING_BACK.search(text))
    )


def _is_alike(new: str, known: str, *, is_taken_back: bool) -> bool:
    """Returns whether one may be typed for the other: as long, or nearly the same digits."""
    first, second = _digits(new), _digits(known)
    if is_taken_back:
        is_time = ":" in new + known and min(len(first), len(second)) <= _SHORT_NUMBER
        are_short = max(len(first), len(second)) <= _SHORT_NUMBER
        return len(first) == len(second) or are_short or is_time
    if len(first) != len(second) or len(first) < _LONG_NUMBER:
        return False
    different = sum(one != other for one, other in zip(first, second, strict=True))
    return different == 1 or Counter(first) == Counter(second)


def _digits(number: str) -> str:
    return "".join(letter for letter in number if letter.isdecimal() or letter in _NUMERALS)


def _says_nothing_else(later: str, earlier: str) -> bool:
    """Returns whether a correction has but numbers, small words and words of `earlier`.

    Both are in lower case.
    """
    rest = _UNSPACED_TAKING_BACK.sub(" ", _NUMBER.sub(" ", later))
    rest = _UNSPACED_BESIDE.sub(" ", rest)
    words = {word for word in _WORD_OF_LETTERS.findall(rest) if not _CJK.search(word)}
    letters = set(_CJK.findall(rest)) - set(earlier)
    return not letters and words <= _SMALL_WORDS | set(_WORD_OF_LETTERS.findall(earlier))

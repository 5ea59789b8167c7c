"""Recognises corrections of a number, and puts the number right: "the code is 3307", "3370 sorry".

A message counts only if it says nothing but another number.
"""

# ruff: noqa: RUF001  (Cyrillic, Chinese punctuation)

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_CORRECTION_CHARS = 60  # of a message that says nothing else
_MAX_EARLIER_CHARS = 500
# Words that take back, and words that may stand beside the number.
_TAKING_BACK = {
    "en": "sorry sry soz wait no nope nah nooo oops whoops ops actually mean meant correction typo "
    "mistake rather not nvm argh ugh pardon",
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
    "es": "ay uy es son era a la las el lo y me decir mejor dicho quería",
    "fr": "c'est c’est je dire à le la les en fait suis me et h",
    "ru": "а в это то есть я имела имел виду на блин",
    "pt": "é as às a o são quis dizer e",
    "it": "è alle le il la sono dire e",
    "pl": "to o jest na",
    "ko": "아 이야 야 예요 이에요 입니다 시",
}
# Words that stand beside the number of somebody: "my son is 7", "no hes 8".
_BESIDE_A_PERSONS = {
    word
    for words in (
        "he she they he's she's he’s she’s hes shes they're they’re turns turned",
        "er sie wird él ella tiene cumple il elle a ans ему ей он она лет ele ela tem lui lei ha",
    )
    for word in words.split()
}
_BESIDE_A_PERSONS_UNSPACED = set("他她它彼女")
_PERSON = re.compile(
    r"""\b(?:sons?|daughters?|kids?|child(?:ren)?|baby|boys?|girls?|brothers?|sisters?|mom|mum|dad|mother|father|nephew|niece|cousin
      |grand\w+|uncle|aunt|friend|wife|husband|partner|boyfriend|girlfriend|cat|dog|puppy|kitten|horse|he|she
      |söhne?|sohn|töchter|tochter|kind(?:er)?|bruder|schwester|mutter|vater|mama|papa|oma|opa|neffe|nichte|mann|frau|freund(?:in)?|hund|katze
      |hij[oa]s?|herman[oa]s?|madre|padre|abuel[oa]|sobrin[oa]|prim[oa]|marido|espos[oa]|amig[oa]|perr[oa]|gat[oa]|niñ[oa]
      |fils|filles?|enfants?|frère|soeur|sœur|mère|père|neveu|nièce|mari|femme|ami|amie|chien|chat
      |сын\w?|сыну|доч\w+|брат\w?|сестр\w|мам\w|пап\w|муж\w?|жен\w|друг\w?|кот\w?|собак\w
      |filh[oa]|irmão|irmã|mãe|pai|figli[oa]|fratello|sorella)\b
    |\A(?!(?:it|this|that|there|mine)\b)[^\W\d_]+\s(?:is|was|turned|turns)\s\d
    |[岁歲歳才]|[儿兒女]子?|哥|姐|弟|妹|爸|妈|媽""",
    re.VERBOSE,
)
SMALL_WORDS = {
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
NUMERALS = "〇零一二三四五六七八九十两"
_NUMERALS_WITH_UNIT = rf"[{NUMERALS}]+(?=[点點号號时時日月楼樓层層室番])"
_NUMBER = re.compile(rf"[a-z]*\d[\d:.,a-z]*|{_NUMERALS_WITH_UNIT}")
_HAS_NUMBER = re.compile(rf"\d|{_NUMERALS_WITH_UNIT}")  # finds the same texts, ten times as fast
_WORD_OF_LETTERS = re.compile(r"[^\W\d_][\w'’]*")
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SHORT_NUMBER = 2  # digits; "9pm" may become "10pm"
_LONG_NUMBER = 3  # digits; nobody types nearly the same ones by chance
_MARK = "*"  # as people mark corrections: "3370*"
_NUMBER_WITH_HYPHENS = re.compile(rf"[a-z]*\d[\d:.,a-z-]*|{_NUMBER.pattern}", re.IGNORECASE)
_COUNTED = re.compile(r"\A(\d+)(?:st|nd|rd|th|[月日号號点點])\Z")
_DAY_OF_MONTH = re.compile(rf"(?P<number>[\d{NUMERALS}])(?P<unit>[日号號])")
_UNITS = ("月", "日号號", "点點时時")
_ARTICLES = r"(?:(?:on|at|the|um|am|der|den|el|a|las?|le|à|в|во|на|w)\s){0,2}\Z"
_DENIES_NEXT = re.compile(rf"(?:\b(?:not|nicht|pas|не|não|nie)\s{_ARTICLES}|不是\Z)", re.IGNORECASE)
_NO_MORE = re.compile(rf"\bno\s{_ARTICLES}", re.IGNORECASE)  # "el 15, no el 14"
_BUT_NEXT = re.compile(rf",\s{_ARTICLES}", re.IGNORECASE)  # "no el 14, el 15"
_AFFIXES = re.compile(r"\A([^\W\d]*)\d.*?([^\W\d]*)\Z", re.DOTALL)  # the letters of BA118 and 9pm
_BARE_NUMBER = re.compile(r"\d[\d:.,]*")
_NUMBER_END = ".,:-"


def corrects(later: str, earlier: str) -> bool:
    """Returns whether `later` says nothing but another number in place of one of `earlier`."""
    later, earlier = later.strip().lower(), earlier[:_MAX_EARLIER_CHARS].lower()
    if len(later) > MAX_CORRECTION_CHARS or "?" in later or "？" in later:
        return False
    known = _numbers(earlier)
    new = [number for number in _numbers(later) if number not in known]
    if not (new and known):
        return False
    is_taken_back = takes_back(later)
    pairs = ((one, other) for one in new for other in known)
    has_pair = any(_is_alike(*pair, is_taken_back=is_taken_back) for pair in pairs)
    return has_pair and says_nothing_else(later, earlier)


def names_a_number(text: str) -> bool:
    """Returns whether the text has a number, so that another one may correct it."""
    return bool(_HAS_NUMBER.search(text[:_MAX_EARLIER_CHARS]))


def with_number(statement: str, message: str) -> str:
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


@dataclass(frozen=True, slots=True)
class _Number:
    """A number at its place in a text, and the unit behind it, of Chinese dates and times.

    `before` is the text between the number before it and this one.
    """

    start: int
    text: str
    unit: str
    before: str

    @property
    def key(self) -> str:
        return stem(self.text.lower())

    def named_by(self, message: str) -> bool:
        """Returns whether the message repeats a word right before the number: "Leo is 5"."""
        words, said = (
            set(_WORD_OF_LETTERS.findall(text.lower())) for text in (self.before, message)
        )
        return not (words & said) <= SMALL_WORDS | _BESIDE_A_PERSONS


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
    if len(wrong) > 1:
        wrong = [one for one in wrong if one.named_by(message)]
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
    return bool(is_denied or (between.strip() and takes_back(between.strip().lower())))


def _placed_numbers(text: str) -> list[_Number]:
    found = list[_Number]()
    end = 0
    for one in _NUMBER_WITH_HYPHENS.finditer(text):
        number = one[0].rstrip(_NUMBER_END)
        before, end = text[end : one.start()], one.start() + len(number)
        found.append(_Number(one.start(), number, _unit(text[end:]), before))
    return found


def _unit(rest: str) -> str:
    """Returns the counters that mean the same as the one at this place, or ""."""
    return next((units for units in _UNITS if rest[:1] and rest[0] in units), "")


def _with_affixes(new: str, known: str) -> str:
    """Returns the new number with the letters of the known one, if it has none of its own."""
    affixes = _AFFIXES.match(known)
    return f"{affixes[1]}{new}{affixes[2]}" if affixes and _BARE_NUMBER.fullmatch(new) else new


def stem(word: str) -> str:
    """Returns an ordinal's or a Chinese date's bare number; any other word as it is."""
    return _COUNTED.sub(r"\1", word)


def with_days_as_in(statement: str, message: str) -> str:
    """Returns the message with days of the month as the statement writes them: 14日 or 14号."""
    found = _DAY_OF_MONTH.search(statement)
    return _DAY_OF_MONTH.sub(rf"\g<number>{found['unit']}", message) if found else message


def _numbers(text: str) -> list[str]:
    return [number.rstrip(".,:") for number in _NUMBER.findall(text)]


def takes_back(text: str) -> bool:
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
    return "".join(letter for letter in number if letter.isdecimal() or letter in NUMERALS)


def says_nothing_else(later: str, earlier: str) -> bool:
    """Returns whether a correction has but numbers, small words and words of `earlier`.

    Both are in lower case. "He" and "she" tell nothing else of a person's number.
    """
    is_of_a_person = _PERSON.search(earlier) is not None
    rest = _UNSPACED_TAKING_BACK.sub(" ", _NUMBER.sub(" ", later))
    rest = _UNSPACED_BESIDE.sub(" ", rest)
    words = {word for word in _WORD_OF_LETTERS.findall(rest) if not CJK.search(word)}
    letters = set(CJK.findall(rest)) - set(earlier)
    known = SMALL_WORDS | set(_WORD_OF_LETTERS.findall(earlier))
    if is_of_a_person:
        letters -= _BESIDE_A_PERSONS_UNSPACED
        known |= _BESIDE_A_PERSONS
    return not letters and words <= known

"""Recognises a message that only corrects a number of the message before: "3370 sorry"."""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese)

import re
from collections import Counter

MAX_CHARS = 60  # of a message that says nothing else
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
_NUMERAL = "〇零一二三四五六七八九十两"
NUMBER = re.compile(rf"[a-z]*\d[\d:.,a-z]*|[{_NUMERAL}]+(?=[点點号號时時日月楼樓层層室番])")
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SHORT_NUMBER = 2  # digits; "9pm" may become "10pm"
_LONG_NUMBER = 3  # digits; nobody types nearly the same ones by chance
_MARK = "*"  # as people mark corrections: "3370*"


def corrects(later: str, earlier: str) -> bool:
    """Returns whether `later` says nothing but another number in place of one of `earlier`."""
    later, earlier = later.strip().lower(), earlier[:_MAX_EARLIER_CHARS].lower()
    if len(later) > MAX_CHARS or "?" in later or "？" in later:
        return False
    known = _numbers(earlier)
    new = [number for number in _numbers(later) if number not in known]
    if not (new and known):
        return False
    is_taken_back = takes_back(later)
    pairs = ((one, other) for one in new for other in known)
    has_pair = any(is_alike(*pair, is_taken_back=is_taken_back) for pair in pairs)
    return has_pair and says_nothing_else(later, earlier)


def _numbers(text: str) -> list[str]:
    return [number.rstrip(".,:") for number in NUMBER.findall(text)]


def takes_back(text: str) -> bool:
    """Returns whether a message in lower case has a word or a mark that takes something back."""
    words = _WORD.findall(text)
    return (
        _MARK in (text[0], text[-1])
        or not _TAKES_BACK.isdisjoint(words)
        or bool(_UNSPACED_TAKING_BACK.search(text))
    )


def is_alike(new: str, known: str, *, is_taken_back: bool) -> bool:
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
    return "".join(letter for letter in number if letter.isdecimal() or letter in _NUMERAL)


def says_nothing_else(later: str, earlier: str) -> bool:
    """Returns whether a correction has but numbers, small words and words of `earlier`.

    Both are in lower case.
    """
    rest = _UNSPACED_TAKING_BACK.sub(" ", NUMBER.sub(" ", later))
    rest = _UNSPACED_BESIDE.sub(" ", rest)
    words = {word for word in _WORD.findall(rest) if not _CJK.search(word)}
    letters = set(_CJK.findall(rest)) - set(earlier)
    return not letters and words <= SMALL_WORDS | set(_WORD.findall(earlier))

"""Patterns of words and of whole questions, and the forms of a text that are compared with them.

Texts are searched for words in lower case, which takes half as long as ignoring the case. ASCII
texts are searched without the words of languages without blanks, which saves another half. Words
are grouped by their first letter, so that each place of a text is compared with few of them.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from ..domain.unicode import without_unseen_start

_MAX_CHARS = 2_000  # the rest of a text is ignored
_FIRST_LETTER = re.compile(r"[^\W\d_](?![?*+{])")
_WITHOUT_ACCENT = str.maketrans("áéíóúñàâçèêëîïôùû", "aeiounaaceeeiiouu")
_ACCENTED = re.compile(r"\[[^\]]*\]|(?P<letter>[áéíóúñàâçèêëîïôùû])")
_FILLERS = (
    "hey hi hello so ok okay well now then and but also test please pls just still really actually"
    " even again though btw exactly tho anyway honestly by_the_way right_now today good_morning"
    " wait hm hmm um uh uhh oh ah yo lol lmao haha hahaha listen seriously"
    " hallo hey also bitte mal eigentlich sag warte ach äh ähm hola oye oye bueno entonces"
    " por_favor espera a_ver jaja jajaja salut bonjour alors stp s'il_te_plaît attends euh au_fait"
    " привет слушай скажи ну а и так вот ой блин короче кстати пожалуйста подожди хаха ахах то"
    " ねえ ねぇ あの えっと ところで 呢 啊 呀 吧 嗯 那 喂 哈 嘛 请 請 你好"
)
_FILLER_WORDS = frozenset(word for word in _FILLERS.split() if "_" not in word)
_FILLER_PHRASES = tuple(one.replace("_", " ") for one in _FILLERS.split() if "_" in one)
_UNSPACED = "".join(word for word in sorted(_FILLER_WORDS) if len(word) == 1 and word >= "ぁ")
# What one says before a question in Chinese, which needs no comma behind it.
_CHINESE_LEAD_IN = re.compile(r"(?:(?:等等|等一?下|对了|對了|话说|話說|[诶欸哎])\s*)+")
# What people say who come back after weeks.
_RETURNING = (
    r"(?:i'?m|i am) back(?: again)?|(?:guess who's )?back again|long time no (?:see|talk)",
    r"(?:it'?s |it has )?been (?:a (?:while|long time|minute)|(?:so )?long|ages|weeks|months)",
    r"since we(?: last)? (?:talked|chatted|spoke)",
    r"(?:ich )?bin (?:wieder )?(?:da|zurück)|(?:es )?ist (?:schon )?(?:lange?|ne weile) her",
    r"lange? nicht (?:mehr )?(?:gesehen|gesprochen|geschrieben)",
    r"(?:cuánto|cuanto) tiempo|hace (?:mucho )?tiempo|(?:ya )?volví|he vuelto",
    r"ça fait longtemps|(?:je suis|chuis) de retour",
    r"давно не (?:виделись|общались|болтали)|я вернул(?:ся|ась)|сколько лет сколько зим",
)
_RETURNING_UNSPACED = (
    "好久不[见見]|好久没聊了?|我又?(?:回[来來]|[来來])了"  # Chinese
    "|お?久しぶり(?:です|だね)?|ただいま|戻ったよ"  # Japanese
)
_RETURNS = re.compile(rf"(?:(?:{'|'.join(_RETURNING)}) |(?:{_RETURNING_UNSPACED}) ?)+(?=\S)")
# A role player's gesture before the words: "*grins* where were we?"
_GESTURE = re.compile(r"\A\s*\*[^*\n]+\*\s*(?=\S)")
_ANYWHERE = frozenset(("still", "really", "actually", "even", "already", "exactly", "again"))
_MARKS = re.compile(r"[\s.,!?;:…¿¡。，！？、；：~～\"“”«»*()（）^_-]+")
_UNSPACED_MARKS = re.compile(r"(?<=[ぁ-鿿]) | (?=[ぁ-鿿])")
_OOC_LABEL = re.compile(
    r"\s{0,9}[(（\[{]{0,2}\s?ooc\b\s?[)）\]}]{0,2}\s{0,3}[:：,，-]?\s{0,3}", re.IGNORECASE
)
_OPENED = re.compile(r"\s{0,9}[(（\[{]{1,2}(?=[^()（）\[\]{}]+[)）\]}]{1,2}\s*\Z)")
_CLOSING = " \t\r\n)）]}"
_MOST_BRACKETS = 2
_PAIRS = (("(", ")"), ("（", "）"), ("[", "]"), ("{", "}"))
_CACHED = 4  # messages; several questions are asked about each


def one_of(words: str) -> re.Pattern[str]:
    """Returns a pattern for whole words, which are themselves patterns in lower case."""
    groups: dict[str, list[str]] = {}
    for word in _alternatives(words):
        letter = found[0] if (found := _FIRST_LETTER.match(word)) else ""
        groups.setdefault(letter, []).append(word[len(letter) :])
    grouped = "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in groups.items())
    return re.compile(rf"(?<!\w)(?:{grouped})(?!\w)", re.MULTILINE)


def _alternatives(pattern: str) -> Iterator[str]:
    """Yields the alternatives of a pattern without escaped brackets."""
    depth = start = 0
    for index, letter in enumerate(pattern):
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            yield pattern[start:index]
            start = index + 1
    yield pattern[start:]


def search_for(words: Iterable[str], unspaced: str) -> Callable[[str], bool]:
    """Returns a function that reports whether a text has one of the words.

    `unspaced` are those of languages without blanks: none of them may be in ASCII.
    """
    spaced = one_of("|".join(words))
    return search_either(spaced, re.compile(f"{spaced.pattern}|{unspaced}", re.MULTILINE))


def quick_search(pattern: str) -> Callable[[str], bool]:
    """Returns a function that searches a text for a pattern in lower case.

    A tenth of the time of a search that ignores case, for texts that mostly lack all its words.
    """
    search = re.compile(pattern).search
    return lambda text: search(text.lower()) is not None


def search_either(in_ascii: re.Pattern[str], whole: re.Pattern[str]) -> Callable[[str], bool]:
    """Returns a function that searches a text in lower case: one in ASCII for the first pattern.

    A curly apostrophe counts as a straight one: phones type it.
    """

    def has(text: str) -> bool:
        text = text[:_MAX_CHARS].lower()
        return bool(
            in_ascii.search(text) if text.isascii() else whole.search(text.replace("’", "'"))
        )

    return has


def search_for_each(words: Mapping[str, tuple[str, str]]) -> Callable[[str], frozenset[str]]:
    """Returns a function that returns the keys of those words that a text has.

    Each key has a pattern of words, and one of those of languages without blanks.
    """
    searches = {key: search_for((spaced,), unspaced) for key, (spaced, unspaced) in words.items()}

    return lambda text: frozenset([key for key, has in searches.items() if has(text)])


def joined_lines(patterns: Iterable[str]) -> str:
    """Joins the lines of patterns without their indents; `\\s` is a blank at the edge of a line.

    Letters with an accent outside brackets also match without it: many people chat without accents.
    """
    lines = (line.strip() for pattern in patterns for line in f"|{pattern.strip()}".splitlines())
    return _ACCENTED.sub(_also_without_accent, "".join(lines).removeprefix("|"))


def _also_without_accent(found: re.Match[str]) -> str:
    letter = found["letter"]
    return f"[{letter}{letter.translate(_WITHOUT_ACCENT)}]" if letter else found[0]


def _without_lead_in(plain: str, around: frozenset[str]) -> list[str]:
    """Returns the words behind greetings, names and what people say who come back."""
    words = _without_first(plain.split(" "), around)
    rest = " ".join(words)
    returns = _RETURNS.match(rest)
    return _without_first(rest[returns.end() :].split(" "), around) if returns else words


def _without_first(words: list[str], around: frozenset[str]) -> list[str]:
    first = next((index for index, word in enumerate(words) if word not in around), len(words))
    return words[first:]


@lru_cache(maxsize=_CACHED)
def plain_question(text: str, names: tuple[str, ...]) -> str:
    """Returns the text in lower case, without marks, greetings, fillers, and names around it."""
    spoken = _GESTURE.sub("", strip_marks(text), count=1)
    plain = _MARKS.sub(" ", spoken.casefold().replace("’", "'")).strip()
    if lead_in := _CHINESE_LEAD_IN.match(plain):
        plain = plain[lead_in.end() :]
    for phrase in _FILLER_PHRASES:
        if phrase in plain:
            plain = f" {plain} ".replace(f" {phrase} ", " ").strip()
    around = _FILLER_WORDS.union(*(name.casefold().split() for name in names))
    words = _without_lead_in(plain, around)
    while words and words[-1] in around:
        del words[-1]
    plain = " ".join(word for word in words if word not in _ANYWHERE)
    return plain if plain.isascii() else _UNSPACED_MARKS.sub("", plain).strip(_UNSPACED)


def is_out_of_character(text: str) -> bool:
    """Returns whether the text begins with "ooc:", as role players mark what is no role-play."""
    return bool(_OOC_LABEL.match(text))


def strip_marks(text: str) -> str:
    """Returns the text without "ooc:", brackets around all of it, and characters nobody sees.

    Role players set what they say as themselves apart by them: "((ooc: …))".
    """
    text = without_unseen_start(text)
    if label := _OOC_LABEL.match(text):
        return _without_closing(text[label.end() :])
    opened = _OPENED.match(text)
    return text[opened.end() :].rstrip(_CLOSING) if opened else text


def _without_closing(text: str) -> str:
    """Returns the text without the brackets at its end that it does not open itself."""
    stripped = text.rstrip()
    for _ in range(_MOST_BRACKETS):
        if not any(_is_unopened(stripped, *pair) for pair in _PAIRS):
            break
        stripped = stripped[:-1].rstrip()
    return stripped


def _is_unopened(text: str, start: str, end: str) -> bool:
    return text.endswith(end) and text.count(end) > text.count(start)

"""Reads JSON as models write it: in one pass, with common mistakes, even if it is cut off.

Keys that the model translated or capitalised become the English ones that the prompts ask for.
"""

import json
import re
from typing import Any

from .cleaning import without_reasoning

# Separators between two values: blanks, commas (also Chinese ones), comments.
_BETWEEN = re.compile(r"(?:[\s,，、;；]|//[^\n]*|\#(?=\s)[^\n]*|/\*.{0,200}?\*/)*", re.DOTALL)  # noqa: RUF001
_COLON = re.compile(r"\s*[:：=]")  # noqa: RUF001
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|[“”]([^“”]*)[“”]', re.DOTALL)
_WORD = re.compile(r"[^\s,，、;；:：={}()\[\]\"'“”]+")  # noqa: RUF001
_DEEPEST = 20
_PYTHON_WORDS = {"None": None, "True": True, "False": False}
_CHINESE = {
    "摘要": "summary", "总结": "summary", "關鍵詞": "keywords", "关键词": "keywords",
    "关键字": "keywords", "事实": "facts", "内容": "text", "文本": "text", "关于": "about",
    "对象": "about", "属性": "key", "键": "key", "值": "value", "状态": "status", "时间": "when",
    "日期": "when", "见解": "insights", "洞察": "insights", "来源": "from", "依据": "from",
    "重复": "repeats", "取代": "replaces", "替换": "replaces", "否认": "denies", "不确定": "unsure",
    "回答": "answer", "答案": "answer", "足够": "enough", "日记": "page",
}  # fmt: skip
_ENGLISH = {*_CHINESE.values(), "used", "keep_ids", "top_ids", "reasons"}
_ALL = {**{name: name for name in _ENGLISH}, **_CHINESE}
_KEY = re.compile(
    rf"([\"'“])({'|'.join(sorted(_ALL, key=len, reverse=True))})([\"'”]\s*[:：])",  # noqa: RUF001
    re.IGNORECASE,
)
_FIRST_QUOTE = re.compile(r"\{\s*([\"'“])")


class _Broken(Exception):
    """The rest of the text cannot be read."""


def read_value(text: str, position: int) -> object:
    """Returns the value that begins at `position`, or None.

    Accepts single, curly and missing quotes, missing and trailing commas, comments and line breaks
    in texts. An object that breaks off keeps its complete entries; such a list is dropped.
    """
    try:
        return _Reader(text, position).value(_DEEPEST)
    except _Broken:
        return None


class _Reader:
    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self._position = position

    def value(self, depth: int) -> object:
        self._skip(_BETWEEN)
        if not depth:
            raise _Broken
        if self._accept("{"):
            return self._object(depth - 1)
        if self._accept("["):
            return self._list("]", depth - 1)
        if self._accept("("):  # a tuple of Python
            return self._list(")", depth - 1)
        return self._scalar()

    def _object(self, depth: int) -> dict[str, object]:
        entries: dict[str, object] = {}
        try:
            while not self._ends("}"):
                key = str(self._scalar())
                if not self._skip(_COLON):
                    raise _Broken
                entries[key] = self.value(depth)
        except _Broken:
            self._position = len(self._text)
        return entries

    def _list(self, closing: str, depth: int) -> list[object]:
        items: list[object] = []
        while not self._ends(closing):
            items.append(self.value(depth))
        return items

    def _scalar(self) -> object:
        if match := _TEXT.match(self._text, self._position):
            self._position = match.end()
            return _unescaped(match[1] or match[2] or match[3] or "")
        if match := _WORD.match(self._text, self._position):
            self._position = match.end()
            return _number_or_word(match[0])
        raise _Broken

    def _ends(self, closing: str) -> bool:
        self._skip(_BETWEEN)
        return self._accept(closing)

    def _accept(self, char: str) -> bool:
        is_next = self._text.startswith(char, self._position)
        self._position += is_next
        return is_next

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self._text, self._position)
        self._position = match.end() if match else self._position
        return match is not None


def _unescaped(text: str) -> str:
    """Decodes JSON's escapes. If they are invalid, only removes the backslashes."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _number_or_word(word: str) -> object:
    if word in _PYTHON_WORDS:
        return _PYTHON_WORDS[word]
    try:
        return json.loads(word)
    except ValueError:
        return word


_LONGEST = 20_000
_MAX_BRACES = 40


def find_object(answer: str, *, having: str) -> dict[str, Any]:
    """Returns the last object with the key `having`. Raises ValueError if there is none.

    Accepts the same mistakes as `read_value`. If the answer is cut off after the value of
    `having`, or no object surrounds it, returns the readable part, at least that value.
    """
    text = with_english_keys(_unwrapped(without_reasoning(answer)[-_LONGEST:]))
    last = text.rfind(having)
    starts = [index for index, char in enumerate(text[: last + 1]) if char == "{"][-_MAX_BRACES:]
    for start in reversed(starts):
        value = _parse_strict(text[start:]) or read_value(text, start)
        if isinstance(value, dict) and having in value:
            return value
    return {having: _value_alone(text, having)}


def find_list(answer: str) -> list[object]:
    """Returns the list of objects that an answer consists of. Raises ValueError if it has none."""
    text = with_english_keys(without_reasoning(answer)[-_LONGEST:])
    begins = re.search(r"\[\s*\{", text)
    value = read_value(text, begins.start()) if begins else None
    if not isinstance(value, list):
        raise ValueError("the answer holds no list of objects")
    return value


def _unwrapped(text: str) -> str:
    """Returns the text in a JSON string, for an answer that was encoded twice."""
    value = _parse_strict(text.strip()) if text.lstrip().startswith('"') else None
    return value if isinstance(value, str) else text


def _parse_strict(text: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _value_alone(text: str, name: str) -> list[object]:
    keys = re.finditer(rf"\b{re.escape(name)}\b\\?[\"'”`]?\s*[:：=]", text)  # noqa: RUF001
    values = [read_value(text, key.end()) for key in list(keys)[-1:]]
    if not values or not isinstance(values[0], list):
        raise ValueError(f"the answer holds no JSON object with {name!r}")
    return values[0]


def with_english_keys(answer: str) -> str:
    """Returns the answer with the keys that the prompts ask for. Values stay as they are.

    All keys stand in quotation marks like the first one; others belong to a value.
    """
    first = _FIRST_QUOTE.search(answer)
    marks = first[1] if first else "\"'“"
    return _KEY.sub(
        lambda key: f"{key[1]}{_ALL[key[2].lower()]}{key[3]}" if key[1] in marks else key[0], answer
    )

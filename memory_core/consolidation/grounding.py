"""Removes sentences that the source does not support, and those that state nothing about the chat.

The latter are refusals, placeholders copied from the prompt, and sentences in another script.
"""

# ruff: noqa: RUF001

import re

from ..domain.errors import BadAnswer
from ..text.dates.english_words import LONG_MONTHS, LONG_WEEKDAYS
from ..text.language import languages_of
from ..text.search_terms import indivisible_terms
from ..text.sentences import sentences

NOT_SUPPORTED = (
    "it states facts, numbers or names that the chat does not contain, refuses, or is in another "
    "language"
)
_NUMBER = re.compile(r"\d+(?:[.,'\u2019]\d+)*")
_SEPARATORS = re.compile(r"[.,'\u2019]")
# A capital letter inside a sentence; any word has one at the beginning.
_CAPITALISED = r"[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}"
_NAME = re.compile(rf"(?<=[^\W_] ){_CAPITALISED}|(?<=[^\W_][,;] ){_CAPITALISED}")
_COMMON = frozenset([*LONG_WEEKDAYS, *LONG_MONTHS, "english"])
_PLACEHOLDERS = frozenset({
    "the summary", "summary", "a summary", "a short summary", "string", "text", "the text", "page",
    "the page", "none", "null", "n/a", "摘要", "总结", "文本", "日记", "无",
})  # fmt: skip
_TASK = (
    r"(?:(?:that|this)(?=\W*$)|(?:(?:that|this|your|the|an?|any|such|more|further) )?(?:\w+ )?"
    "(?:request|content|conversation|exchange|chat|summary|text|material|information|details|task"
    "|instructions?|questions?|prompt|answer|response|scenario|topic|role-?play)s?)"
)
# What a model refuses. People, too, cannot help their mother or smiling.
_WORK = (
    rf"assist\b|help(?:\W*$| you\b| with {_TASK})|summari[sz]e|fulfil|comply"
    "|(?:do|provide|process|answer|create|generate|write|extract|continue(?: with)?"
    rf"|engage (?:in|with)) {_TASK}"
)
_MODEL = "(?:language )?(?:model|assistant)"
_AI = f"(?:AI|artificial intelligence|(?:large )?language model)(?: {_MODEL})?"
_REFUSAL = re.compile(
    rf"\W*(?:As an? {_AI},? I\b"
    r"|I(?:['’]m| am) (?:just |only )?an? (?:AI (?:language )?(?:model|assistant)|language model)\b"
    rf"|(?:[^.!?]{{0,40}}\bbut )?(?:(?:Sorry|Unfortunately|I apologi[sz]e)[^.!?]{{0,20}} )?I"
    rf"(?: can(?:no|['’])t| can not|(?: a|['’])m (?:unable|not able) to| won['’]t) (?:{_WORK})"
    r"|Als (?:eine? )?(?:KI|Sprachmodell)(?:-?\w+)?,? (?:kann|bin|habe) ich"
    r"|En tant qu['’](?:IA|assistant|intelligence|un modèle)[^.!?]{0,30}\bje\b"
    r"|Como (?:una? )?(?:IA|inteligencia artificial|modelo de lenguaje)[^.!?]{0,20}\bno puedo"
    r"|Как (?:ИИ|искусственный интеллект|языковая модель)[^.!?]{0,20}\bя\b"
    "|(?:很?抱歉|对不起|對不起)?[,，]?(?:作为|作為|我是|我只是)(?:一[个個名款种種])?"
    "(?:AI|人工智能|人工智慧|(?:大型?)?语言模型|大模型)(?:助手|模型|助理)?[,，。我]"
    "|(?:很?抱歉|对不起|對不起)?[,，]?我(?:无法|無法|不能)"
    "(?:(?:协助|帮助|協助|幫助)[您你]?(?=[完总總处處，,。！!]|$)|总结|總結"
    "|(?:完成|提供|回答|处理|處理|生成|满足|滿足)(?:[您你这這该該此]|相关|相關|摘要|总结|總結))"
    "|AIとして[^。]{0,20}(?:できません|ありません))",
    re.IGNORECASE,
)
_WIDE, _CYRILLIC, _LATIN = "wide", "cyrillic", "latin"
_UNITS = {
    _WIDE: re.compile("[\u3041-\u30fa\u3400-\u9fff\uac00-\ud7a3]"),
    _CYRILLIC: re.compile("[\u0400-\u04ff]+"),
    _LATIN: re.compile(r"[A-Za-z\u00c0-\u024f]+"),
}
_RARE, _MOST = 0.2, 0.8
# A request of this length beside long code. Names and code in Latin letters stand in any language.
_SENTENCE = {_WIDE: 8, _CYRILLIC: 5}


def supported_sentences(summary: str, source: str) -> str:
    """Returns the sentences of a summary whose numbers and names occur in the source.

    Refusals, placeholders and sentences in another script are cut, too. Signs without letters and
    digits are no sentence. Names are recognised by their capital letter, so those in German are
    not checked.
    """
    folded, numbers = source.casefold(), _numbers(source)
    has_capital_nouns = "de" in languages_of(source)
    kept = [
        sentence
        for sentence in sentences(summary)
        if any(map(str.isalnum, sentence))
        and not _states_nothing(sentence)
        and not _is_in_foreign_script(sentence, source)
        and _numbers(sentence) <= numbers
        and (has_capital_nouns or all(name in folded for name in _names(sentence)))
    ]
    return " ".join(kept) if summary.isascii() or " " in summary else "".join(kept)


def supported_summary(summary: str, *, source: str, said: str) -> str:
    """Returns the supported sentences of a summary, which may be empty, in one line.

    Raises BadAnswer if none is supported, or if they share no content word with what was said.
    """
    written = " ".join(summary.split())
    supported = supported_sentences(written, source)
    if written and not (supported and _shares_words(supported, said)):
        raise BadAnswer(NOT_SUPPORTED)
    return supported


def _shares_words(summary: str, said: str) -> bool:
    return bool(indivisible_terms(summary) & indivisible_terms(said))


def _numbers(text: str) -> set[str]:
    return {_SEPARATORS.sub("", number).lstrip("0") for number in _NUMBER.findall(text)}


def _names(sentence: str) -> set[str]:
    return {name.casefold() for name in _NAME.findall(sentence)} - _COMMON


def _states_nothing(sentence: str) -> bool:
    """Returns whether a sentence is a refusal or a placeholder of the prompt."""
    plain = sentence.casefold().strip(" \t\"'.:…。")
    return plain in _PLACEHOLDERS or _REFUSAL.match(sentence) is not None


def _is_in_foreign_script(sentence: str, source: str) -> bool:
    """Returns whether a sentence is written in a script in which the source has few words."""
    written, said = _counts(sentence), _counts(source)
    main = max(written, key=written.__getitem__)
    most, rare = _MOST * sum(written.values()), _RARE * sum(said.values())
    return written[main] >= max(most, 1) and said[main] < min(rare, _SENTENCE.get(main, rare))


def _counts(text: str) -> dict[str, int]:
    """Returns the number of words in each script, or of characters where none are separated."""
    return {script: len(unit.findall(text)) for script, unit in _UNITS.items()}

"""Recognises a slash word that is nearly a command of the memory: "/undo", "/forgt last".

Commands of other programs ("/imagine a cat", "/roll d20"), paths and prose are left alone.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

_SLASH_WORD = re.compile(r"\s*[/／]([^\W\d_][^\W\d_'’-]{1,19})(?=[\s:：,，。!！]|\.?\s*\Z)")
_MAX_WORDS = 4  # after a synonym, which could begin prose
_WITH_STATEMENT = ("/remember", "/off")
_MIN_RATIO = 0.83  # of equal letters: "/forgot" is near "/forget", "/paste" not near "/pause"
_SPELT = ("forget", "remember", "memories", "pause", "resume")
_OTHER_WORDS = frozenset({
    "forge", "forged", "forgets", "member", "members", "memoirs", "remembers", "remembered",
    "remembering", "paused", "pauses", "resumed", "resumes", "resumen", "resumé", "résumé",
})  # fmt: skip
_SYNONYMS: Mapping[str, str] = {
    "/forget last": "undo rückgängig deshacer annuler отмена отменить 元に戻す 撤销 撤回",
    "/forget": "unremember vergiss vergessen olvida olvidar oublie oublier"
    " забудь забыть 忘れて 忘れる",
    "/remember": "memorize memorise merke merken recuerda recordar retiens"
    " mémorise запомни запомнить"
    " 覚えて 覚える 记下",
    "/off": "offf ooff offrecord offtherecord",
    "/memories": "notes recall memory memorys notizen erinnerungen recuerdos memorias"
    " souvenirs память"
    " воспоминания メモ 笔记",
    "/pause": "pausieren pausar пауза 一時停止",
    "/resume": "unpause fortsetzen reanudar reprendre возобновить 再開",
    "/help": "hilfe ayuda aide помощь ヘルプ",
}
_MEANT = {word: meant for meant, words in _SYNONYMS.items() for word in words.split()}
_MEMORY_SWITCHES: Mapping[str, str] = {
    **dict.fromkeys(
        ("off", "pause", "stop", "disable", "aus", "выкл", "关", "オフ"), "/pause both"
    ),
    **dict.fromkeys(("on", "resume", "start", "enable", "an", "вкл", "开", "オン"), "/resume"),
    **dict.fromkeys(("clear", "delete", "forget", "reset", "erase"), "/forget"),
}
_LISTS = "/memories"
_CHINESE = {
    "/forget last": "/忘记 上一条",
    "/forget": "/忘记",
    "/remember": "/记住",
    "/off": "/不记录",
    "/memories": "/记忆",
    "/pause": "/暂停",
    "/pause both": "/暂停 全部",
    "/resume": "/恢复",
    "/help": "/帮助",
}


def near_miss(text: str, *, is_chinese: bool) -> str:
    """Returns the command that the message's first word nearly names, or an empty text."""
    match = _SLASH_WORD.match(text)
    if match is None:
        return ""
    rest = text[match.end() :].strip(" .!！。").lower()
    meant = _synonym(match[1].lower(), rest) or _misspelt(match[1].lower())
    if meant == "/forget" and rest == "last":
        meant = "/forget last"
    return _CHINESE.get(meant, meant) if is_chinese else meant


def _synonym(word: str, rest: str) -> str:
    meant = _MEANT.get(word, "")
    if len(rest.split()) > _MAX_WORDS and meant not in _WITH_STATEMENT:
        return ""
    if meant == "/help" and rest:
        return ""
    return _MEMORY_SWITCHES.get(rest, meant) if meant == _LISTS else meant


def _misspelt(word: str) -> str:
    if word in _OTHER_WORDS or word in _SPELT:
        return ""
    return next((f"/{name}" for name in _SPELT if _is_near(word, name)), "")


def _is_near(word: str, name: str) -> bool:
    has_swapped_letters = sorted(word) == sorted(name)
    return has_swapped_letters or SequenceMatcher(None, word, name).ratio() >= _MIN_RATIO

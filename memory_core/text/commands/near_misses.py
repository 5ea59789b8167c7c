"""Recognises a slash word that is nearly a command of the memory: "/undo", "/forgt last".

Commands of other programs ("/imagine a cat", "/roll d20"), paths and prose are left alone.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

_SLASH_WORD = re.compile(r"\s*[/／]([^\W\d_][^\W\d_'’-]{1,19})(?=[\s:：,，。!！]|\.?\s*\Z)")
# A blank too many: "/ off my pin is 4711".
_BLANK = re.compile(
    r"\s*[/／]\s{1,3}(off(?! topic)|remember|forget|memories|pause|resume|help)(?=[\s:：,，.!]|\Z)",
    re.IGNORECASE,
)
# Words of other programs, unless a memory is named.
_DELETES = re.compile(
    r"\s*[/／](?:delete|erase|remove|del)\s+(?:(?:the\s|my\s|that\s|this\s|all\s|your\s)?"
    r"(?P<last>last(?:\s(?:one|message|memory))?|message|that|this|it)"
    r"|(?:the\s|my\s|that\s|this\s|all\s|your\s)?memor(?:y|ies))[\s.!]*\Z",
    re.IGNORECASE,
)
_MAX_WORDS = 4  # after a synonym, which could begin prose
_WITH_STATEMENT = ("/remember", "/off")
_MIN_RATIO = 0.83  # of equal letters: "/forgot" is near "/forget", "/paste" not near "/pause"
_SPELT = ("forget", "remember", "memories", "pause", "resume")
_OTHER_WORDS = frozenset({
    "forge", "forged", "forgets", "member", "members", "memoirs", "remembers", "remembered",
    "remembering", "paused", "pauses", "resumed", "resumes", "resumen", "resumé", "résumé",
})  # fmt: skip
_SYNONYMS: Mapping[str, str] = {
    "/forget last": "undo forgetlast forgetthat rückgängig deshacer annuler отмена отменить"
    " отмени 元に戻す 取り消し 撤销 撤回",
    "/forget": "unremember vergiss vergessen löschen lösche lösch olvida olvidar oublie oublier"
    " забудь забыть удали удалить сотри стереть 忘れて 忘れる 消して 消す 削除",
    "/remember": "memorize memorise merk merke merken recuerda recordar retiens"
    " mémorise запомни запомнить запиши"
    " 覚えて 覚える 覚えておいて 覚えといて 记下",
    "/off": "offf ooff offrecord offtherecord офф оф オフ オフレコ 記録しないで",
    "/memories": "notes recall memory memorys notizen erinnerungen recuerdos memorias"
    " souvenirs память"
    " воспоминания вспомни メモ メモリ メモリー 思い出 笔记",
    "/pause": "pausieren pausar пауза 一時停止",
    "/resume": "unpause fortsetzen reanudar reprendre возобновить продолжить 再開",
    "/help": "hilfe ayuda aide помощь ヘルプ",
}
_JAPANESE = frozenset(("一時停止", "再開", "削除"))  # without kana, and not Chinese
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
    "/off": "/不记录",
    "/forget last": "/忘记 上一条",
    "/forget": "/忘记",
    "/remember": "/记住",
    "/memories": "/记忆",
    "/pause": "/暂停",
    "/pause both": "/暂停 全部",
    "/resume": "/恢复",
    "/help": "/帮助",
}
_CHINESE_SYNONYMS: Mapping[str, str] = {
    "/off": "不记 不記 别记 別記 别记录 別記錄 不要记 不要記 不要记录 不要記錄",
    "/forget last": "忘了上一条 忘了上一條 删除上一条 刪除上一條 删掉上一条 刪掉上一條 撤銷",
    "/forget": "忘了 删除 刪除 删掉 刪掉 清除 清空",
    "/remember": "帮我记 幫我記 请记住 請記住",
    "/memories": "查看记忆 查看記憶 列出记忆 列出記憶 全部记忆 全部記憶 所有记忆 所有記憶",
    "/pause": "停止记录 停止記錄 关闭记录 關閉記錄",
    "/pause both": "停止记忆 停止記憶 关闭记忆 關閉記憶",
    "/resume": "继续记录 繼續記錄 开启记录 開啟記錄 开启记忆 開啟記憶 打开记忆 打開記憶",
}
_MEANT_IN_CHINESE = {
    word: meant for meant, words in _CHINESE_SYNONYMS.items() for word in words.split()
}
_MEANT_IN_CHINESE |= {
    f" {word}": meant  # a blank too many: "/ 不记录 …"
    for meant, words in {
        "/off": "不记录 不記錄",
        "/forget": "忘记 忘記 忘掉",
        "/remember": "记住 記住",
        "/memories": "记忆 記憶",
        "/pause": "暂停 暫停",
        "/resume": "恢复 恢復",
        "/help": "帮助 幫助",
    }.items()
    for word in words.split()
}
# Chinese needs no blank behind the word: "/删除我的电话".
_CHINESE_WORD = re.compile(
    rf"\s*[/／]({'|'.join(sorted(_MEANT_IN_CHINESE, key=len, reverse=True))})(?![了的吗嗎力里裡])"
)


def near_miss(text: str, *, is_chinese: bool) -> str:
    """Returns the command that the message's first word nearly names, or an empty text."""
    if match := _CHINESE_WORD.match(text):
        meant = _MEANT_IN_CHINESE[match[1]]
        return _CHINESE[meant] if is_chinese else meant
    if meant := _blank_too_many(text) or _deletes(text):
        return _CHINESE[meant] if is_chinese else meant
    match = _SLASH_WORD.match(text)
    if match is None:
        return ""
    rest = text[match.end() :].strip(" .!！。").lower()
    meant = _synonym(match[1].lower(), rest) or _misspelt(match[1].lower())
    is_chinese = is_chinese and match[1] not in _JAPANESE
    if meant == "/forget" and rest == "last":
        meant = "/forget last"
    return _CHINESE.get(meant, meant) if is_chinese else meant


def _blank_too_many(text: str) -> str:
    match = _BLANK.match(text)
    return f"/{match[1].lower()}" if match else ""


def _deletes(text: str) -> str:
    match = _DELETES.match(text)
    return ("/forget last" if match["last"] else "/forget") if match else ""


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

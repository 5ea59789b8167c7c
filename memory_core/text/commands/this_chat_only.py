"""Recognises and strips scopes such as "in this chat only" in what a user wants remembered."""

# ruff: noqa: RUF001  (Cyrillic, Chinese punctuation)

import re

_CHAT = r"(?:this|our)\s+(?:(?:one|single|current)\s+)?(?:chat|conversation|thread)"
_IN_CHAT = rf"(?:in|for|within|during)\s+{_CHAT}"
_DIALOGUE = (
    "(?:这|這|此|本|当前|當前|该|該)(?:一)?(?:个|個|次|段|场|場)?"
    "(?:对话|對話|聊天|会话|會話|谈话|談話)"
)
_WITHIN = "(?:里面|裡面|之内|之內|里|裡|裏|中|内|內)?"
_APPLIES = "(?:有效|生效|适用|適用|使用|而已|就好|就行|即可)?"
GERMAN = (
    r"nur\s+(?:hier\s+)?(?:in|für)\s+diese[mnrs]?\s+(?:chat|gespräch|unterhaltung|konversation)\b"
)
SPANISH = (
    r"(?:s[oó]lo|solamente|[uú]nicamente|nada\s+m[aá]s)\s+(?:aqu[ií]\s+)?(?:en|para|durante)\s+"
    r"est[ea]\s+(?:chat|hilo|conversaci[oó]n|charla)\b"
)
FRENCH = (
    r"(?:seulement|uniquement|juste|exclusivement)\s+(?:ici\s+)?(?:dans|pour|pendant)\s+"
    r"cet?(?:te)?\s+(?:t?chat|fil|conv|conversation|discussion)\b"
)
RUSSIAN = (
    r"только\s+(?:здесь\s*,?\s+)?(?:в|для)\s+(?:рамках\s+)?(?:это[мй]|этого|данн(?:ом|ого|ой))\s+"
    r"(?:чат[еа]|разговор[еа]|диалог[еа]|бесед[еы]|переписк[еи])\b"
)
JAPANESE = (
    r"(?:この|今の)(?:チャット|会話|トーク|スレッド)(?:の(?:中|間))?"
    r"(?:だけ|のみ|限定|限り)(?:で|に)?(?:は|ね|だよ)?"
)
_LAST = rf"(?<![a-z])(?:(?:only|just|solely)\s+)?{_IN_CHAT}\s+(?:only|alone)\b"
_FIRST = rf"""(?:
    (?<![a-z])(?:only|just|solely)\s+{_IN_CHAT}\b
    |(?<![^\W\d_])(?:{GERMAN}|{SPANISH}|{FRENCH}|{RUSSIAN})|{JAPANESE}
    |(?:仅仅|僅僅|仅|僅|只)(?:限于|限於|限|在|于|於|对|對|用于|用於|是)*+{_DIALOGUE}{_WITHIN}{_APPLIES}
    )"""
SCOPE = rf"(?:{_LAST}|{_FIRST})"
_LABEL = (
    rf"(?:chat|here|{_CHAT}|dieser\s+chat|este\s+chat|ce\s+chat|этот\s+чат|このチャット"
    rf"|对话|對話|聊天|这里|這裡|此处|此處|{_DIALOGUE})\s*[:：]"
)
_LONGEST = 120  # characters at the end of a text in which a scope may stand

_LABELLED = re.compile(rf"\s*{_LABEL}\s*", re.IGNORECASE | re.VERBOSE)
_ASKS = (
    r"please|remember|do|bitte|merk|por\s+favor|recu[eé]rd|record[aá]|souviens|rappelle|retiens"
    "|пожалуйста|запомни|请|請|帮我|幫我|记住|記住|别忘|別忘|不要忘|覚え|忘れないで|メモ"
)
SCOPE_PREFIX = re.compile(
    rf"[\s(（\[]*{SCOPE}\s*(?:[)）\],:，：、–—-][\s)）\],:，：、–—-]*|(?={_ASKS}))",
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE = re.compile(
    rf"[\s(（\[]*{SCOPE}\s*[)）\],:.!，：。！、–—-][\s)）\],:.!，：。！、–—-]*(?:that\b[\s,:]*)?",
    re.IGNORECASE | re.VERBOSE,
)
_END = r"[^\w?？\"'“”‘’「」『』]*"
_WITHOUT_BLANKS = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_BUT = "but|aber|pero|mais|но"
_SCOPE_SUFFIX = re.compile(
    rf"""(?P<between>[\s,;:.!，；：。！、–—(（\[-]*+(?:(?<=[\s,;.!–—(-])(?:{_BUT})\s{{1,3}})?)
    (?:{_LAST}|(?P<first>{_FIRST}))
    (?:{_END}(?:please|thanks|thank\s+you|bitte|danke|por\s+favor|porfa|gracias|stp|merci|пожалуйста|спасибо
      |谢谢|謝謝|お願い(?:します)?))?{_END}$""",
    re.IGNORECASE | re.VERBOSE,
)
# After these verbs the words are part of the statement: "this story is for this chat only".
_IS = re.compile(
    r"""(?:\b(?:am|is|are|was|were|be|been|being|stay(?:s|ed|ing)?|remain(?:s|ed|ing)?
      |keep(?:s|ing)?|kept|belong(?:s|ed|ing)?)|['’](?:s|m|re|ve|ll)|n['’]t)
    (?:\s+(?:not|never|all|also|still|always|really|strictly|meant|intended|reserved|made|valid|true
      |safe|secret|private|here)){0,2}\s*$""",
    re.IGNORECASE | re.VERBOSE,
)


def strip_label(text: str) -> tuple[str, bool]:
    """Strips the scope of a slash command, for which a label such as "chat:" is enough.

    Returns the text without it, and True if there was one.
    """
    match = _LABELLED.match(text)
    return (text[match.end() :].strip(), True) if match else strip_scope(text)


def strip_scope(text: str) -> tuple[str, bool]:
    """Strips a scope before or after the statement. Returns the text, and True if there was one.

    A comma or the like must separate it from the statement, except "in this chat only" at the end.
    """
    end = scope_suffix_start(text)
    text = text if end is None else text[:end]
    before = _BEFORE.match(text)
    rest = text[before.end() :] if before else text
    return rest.strip(), before is not None or end is not None


def scope_suffix_start(text: str) -> int | None:
    """Returns the position of a scope at the end of a text, or None."""
    match = _SCOPE_SUFFIX.search(text, max(0, len(text) - _LONGEST))
    if match is None:
        return None
    start, between, first = match.start(), match["between"], match["first"]
    if start == 0 or between.strip():
        return start
    if first is not None:
        # In Chinese and Japanese a blank can take the place of a comma.
        return start if between and _WITHOUT_BLANKS.match(first) else None
    return None if _IS.search(text, max(0, start - _LONGEST), start) else start

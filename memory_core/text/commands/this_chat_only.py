"""Recognises and strips scopes such as "in this chat only" in what a user wants remembered."""

# ruff: noqa: RUF001  (Chinese punctuation)

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
_LAST = rf"(?<![a-z])(?:(?:only|just|solely)\s+)?{_IN_CHAT}\s+(?:only|alone)\b"
_FIRST = rf"""(?:
    (?<![a-z])(?:only|just|solely)\s+{_IN_CHAT}\b|(?<![a-zäöü]){GERMAN}
    |(?:仅仅|僅僅|仅|僅|只)(?:限于|限於|限|在|于|於|对|對|用于|用於|是)*+{_DIALOGUE}{_WITHIN}{_APPLIES}
    )"""
SCOPE = rf"(?:{_LAST}|{_FIRST})"
_LABEL = rf"(?:chat|here|{_CHAT}|对话|對話|聊天|这里|這裡|此处|此處|{_DIALOGUE})\s*[:：]"
_LONGEST = 120  # characters at the end of a text in which a scope may stand

_LABELLED = re.compile(rf"\s*{_LABEL}\s*", re.IGNORECASE | re.VERBOSE)
_ASKS = "please|remember|do|bitte|merk|请|請|帮我|幫我|记住|記住|别忘|別忘|不要忘"
SCOPE_PREFIX = re.compile(
    rf"[\s(（\[]*{SCOPE}\s*(?:[)）\],:，：、–—-][\s)）\],:，：、–—-]*|(?={_ASKS}))",
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE = re.compile(
    rf"[\s(（\[]*{SCOPE}\s*[)）\],:.!，：。！、–—-][\s)）\],:.!，：。！、–—-]*(?:that\b[\s,:]*)?",
    re.IGNORECASE | re.VERBOSE,
)
_END = r"[^\w?？\"'“”‘’「」『』]*"
_SCOPE_SUFFIX = re.compile(
    rf"""(?P<between>[\s,;:.!，；：。！、–—(（\[-]*+)(?:{_LAST}|(?P<first>{_FIRST}))
    (?:{_END}(?:please|thanks|thank\s+you|谢谢|謝謝))?{_END}$""",
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
        # In Chinese a blank can take the place of a comma.
        return start if between and not first[0].isascii() else None
    return None if _IS.search(text, max(0, start - _LONGEST), start) else start

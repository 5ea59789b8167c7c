"""Whether what is to be remembered shall hold in this chat alone, and the words without that."""

# ruff: noqa: RUF001  (Chinese punctuation)

import re

_CHAT = r"(?:this|our)\s+(?:(?:one|single|current)\s+)?(?:chat|conversation|thread)"
_IN_CHAT = rf"(?:in|for|within|during)\s+{_CHAT}"
_DIALOGUE = (
    "(?:这|這|此|本|当前|當前|该|該)(?:一)?(?:个|個|次|段|场|場)?"
    "(?:对话|對話|聊天|会话|會話|谈话|談話)"
)
_WITHIN = "(?:里面|裡面|之内|之內|里|裡|裏|中|内|內)?"
_HOLDS = "(?:有效|生效|适用|適用|使用|而已|就好|就行|即可)?"
SCOPE = rf"""(?:
    {_IN_CHAT}\s+(?:only|alone)\b
    |(?:only|just|solely)\s+{_IN_CHAT}\b
    |(?:仅仅|僅僅|仅|僅|只)(?:限于|限於|限|在|于|於|对|對|用于|用於|是)*{_DIALOGUE}{_WITHIN}{_HOLDS}
    )"""
_LABEL = rf"(?:chat|here|{_CHAT}|对话|對話|聊天|这里|這裡|此处|此處|{_DIALOGUE})\s*[:：]"
_LONGEST = 120  # letters at the end of a text, in which it may say so
_OPENS, _CLOSES = r"[\s(（\[]*", r"[\s)）\]]*"

_LABELLED = re.compile(rf"\s*{_LABEL}\s*", re.IGNORECASE | re.VERBOSE)
_BEFORE = re.compile(
    rf"{_OPENS}{SCOPE}{_CLOSES}[\s,:，：、]*(?:that\b[\s,:]*)?", re.IGNORECASE | re.VERBOSE
)
_BEHIND = re.compile(
    rf"[\s,;:.!，；：。！、–—-]*{_OPENS}{SCOPE}{_CLOSES}[\s.!。！]*$", re.IGNORECASE | re.VERBOSE
)


def labelled(text: str) -> tuple[str, bool]:
    """As it stands behind a slash command, where a label at its beginning is enough."""
    match = _LABELLED.match(text)
    return (text[match.end() :].strip(), True) if match else unbound(text)


def unbound(text: str) -> tuple[str, bool]:
    """As people say it: in front of what they want remembered, or behind it."""
    before = _BEFORE.match(text)
    rest = text[before.end() :] if before else text
    behind = _BEHIND.search(rest, max(0, len(rest) - _LONGEST))
    rest = rest[: behind.start()] if behind else rest
    return rest.strip(), bool(before or behind)


def led_in(text: str) -> int:
    """Where a message goes on that begins with it; 0 where it does not."""
    match = _BEFORE.match(text)
    return match.end() if match else 0

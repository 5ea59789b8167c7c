"""Removes lists of memories that an answer recites, because each is stored elsewhere already.

The demo answers with such a list without a language model, and so do models when asked what they
remember.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re

OPENING = "(No language model is configured. I looked through our past talks.)"
OPENING_ZH = "（没有配置语言模型，我翻了翻我们以前的对话。）"
ALSO, ALSO_ZH = "I also remember: ", "我还记得："

_HINTS_ZH = (OPENING_ZH, "记得", "記得")
_LEAD = re.compile(
    r"""\s{0,9}[*_#>]{0,3}\s{0,3}
    (?:(?:I\ also\ remember|我[还還][记記]得)[*_]{0,3}\s{0,3}[:：]
      |(?:(?:here(?:['’]s|\ is|\ are)|this\ is)\ (?:(?:all|everything|the\ things|what|that)\ ){1,2}
          I(?:['’]ve)?\ (?:can\ |do\ |still\ )?remember(?:ed)?\b
        |(?:以下是|[这這]是|[这這]些是)我(?:所|[还還])?[记記]得的)
       (?:[^\n:：]{0,60}[:：]|[.。]?[*_]{0,3}\s{0,9}$))""",
    re.IGNORECASE | re.VERBOSE,
)
_ITEM = re.compile(r"\s*(?:[-*•–·]\s|\d{1,3}[.)、]|\(\d)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


def without_recital(text: str) -> str:
    """Returns an answer without recited memories, stripped of blanks at both ends."""
    if not _may_recite(text):
        return text
    for opening in (OPENING, OPENING_ZH):
        text = text.partition(opening)[0]
    paragraphs: list[str] = []
    is_listing = False
    for paragraph in _PARAGRAPH.split(text):
        lines = paragraph.split("\n")
        lead = next((index for index, line in enumerate(lines) if _LEAD.match(line)), None)
        if lead is not None:
            paragraphs += ["\n".join(lines[:lead])] if lead else []
            is_listing = True
        elif not (is_listing and _ITEM.match(paragraph)):
            paragraphs.append(paragraph)
            is_listing = False
    return "\n\n".join(paragraphs).strip()


def _may_recite(text: str) -> bool:
    if "remember" in text or OPENING in text:
        return True
    return not text.isascii() and any(hint in text for hint in _HINTS_ZH)

"""What of a message is worth keeping: its words, without reasoning and template markup."""

import re
from functools import lru_cache

from ..injection.fence import strip_fences

_OPEN_TAGS = ("think", "seed:think", "thinking", "tool_call", "tool_response")
_BLOCKS = [re.compile(rf"<{tag}>.*?(?:</{tag}>|\Z)", re.DOTALL) for tag in _OPEN_TAGS]
# GPT-OSS: <|channel|>analysis<|message|>…<|end|>, then <|channel|>final<|message|>… ;
# Gemma 4 and others end a thought whose beginning the template had written.
_CHANNEL_THOUGHT = re.compile(
    r"<\|channel\|>(?:analysis|commentary)<\|message\|>.*?(?:<\|end\|>|(?=<\|channel\|>)|\Z)",
    re.DOTALL,
)
_CHANNEL_MARK = re.compile(
    r"(?:<\|start\|>\w*)?<\|channel\|>final<\|message\|>|<\|(?:end|return)\|>"
)
_HEADLESS_THOUGHT = re.compile(r"\A.*?</(?:seed:)?think>", re.DOTALL)
_GREETING_MARK = "<|BEGIN-VISIBLE-CHAT|>"


@lru_cache(maxsize=8192)
def clean(text: str) -> str:
    """The message as its reader saw it: no thoughts, no tool markup, no injected memories."""
    if text == _GREETING_MARK:
        return ""
    if "<" in text:
        text = _without_markup(text)
    return strip_fences(text).strip()


def _without_markup(text: str) -> str:
    for block in _BLOCKS:
        text = block.sub("", text)
    text = _CHANNEL_MARK.sub("", _CHANNEL_THOUGHT.sub("", text))
    return _HEADLESS_THOUGHT.sub("", text)

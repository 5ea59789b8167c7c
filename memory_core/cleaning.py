"""What a message said: without the reasoning that led to it, tool markup or injected memories."""

import re
from functools import lru_cache

from .fence import strip_fences

GREETING_MARK = "<|BEGIN-VISIBLE-CHAT|>"

_REASONING = re.compile(
    r"<(think|thinking|seed:think|reasoning)>.*?(?:</\1>|\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)"
    r"|<\|channel\|>(?:analysis|commentary)\b.*?(?:<\|end\|>|(?=<\|channel\|>final)|\Z)"
    r"|<\|channel>thought\b.*?(?:<channel\|>|\Z)",
    re.DOTALL,
)
_UNOPENED = re.compile(r"\A.*</(?:think|thinking|seed:think|reasoning)>", re.DOTALL)
_FINAL = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>(.*?)(?:<\|(?:end|return)\|>|\Z)",
    re.DOTALL,
)
_TOOLS = re.compile(r"<(tool_call|tool_response)>.*?(?:</\1>|\Z)", re.DOTALL)


def answer(reply: str) -> str:
    """The reply's final text; empty if there was only reasoning."""
    bare = _UNOPENED.sub("", _REASONING.sub("", reply))
    return _FINAL.sub(r"\1", bare).strip()


@lru_cache(maxsize=8192)
def clean(text: str) -> str:
    """The message as its reader saw it."""
    if text == GREETING_MARK:
        return ""
    bare = strip_fences(text)
    return (
        _TOOLS.sub("", answer(bare)).strip() if "<" in bare or "[THINK]" in bare else bare.strip()
    )

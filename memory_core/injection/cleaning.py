"""What a person would call the answer: a reply without the reasoning that led to it."""

import re

_REASONING = re.compile(
    r"<(think|thinking|seed:think|reasoning)>.*?(?:</\1>|\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)"
    r"|<\|channel\|>(?:analysis|commentary)\b.*?(?:<\|end\|>|(?=<\|channel\|>final)|\Z)"
    r"|<\|channel>thought\b.*?(?:<channel\|>|\Z)",
    re.DOTALL,
)
_UNOPENED = re.compile(r"\A.*</(?:think|thinking|seed:think|reasoning)>", re.DOTALL)
_FINAL = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>(.*?)(?:<\|end\|>|\Z)", re.DOTALL
)


def answer(reply: str) -> str:
    """The reply's final text; empty if there was only reasoning."""
    bare = _UNOPENED.sub("", _REASONING.sub("", reply))
    return _FINAL.sub(r"\1", bare).strip()

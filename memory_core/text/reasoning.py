"""Removes the reasoning that a model writes before its answer."""

import re

_TAG = r"(?:think|thinking|thought|reasoning|reflection)"
_REASONING = (
    re.compile(rf"<{_TAG}>.*?(?:</{_TAG}>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"\[THINK\].*?(?:\[/THINK\]|\Z)", re.DOTALL),
    re.compile(r"◁think▷.*?(?:◁/think▷|\Z)", re.DOTALL),
    re.compile(
        r"<\|channel\|>(?:analysis|commentary).*?(?:<\|end\|>|(?=<\|channel\|>final)|\Z)", re.DOTALL
    ),
    # If the template opens the thought, the answer holds only its end.
    re.compile(rf"\A.*(?:</{_TAG}>|\[/THINK\]|◁/think▷)", re.DOTALL | re.IGNORECASE),
)
# The markers around a final answer, of harmony and of Gemma.
_MARKERS = re.compile(
    r"<\|start\|>\w*|<\|channel\|>\s*final|<\|message\|>|<\|(?:end|return)\|>|<end_of_turn>"
)


def without_reasoning(answer: str) -> str:
    """Returns the answer without its reasoning and without the markers of channels.

    An answer that breaks off while the model still reasons is empty.
    """
    for reasoning in _REASONING:
        answer = reasoning.sub("", answer)
    return _MARKERS.sub("", answer)

"""Finds code and log lines in a message: they tell nothing of the person who pasted them."""

import re

_FENCED = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_FENCE = re.compile(r"`{3,}[\w+#.-]*")
_CODE_LINE = re.compile(
    r"""\s*(?:Traceback\b|File\s"|at\s\S+\(|[\w.]*(?:Error|Exception)\b:?|\#include\b|>>>\s|\$\s
        |(?:def|class|import|from|return|if|elif|else|for|while|with|try|except|raise)\b
            [^.!?]*[:()\]]\s*$
        |return\s\w+\s*$|import\s[\w.]+\s*$|(?:const|let|var)\s[\w{}[\],\s]+=
        |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d
        |(?:\[\s*)?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b
        |</?\w+[^<>]*>\s*$|[{}()\[\];,]+\s*$|"[\w.-]+"\s*:)
    |.*(?:[;{]\s*$|[=!]==?\s|=>|&&|\|\||::|\(\)|\w\(.*\)\s*$|^\s*[\w.]+\s=\s\S)""",
    re.VERBOSE,
)
_MIN_CODE_LINES = 4  # fewer may be a person's own words with a bracket or a colon at the end
_MIN_CODE_SHARE = 0.5
_READ_CHARS = 200  # of a line: an endless one would take seconds


def without_code(text: str) -> str:
    """Returns the text without fenced code, and without pasted lines of code or logs."""
    prose = _FENCED.sub("", text) if "```" in text or "~~~" in text else text
    lines = prose.splitlines()
    code = [
        bool(line.strip()) and _CODE_LINE.match(line[:_READ_CHARS]) is not None for line in lines
    ]
    written = sum(bool(line.strip()) for line in lines)
    if sum(code) < max(_MIN_CODE_LINES, _MIN_CODE_SHARE * written):
        return prose
    return "\n".join(line for line, is_code in zip(lines, code, strict=True) if not is_code)


def without_fences(text: str) -> str:
    """Returns the text without the marks around code, which mean nothing within one line."""
    return _FENCE.sub("", text)

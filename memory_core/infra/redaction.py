"""Hides API keys in everything that people read, even where one was pasted by mistake."""

import re

# A well-known beginning, or many letters and digits in a row.
_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|hf|gsk|xai|ghp|gho|glpat|AIza|Bearer)[-_ ]?[\w.-]{8,}"
    r"|(?<![\w/-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}(?![\w/])"
)
HIDDEN = "***"


def redact(text: str) -> str:
    """Returns the text with every part that looks like an API key replaced by `***`."""
    return _LIKE_A_KEY.sub(HIDDEN, text)

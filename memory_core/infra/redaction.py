"""Hides keys of services in everything that people read, even where they stand by mistake."""

import re

# A well-known beginning, or many letters and digits in a row.
_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|hf|gsk|xai|ghp|gho|glpat|AIza|Bearer)[-_ ]?[\w.-]{8,}"
    r"|(?<![\w/-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}(?![\w/])"
)
HIDDEN = "***"


def redact(text: str) -> str:
    """The text, but for parts that look like the key of a service."""
    return _LIKE_A_KEY.sub(HIDDEN, text)

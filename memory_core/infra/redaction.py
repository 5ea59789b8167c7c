"""Hides API keys in everything that people read, and personal numbers and addresses in logs."""

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


_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
# Digits with single separators between them: a card has 13 to 19, a telephone number 7 to 15.
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d(?:[ ./()-]{0,2}\d){6,18}(?![\w-])")
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}")
_MIN_CARD = 13
_MAX_PHONE = 15


def redact_personal(text: str) -> str:
    """Returns the text without API keys, e-mail addresses, card numbers and telephone numbers."""
    return _DIGITS.sub(_hide_number, _EMAIL.sub(HIDDEN, redact(text)))


def _hide_number(found: re.Match[str]) -> str:
    """Returns `***` for the number of a card or a telephone; a date and other numbers stay."""
    written = found[0]
    digits = [int(char) for char in written if char.isdecimal()]
    if _DATE.fullmatch(written):
        return written
    if len(digits) >= _MIN_CARD and _is_card(digits):
        return HIDDEN
    looks_like_phone = written[0] in "+(0" or not written.isdecimal()
    return HIDDEN if looks_like_phone and len(digits) <= _MAX_PHONE else written


def _is_card(digits: list[int]) -> bool:
    """Returns whether the digits end in the right check digit (Luhn's formula, ISO/IEC 7812)."""
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return sum(doubled + digits[-1::-2]) % 10 == 0

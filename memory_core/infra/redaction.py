"""Hides API keys in everything that people read, and personal numbers and addresses in logs."""

import re

# A well-known beginning, or many letters and digits in a row. ASCII, since Chinese has no blanks.
LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|hf|gsk|xai|ghp|gho|glpat|AIza|Bearer)[-_ ]?[\w.-]{8,}"
    r"|(?<![\w/-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}(?![\w/])",
    re.ASCII,
)
HIDDEN = "***"


def redact(text: str) -> str:
    """Returns the text with every part that looks like an API key replaced by `***`."""
    return LIKE_A_KEY.sub(HIDDEN, text)


# Letters of scripts without blanks between words do not belong to an address.
_LETTER = r"[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]"
EMAIL = re.compile(
    rf"(?:{_LETTER}|[.+-]){{1,64}}@(?:{_LETTER}|-){{1,63}}(?:\.(?:{_LETTER}|-){{1,63}})+"
)
# Digits with single separators between them: a card has 13 to 19, a telephone number 7 to 15.
DIGITS = re.compile(r"(?<![A-Za-z0-9_.])\+?\(?\d(?:[ ./()-]{0,2}\d){6,18}(?![A-Za-z0-9_-])")
DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}")
_MIN_CARD = 13
_MAX_PHONE = 15
_CHINESE_MOBILE = re.compile(r"1[3-9]\d{9}")


def redact_personal(text: str) -> str:
    """Returns the text without API keys, e-mail addresses, card numbers and telephone numbers."""
    return DIGITS.sub(_hide_number, EMAIL.sub(HIDDEN, redact(text)))


def is_card(written: str) -> bool:
    """Returns whether the digits have the length and the check digit of a card's number."""
    digits = [int(char) for char in written if char.isdecimal()]
    return len(digits) >= _MIN_CARD and _has_check_digit(digits)


def is_phone(written: str) -> bool:
    """Returns whether the digits may be a telephone number, by their form."""
    has_form = written[0] in "+(0" or not written.isdecimal()
    is_short = sum(map(str.isdecimal, written)) <= _MAX_PHONE
    return (has_form and is_short) or bool(_CHINESE_MOBILE.fullmatch(written))


def _hide_number(found: re.Match[str]) -> str:
    """Returns `***` for the number of a card or a telephone; a date and other numbers stay."""
    written = found[0]
    if DATE.fullmatch(written):
        return written
    return HIDDEN if is_card(written) or is_phone(written) else written


def _has_check_digit(digits: list[int]) -> bool:
    """Returns whether the digits end in the right check digit (Luhn's formula, ISO/IEC 7812)."""
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return sum(doubled + digits[-1::-2]) % 10 == 0

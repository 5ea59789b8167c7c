"""Parts of a text that may be private, and the choices of what the guard does with them."""

from enum import StrEnum


class PrivatePart(StrEnum):
    """The parts that the guard recognises."""

    KEY = "key"
    CARD = "card"
    EMAIL = "email"
    PHONE = "phone"


class GuardAction(StrEnum):
    """The fate of words with such a part, the strictest last."""

    KEEP = "keep"
    REDACT = "redact"
    SKIP = "skip"

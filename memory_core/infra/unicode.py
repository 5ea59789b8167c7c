"""Replaces lone surrogates, which terminals and JSON let through and no encoder accepts."""


def well_formed(text: str) -> str:
    """Returns the text with every lone surrogate replaced by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_well_formed(text: str) -> bool:
    """Returns whether the text has no lone surrogate."""
    return text.isascii() or well_formed(text) == text

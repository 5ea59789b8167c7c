"""Text that any encoder takes: what came through a terminal or JSON may hold lone surrogates."""


def well_formed(text: str) -> str:
    """The text with every lone surrogate replaced by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_well_formed(text: str) -> bool:
    """Whether there are none."""
    return text.isascii() or well_formed(text) == text

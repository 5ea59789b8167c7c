"""How a reader says no: which file, what is wrong with it, what to do about it."""

from pathlib import Path

from ...domain.errors import ImportFailed

AGAIN = "Export or download it again"


def refused(where: Path | str, what: str, do: str) -> ImportFailed:
    """`where` is the path, or the path and the place in it."""
    return ImportFailed(f"{where}: {what}. {do}.")

"""Escapes CSV cells that a spreadsheet could run as formulas, by an apostrophe before them.

Cells that begin with apostrophes get one more, so that unescaping restores every cell exactly.
"""

_FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")


def escape_formula(cell: str) -> str:
    return f"'{cell}" if _may_be_formula(cell) else cell


def unescape_formula(cell: str) -> str:
    """Returns the original cell of `escape_formula`."""
    return cell[1:] if cell.startswith("'") and _may_be_formula(cell) else cell


def _may_be_formula(cell: str) -> bool:
    rest = cell.lstrip("'")
    return rest.startswith(_FORMULA) or rest.lstrip().startswith(_FORMULA)

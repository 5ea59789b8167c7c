"""Cells of a CSV that a spreadsheet must not take for formulas: an apostrophe goes before them.

One more goes before those that have any, so that whoever reads them takes away what was put there.
"""

_FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")


def escape_formula(cell: str) -> str:
    return f"'{cell}" if _may_be_formula(cell) else cell


def unescape_formula(cell: str) -> str:
    """What guarded() was given."""
    return cell[1:] if cell.startswith("'") and _may_be_formula(cell) else cell


def _may_be_formula(cell: str) -> bool:
    rest = cell.lstrip("'")
    return rest.startswith(_FORMULA) or rest.lstrip().startswith(_FORMULA)

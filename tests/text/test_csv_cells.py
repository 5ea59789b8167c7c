"""Escaped CSV cells are restored exactly and never run as formulas."""

from hypothesis import given
from hypothesis import strategies as st

from memory_core.text.csv_cells import escape_formula, unescape_formula
from tests.cases import for_each


@given(st.text(alphabet="'= \t-@\uff1da1\n"))
def test_unescaping_restores_every_cell(cell: str) -> None:
    assert unescape_formula(escape_formula(cell)) == cell


@for_each("cell", ["=1+1", " @SUM(A1)", "\t-2", "\uff1d1", "'=1", "-"])
def test_no_escaped_cell_begins_as_a_formula(cell: str) -> None:
    assert escape_formula(cell) == f"'{cell}"


@for_each("cell", ["", "'", "it's", "'quoted'", "1-1", " a"])
def test_a_cell_that_is_no_formula_stays_unchanged(cell: str) -> None:
    assert escape_formula(cell) == unescape_formula(cell) == cell

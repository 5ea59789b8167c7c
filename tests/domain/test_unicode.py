"""Normal forms are Unicode's own, except for runs of marks that nobody writes."""

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.unicode import Form, normalised
from tests.in_time import within

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
forms = pytest.mark.parametrize("form", FORMS)


@forms
@given(text=st.text(max_size=30) | st.text("a\u0301\u0327\uff9e\u0344\u0f73か", max_size=30))
def test_a_text_with_few_marks_has_unicodes_own_form(form: Form, text: str) -> None:
    assert normalised(form, text) == unicodedata.normalize(form, text)


@forms
@pytest.mark.parametrize("text", ["👩\u200d" * 100, "≠" * 100, "…—“”" * 100, "é" * 100, "가" * 100])
def test_any_number_of_signs_other_than_marks_stays(form: Form, text: str) -> None:
    assert normalised(form, text) == unicodedata.normalize(form, text)


@forms
def test_only_the_first_of_very_many_marks_stay(form: Form) -> None:
    kept = unicodedata.normalize(form, "a" + "\u0301\u0327" * 15 + "b")
    assert normalised(form, "a" + "\u0301\u0327" * 500 + "b") == kept


def test_every_mark_of_unicode_is_bounded() -> None:
    chars = map(chr, range(sys.maxunicode + 1))
    parts = (
        (char, unicodedata.normalize("NFKD", char))
        for char in chars
        if not "\ud800" <= char < "\ue000"
    )
    marks = [char for char, apart in parts if all(map(unicodedata.combining, apart))]
    assert len(marks) > 900
    for mark in marks:
        assert len(normalised("NFKD", "a" + mark * 100)) <= 1 + 30 * 4


@forms
def test_marks_in_reverse_order_take_linear_time(form: Form) -> None:
    with within(5, time.process_time):
        assert normalised(form, "a" + "\u0301\u0327" * 100_000)

"""json_codec reads and writes JSON like Python's own module."""

import json
import math
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_core.infra.json_codec import dump_json, load_json
from tests.cases import for_each

NUMBERS = st.integers() | st.integers(-(1 << 70), 1 << 70) | st.floats()
TEXTS = st.text(st.characters(codec=None)) | st.text('\ud800\udfff"\\\x00\x1f\x7f\u2028é😀n')
PLAIN = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS | st.integers() | st.none(), inner),
)


class Colour(StrEnum):
    RED = "red"


def by_the_book(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


@given(VALUES)
@example([math.nan, None, -math.inf])
def test_dumped_json_loads_as_the_same_value(value: Any) -> None:
    assert repr(json.loads(dump_json(value))) == repr(json.loads(by_the_book(value)))


@given(TEXTS | st.lists(TEXTS | st.integers() | st.booleans() | st.none()))
def test_dumped_json_has_the_bytes_of_pythons_json_except_for_floats(value: Any) -> None:
    assert dump_json(value) == by_the_book(value)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_loaded_json_equals_that_of_pythons_json(
    value: Any, indent: int | None, plain: bool
) -> None:
    data = json.dumps(value, ensure_ascii=plain, indent=indent).encode("utf-8", "replace")
    assert repr(load_json(data)) == repr(json.loads(data))


@for_each("text", ["1e400", "-0", "[18446744073709551616]", '"\\ud800"', "NaN"])
def test_json_that_readers_disagree_on_loads_like_pythons_json(text: str) -> None:
    assert repr(load_json(text.encode())) == repr(json.loads(text))


@for_each("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_json_in_other_encodings_is_loaded(encoding: str) -> None:
    assert load_json('["é"]'.encode(encoding)) == ["é"]


@for_each("data", [b"", b"{", b"[1,]", b'"\xff"', b"nul"])
def test_invalid_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        load_json(data)


def test_enum_values_are_dumped_as_text() -> None:
    assert dump_json({"is": Colour.RED, "in": (Colour.RED,)}) == b'{"is":"red","in":["red"]}'


@for_each("value", [MappingProxyType({}), b"", {1, 2}, object()])
def test_value_without_a_json_form_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        dump_json([value])

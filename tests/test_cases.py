"""Tests of which several cases run as one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import for_each


def named_failures(test: Callable[..., None], **fixtures: object) -> list[str]:
    with pytest.raises(BaseExceptionGroup) as raised:
        test(**fixtures)
    return [note for failure in raised.value.exceptions for note in failure.__notes__]


@for_each("number", [1, 2, 3, 4])
def is_odd(number: int) -> None:
    assert number % 2


def test_each_failing_case_is_named_by_its_values() -> None:
    assert named_failures(is_odd) == ["in the case number=2", "in the case number=4"]


def test_failure_says_how_many_cases_failed_and_shows_their_assertions() -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases failed") as raised:
        is_odd()
    assert "(2 % 2)" in str(raised.value.exceptions[0])


def test_case_that_does_not_raise_as_expected_is_named_by_its_id() -> None:
    @for_each("text", ["1", "x"], ids=["a digit", "a letter"])
    def is_refused(text: str) -> None:
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    assert named_failures(is_refused) == ["in the case a digit"]


def test_cases_of_two_parameters_run_with_each_of_a_third() -> None:
    ran = []

    @for_each("factor", [1, 10])
    @for_each(("first", "second"), [(1, 2), (3, 4)])
    def note(first: int, second: int, factor: int) -> None:
        ran.append(first * factor + second)

    note()
    assert ran == [3, 7, 12, 34]


@for_each("name, text", [("a", "one"), ("b", "two")])
@pytest.mark.parametrize("folder", ["inner", "outer"])
def test_cases_of_one_test_share_its_fixtures(
    tmp_path: Path, name: str, folder: str, text: str
) -> None:
    (tmp_path / folder).mkdir(exist_ok=name != "a")
    (tmp_path / folder / name).write_text(text)
    assert len([*tmp_path.rglob("*.*")]) == 0
    assert (tmp_path / folder / "a").read_text() == "one"


def test_cases_without_values_are_refused() -> None:
    with pytest.raises(AssertionError):
        for_each("number", [])

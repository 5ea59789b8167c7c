"""`--one-case`, with which a second Python runs the tests."""

from pathlib import Path

import pytest

from tests.conftest import further_cases


@pytest.mark.parametrize("case", ["first", "second", "third"])
def test_one_case_keeps_the_first_case_of_a_test(case: str, request: pytest.FixtureRequest) -> None:
    further = further_cases(request.session.items, every_case_of=())
    assert (request.node in further) == (case != "first")


def test_one_case_keeps_every_case_of_some_folders(request: pytest.FixtureRequest) -> None:
    further = further_cases(request.session.items, every_case_of=[Path(__file__).parent])
    assert further == []

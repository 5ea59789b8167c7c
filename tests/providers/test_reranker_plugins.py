"""A user's own rerankers are loaded and checked against the contract."""

import pytest

from memory_core.config.model_settings import RerankerSettings
from memory_core.domain.errors import ConfigError, RerankerUnavailable
from memory_core.providers.plugins import custom_reranker
from memory_core.providers.rerankers.base import ScoringReranker
from tests.cases import for_each
from tests.in_time import within


def _custom(name: str) -> ScoringReranker:
    return custom_reranker(RerankerSettings(kind=f"tests.providers.rerankers.own_rerankers:{name}"))


def test_an_incomplete_class_is_reported_with_its_missing_methods() -> None:
    with pytest.raises(ConfigError, match=r"reranker\.kind: .*:Unprepared lacks prepare, scores"):
        _custom("Unprepared")


@for_each(
    ("name", "message"),
    [
        ("Raising", "counting: KeyError: 'no such model'"),
        ("NotANumber", "NaN or infinite"),
        ("ListsThem", "AttributeError"),
    ],
)
def test_bad_results_and_errors_of_a_foreign_class_become_clear_faults(
    name: str, message: str
) -> None:
    with pytest.raises(RerankerUnavailable, match=message):
        _custom(name).scores("a", ["a"], timeout_s=1)


def test_a_foreign_class_that_cannot_be_prepared_is_a_clear_fault() -> None:
    with pytest.raises(RerankerUnavailable, match="no such disk"):
        _custom("Raising").prepare()


def test_an_endless_foreign_class_times_out() -> None:
    with within(10), pytest.raises(RerankerUnavailable, match="TimeoutError"):
        _custom("Endless").scores("a", ["a"], timeout_s=0.2)

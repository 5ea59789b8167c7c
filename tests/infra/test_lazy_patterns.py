"""Lazy patterns behave as compiled ones, and are compiled once."""

import re
from collections.abc import Callable

import pytest

import memory_core.bootstrap  # noqa: F401  (creates the patterns of the package)
from memory_core.infra.lazy_patterns import compile_lazy_patterns, lazy_pattern

PATTERN = r"(?P<word>b\w+)"
USES: list[Callable[[re.Pattern[str]], object]] = [
    lambda pattern: pattern.search("a Bear")["word"],
    lambda pattern: pattern.match("a bear"),
    lambda pattern: pattern.fullmatch("bear").span(),
    lambda pattern: pattern.findall("a bear, a bee"),
    lambda pattern: [found.span() for found in pattern.finditer("a bear, a bee")],
    lambda pattern: pattern.split("a bear, a bee"),
    lambda pattern: pattern.sub("x", "a bear"),
    lambda pattern: pattern.subn("x", "a bear"),
    lambda pattern: (pattern.pattern, pattern.flags, pattern.groups, pattern.groupindex),
]


@pytest.mark.parametrize("use", USES)
def test_lazy_pattern_does_what_the_compiled_one_does(
    use: Callable[[re.Pattern[str]], object],
) -> None:
    lazy = lazy_pattern(PATTERN, re.IGNORECASE)
    assert [use(lazy), use(lazy)] == [use(re.compile(PATTERN, re.IGNORECASE))] * 2


def test_lazy_pattern_is_compiled_at_its_first_use_and_kept() -> None:
    lazy = lazy_pattern(PATTERN)
    assert "search" not in vars(lazy)
    lazy.search("a bear")
    assert "search" in vars(lazy)


def test_lazy_pattern_without_use_can_be_compiled_in_advance() -> None:
    lazy = lazy_pattern(PATTERN)
    compile_lazy_patterns()
    assert "search" in vars(lazy)


def test_lazy_pattern_has_no_private_attributes() -> None:
    assert not hasattr(lazy_pattern(PATTERN), "_unknown")

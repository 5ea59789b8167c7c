from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from memory_core.prompt.templates import (
    LINE_FIELDS,
    date_in_digits,
    dates_in_words,
    fill_template,
    mark_approximate,
    unknown_fields,
)
from tests.cases import for_each

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()
HOUR = 3600.0


@for_each(
    ("template", "filled"),
    [
        ("{name} and {name}", "Ana and Ana"),
        ("{nobody}", "{nobody}"),
        ("{name.__class__} {name[0]} {name!r} {name:>9} {0} {}", None),
        ("{{name}} {{ name }} }} {{", None),
        ("{ name }", None),
    ],
)
def test_template_fills_only_plain_names(template: str, filled: str | None) -> None:
    assert fill_template(template, {"name": "Ana"}) == (filled or template)


def test_host_macros_are_filled_in_templates_but_not_in_values() -> None:
    names = {"name1": "Ana", "name2": "{{user}}", "message": "<BOT> {{char}}"}
    filled = fill_template("{{char}} and {{user}}, <BOT> and <USER>: {message}", names)
    assert filled == "{{user}} and Ana, {{user}} and Ana: <BOT> {{char}}"


@given(st.text(), st.text())
def test_fields_inside_a_value_are_never_filled(one: str, two: str) -> None:
    assert fill_template("{one}|{two}", {"one": one, "two": two}) == f"{one}|{two}"


def test_value_that_looks_like_a_field_is_inserted_as_it_is() -> None:
    assert fill_template("{a}{b}", {"a": "{b}", "b": r"\1{a}"}) == r"{b}\1{a}"


def test_unknown_template_fields_are_reported_once_each() -> None:
    template = "{memory_mesage} {name1.x} {memory_mesage} {name1} {{literal}}"
    assert unknown_fields(template, LINE_FIELDS) == ["memory_mesage", "name1.x"]


@for_each(
    ("ago", "words"),
    [
        (0.0, "today"),
        (13 * HOUR, "yesterday"),
        (11 * HOUR, "today"),
        (72 * HOUR, "3 days ago"),
        (-5 * HOUR, "today"),
    ],
)
def test_elapsed_time_is_counted_in_calendar_days(ago: float, words: str) -> None:
    assert dates_in_words(NOON - ago, NOON, UTC) == words


@for_each(
    ("when", "said"),
    [
        ("3 days ago", "about 3 days ago"),
        ("2026-09-19", "about 2026-09-19"),
        ("yesterday", "yesterday"),
        ("some time ago", "some time ago"),
    ],
)
def test_guessed_date_is_marked_only_where_it_looks_exact(when: str, said: str) -> None:
    assert mark_approximate(when) == said


@for_each("ts", [None, 1e300, float("nan"), -1e14])
def test_unknown_or_impossible_time_is_some_time_ago(ts: float | None) -> None:
    assert dates_in_words(ts, NOON, UTC) == "some time ago"
    assert date_in_digits(ts, UTC) == "some time ago"


def test_date_is_that_of_the_time_zone() -> None:
    assert date_in_digits(NOON, timezone(timedelta(hours=13))) == "2026-11-22"
    assert date_in_digits(NOON, UTC) == "2026-11-21"

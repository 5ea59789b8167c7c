"""A value that a setting cannot have is refused in words, in both languages."""

from memory_core.config.fields import setting_fields
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.ui.tab.settings.settings_fields import allowed_text, refusal
from tests.cases import for_each

WORDS = tab_words("en")
FIELDS = setting_fields()


@for_each(
    ("key", "value", "told"),
    [
        ("embedder.kind", "fastembedd", "Did you mean fastembed?"),
        ("embedder.kind", "zzzz", "“zzzz” cannot be set here. It must be one of auto, built-in"),
        ("recall.lines", -1, "The nearest is 0."),
        ("recall.min_need", 7, "a number from 0 up to 1. The nearest is 1."),
        ("recall.min_need", None, "cannot be empty"),
        ("ltm_reads.max_cosine_distance", "far", "a number from 0 up to 2, or empty"),
        ("ltm_reads.max_cosine_distance", "3", "The nearest is 2."),
        ("rolling_backup.every_days", 0, "a number above 0 up to 3,650."),
    ],
)
def test_refusal_names_what_is_allowed_and_the_nearest_value(
    key: str, value: object, told: str
) -> None:
    assert told in refusal(FIELDS[key], value, WORDS)


@for_each(
    ("key", "value"),
    [
        ("embedder.kind", "fastembed"),
        ("embedder.kind", "package.module:Class"),
        ("recall.lines", 4),
        ("ltm_reads.max_cosine_distance", ""),
        ("ltm_reads.max_cosine_distance", "0.5"),
        ("recall.enabled", False),
    ],
)
def test_allowed_value_is_not_refused(key: str, value: object) -> None:
    assert refusal(FIELDS[key], value, WORDS) == ""


@for_each("language", LANGUAGES.values())
def test_every_setting_describes_its_valid_values(language: str) -> None:
    words = tab_words(language)
    assert all(allowed_text(field, words) for field in FIELDS.values())


def test_refusal_of_a_key_does_not_show_it() -> None:
    assert "sk-secret" not in refusal(FIELDS["llm.api_key"], ["sk-secret"], WORDS)


def test_nearest_number_is_allowed() -> None:
    for field in FIELDS.values():
        for value in (-5e12, -1, 0, 0.5, 3, 5e12):
            near = field.nearest_number(value)
            if field.bounds and near is not None:
                assert field.from_json(int(near) if field.is_whole else near) is not None

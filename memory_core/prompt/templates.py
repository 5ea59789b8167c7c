"""Fills templates with named fields, `{name}` or a macro; values are never filled again."""

import re
from collections.abc import Collection, Mapping
from datetime import tzinfo

from ..config.schema import ContextSettings
from ..infra.calendar_time import to_datetime
from ..text.locales import DEFAULT, Words, prompt_words

BLOCK_FIELDS = frozenset({"name1", "name2", "all_memories"})
LINE_FIELDS = frozenset(
    {"time_difference", "date", "said", "memory_name", "memory_message", "name1", "name2"}
)
REPLAY_FIELDS = frozenset({"date", "time_difference", "message", "name1", "name2"})
DAY_FIELDS = frozenset({"weekday", "date", "name1", "name2"})

FIELDS_BY_TEMPLATE = {
    "memory_context_template": BLOCK_FIELDS,
    "memory_template": LINE_FIELDS,
    "derived_template": LINE_FIELDS,
    "replay_user_template": REPLAY_FIELDS,
    "replay_assistant_template": REPLAY_FIELDS,
    "system_block_template": BLOCK_FIELDS,
    "today_template": DAY_FIELDS,
}

MACROS = {"{{user}}": "name1", "{{char}}": "name2", "<USER>": "name1", "<BOT>": "name2"}
"""Macro → name of the field of Window. The host uses them in its own texts."""

_FIELD = re.compile(r"\{\{(?:user|char)\}\}|<USER>|<BOT>|(?<!\{)\{([A-Za-z_]\w*)\}(?!\})")
_FIELD_LIKE = re.compile(r"(?<!\{)\{([^{}\s]+)\}(?!\})")


def fill_template(template: str, fields: Mapping[str, str]) -> str:
    """Replaces each `{name}` in `fields`, and the macros for names, by their values, once.

    Everything else stays as typed.
    """
    return _FIELD.sub(lambda match: fields.get(match[1] or MACROS[match[0]], match[0]), template)


def unknown_fields(template: str, allowed: Collection[str]) -> list[str]:
    """Returns the distinct names in single braces that are no allowed field, in order."""
    return [name for name in dict.fromkeys(_FIELD_LIKE.findall(template)) if name not in allowed]


def template_problems(settings: ContextSettings) -> list[str]:
    """Returns a message for the banner for each unknown field in a template."""
    return [
        f"ltm_context.{key}: {{{name}}} is no field and is left as it is; "
        f"the fields are {', '.join(sorted(f'{{{field}}}' for field in allowed))}"
        for key, allowed in FIELDS_BY_TEMPLATE.items()
        for name in unknown_fields(getattr(settings, key), allowed)
    ]


def localised(settings: ContextSettings, language: str) -> ContextSettings:
    """Returns the settings with their templates in this language; edited templates stay."""
    if language == DEFAULT:
        return settings
    defaults, words = ContextSettings(), prompt_words(language)
    translated = {
        key: words.template(key)
        for key in FIELDS_BY_TEMPLATE
        if getattr(settings, key) == getattr(defaults, key)
    }
    return settings.model_copy(update=translated)


def dates_in_words(
    ts: float | None, now: float, tz: tzinfo | None = None, words: Words | None = None
) -> str:
    """Returns how many calendar days ago `ts` was, in words: "today", "3 days ago".

    Times are in seconds since the epoch. `tz` None means this machine's time zone. Without `words`
    the answer is in English.
    """
    words = words or prompt_words(DEFAULT)
    then, today = to_datetime(ts, tz), to_datetime(now, tz)
    if then is None or today is None:
        return words["some_time_ago"]
    days = (today.date() - then.date()).days
    if days <= 0:
        return words["today"]
    return words["yesterday"] if days == 1 else words("days_ago", days=days)


def date_in_digits(ts: float | None, tz: tzinfo | None = None, words: Words | None = None) -> str:
    """Returns the date as YYYY-MM-DD, or "some time ago" if unknown."""
    day = to_datetime(ts, tz)
    return day.date().isoformat() if day else (words or prompt_words(DEFAULT))["some_time_ago"]


def weekday_and_date(
    ts: float, tz: tzinfo | None = None, words: Words | None = None
) -> tuple[str, str]:
    """Returns ("Sunday", "22 November 2026"); empty outside the calendar."""
    words, day = words or prompt_words(DEFAULT), to_datetime(ts, tz)
    if day is None:
        return "", ""
    month = words["months"].split()[day.month - 1]
    date = words("long_date", day=day.day, month=month, year=day.year)
    return words["weekdays"].split()[day.weekday()], date


def mark_approximate(when: str, words: Words | None = None) -> str:
    """Marks a guessed date or count of days with "about"; words like "yesterday" stay."""
    words = words or prompt_words(DEFAULT)
    return words("about", when=when) if any(map(str.isdigit, when)) else when

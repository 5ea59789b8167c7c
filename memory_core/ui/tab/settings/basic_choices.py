"""The seven plain choices, each of which stands for one or more settings."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from ....config.fields import setting_fields
from ....config.schema import OnChatDeleted, Settings
from ....memory.installation import Installation
from ....text.locales import Words
from .settings_fields import overriding_source, setting_value

Changes = Mapping[str, object]

_SHOWN_AS = "|"
ON, OFF, NORMAL = "on", "off", "normal"
_SIZES = (
    "ltm_context.max_tokens",
    "ltm_context.system_block_max_tokens",
    "recall.retrieve_k",
    "recall.lines",
)
_THRESHOLDS = ("recall.min_need", "recall.full_need", "recall.min_share")


class Choice(StrEnum):
    """The plain choices, in their order on the page."""

    REMEMBER = "remember"
    RECALL = "recall"
    AMOUNT = "amount"
    STRICTNESS = "strictness"
    DELETED = "deleted"
    MODEL = "model"
    FACTS = "facts"


class FactsChoice(StrEnum):
    """The language model that writes down facts in the background."""

    OFF = "off"
    HOST = "host"
    SERVER = "server"


class ModelChoice(StrEnum):
    """The model that finds memories by meaning."""

    WORDS = "words"
    BUILT_IN = "built_in"
    SERVER = "server"
    OTHER = "other"


def options(choice: Choice) -> list[str]:
    """Returns the names of a choice's options."""
    return list(_presets()[choice])


def offered_options(choice: Choice, *, shown: str | None, has_host_model: bool) -> list[str]:
    """Returns the options that work here, and the one that is shown as chosen."""
    left_out = () if has_host_model or shown == FactsChoice.HOST else (FactsChoice.HOST,)
    return [name for name in options(choice) if name not in left_out]


def radio_value(option: str | None, shown: str | None) -> str:
    """Returns an option's value on the page, which also names the option that was shown as chosen.

    Gradio 4 reports a value set by the page as if a person had chosen it, possibly after the
    person has chosen another. Only a person's choice differs from the shown option.
    """
    return f"{option or ''}{_SHOWN_AS}{shown or ''}"


def picked_option(value: object) -> str | None:
    """Returns the option that a person picked, or None for a value that the page has set."""
    option, _, shown = str(value or "").partition(_SHOWN_AS)
    return option if option and option != shown else None


def changes_of(choice: Choice, option: str) -> Changes:
    """Returns the settings of this option. Raises KeyError for an unknown option."""
    return _presets()[choice][option]


def chosen_option(choice: Choice, settings: Settings) -> str | None:
    """Returns the option that the settings match, or None if they match none."""
    if choice is Choice.MODEL:
        return model_choice(settings)
    if choice is Choice.FACTS:
        return _facts_choice(settings)
    fitting = (
        name
        for name, wanted in _presets()[choice].items()
        if values_before(wanted, settings) == wanted
    )
    return next(fitting, None)


def model_choice(settings: Settings) -> ModelChoice:
    kind, address = settings.embedder.kind, settings.embedder.base_url
    if kind == "none":
        return ModelChoice.WORDS
    if kind == "openai" or (kind == "auto" and address):
        return ModelChoice.SERVER
    return ModelChoice.BUILT_IN if kind in ("auto", "built-in") else ModelChoice.OTHER


def effect(choice: Choice, settings: Settings, words: Words) -> str:
    """Returns the effect of this choice's current settings, in one sentence."""
    if choice is Choice.AMOUNT:
        numbers = {
            "turns": settings.recall.retrieve_k,
            "lines": settings.recall.lines,
            "tokens": settings.ltm_context.max_tokens,
        }
        return words("plain_amount_effect", **numbers)
    if choice is Choice.STRICTNESS:
        need = settings.recall.min_need
        return words("plain_strictness_effect", need=f"{need:.0%}") if need else words["plain_all"]
    option = chosen_option(choice, settings)
    if choice is Choice.FACTS:
        return _effect_of_facts(option, settings, words)
    return words[f"plain_{choice}_{option}_effect"]


def _facts_choice(settings: Settings) -> FactsChoice | None:
    if not settings.consolidation.enabled:
        return FactsChoice.OFF
    if settings.llm.kind == "host":
        return FactsChoice.HOST
    return FactsChoice.SERVER if settings.llm.kind in ("auto", "openai") else None


def _effect_of_facts(option: str | None, settings: Settings, words: Words) -> str:
    if option is None:
        return words["plain_model_other_effect"]
    if option == FactsChoice.SERVER and not settings.llm.base_url:
        return words["plain_facts_no_address"]
    minutes = whole_or_exact(settings.llm.idle_minutes)
    numbers = {"address": settings.llm.base_url, "minutes": minutes}
    return words(f"plain_facts_{option}_effect", **numbers)


def whole_or_exact(number: float) -> float:
    """Returns 10 for 10.0, and 0.5 as it is."""
    return int(number) if number.is_integer() else number


def overriding_sources(choice: Choice, home: Installation) -> list[str]:
    """Returns the sources that override one of this choice's settings."""
    keys = changes_of(choice, options(choice)[0])
    found = (overriding_source(setting_fields()[key], home) for key in keys)
    return list(dict.fromkeys(filter(None, found)))


def values_before(changes: Changes, settings: Settings) -> dict[str, object]:
    """Returns the current values of these settings, which undo the changes."""
    return {key: setting_value(settings, key) for key in changes}


@cache
def _presets() -> Mapping[Choice, Mapping[str, Changes]]:
    """Returns the settings of each option of each choice."""
    deleted = {value.value: {"ltm_writes.on_chat_deleted": value.value} for value in OnChatDeleted}
    return {
        Choice.REMEMBER: {value: {"ltm_writes.enabled": value == ON} for value in (ON, OFF)},
        Choice.RECALL: {value: {"recall.enabled": value == ON} for value in (ON, OFF)},
        Choice.AMOUNT: {
            "little": dict(zip(_SIZES, (150, 120, 1, 3), strict=True)),
            NORMAL: _defaults(_SIZES),
            "much": dict(zip(_SIZES, (900, 500, 4, 12), strict=True)),
        },
        Choice.STRICTNESS: {
            "strict": dict(zip(_THRESHOLDS, (0.65, 0.7, 0.3), strict=True)),
            NORMAL: _defaults(_THRESHOLDS),
            "generous": dict(zip(_THRESHOLDS, (0.25, 0.4, 0.1), strict=True)),
        },
        Choice.DELETED: deleted,
        Choice.MODEL: {
            ModelChoice.BUILT_IN: {"embedder.kind": "built-in", "embedder.model": ""},
            ModelChoice.SERVER: {"embedder.kind": "openai"},
            ModelChoice.WORDS: {"embedder.kind": "none"},
        },
        Choice.FACTS: {
            FactsChoice.HOST: {"consolidation.enabled": True, "llm.kind": "host"},
            FactsChoice.SERVER: {"consolidation.enabled": True, "llm.kind": "auto"},
            FactsChoice.OFF: {"consolidation.enabled": False},
        },
    }


def _defaults(keys: tuple[str, ...]) -> Changes:
    return {key: setting_fields()[key].default for key in keys}

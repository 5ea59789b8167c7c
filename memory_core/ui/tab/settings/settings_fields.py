"""Settings as widgets: their groups, kinds, values and changes."""

from collections.abc import Mapping
from enum import Enum, auto

from ....config.fields import ENVIRONMENT_NAMES, SettingField, by_leaf, setting_fields
from ....config.schema import Settings
from ....domain.errors import ConfigError
from ....memory.runtime import Installation

GROUPS: Mapping[str, tuple[str, ...]] = {
    "group_main": (
        "recall.enabled",
        "ltm_writes.enabled",
        "ltm_writes.on_chat_deleted",
        "recall.in_incognito",
        "ltm_context.injection_location",
        "ltm_context.max_tokens",
        "ltm_context.system_block_max_tokens",
        "ltm_context.summary_sessions",
        "ltm_context.recent_turns",
        "ltm_context.tell_today",
    ),
    "group_recall": (
        "recall.retrieve_k",
        "recall.lines",
        "recall.candidate_n",
        "recall.min_need",
        "recall.min_share",
        "recall.min_score",
        "recall.sticky_turns",
        "recall.visible",
        "ltm_reads.max_cosine_distance",
        "ltm_reads.num_memories_to_fetch",
        "ltm_writes.min_message_length",
        "recall.use_gate",
        "recall.use_rerank",
    ),
    "group_limits": (
        "retention.max_memories",
        "retention.max_age_days",
        "retention.max_mb",
    ),
    "group_copies": (
        "rolling_backup.enabled",
        "rolling_backup.folder",
        "rolling_backup.every_days",
        "rolling_backup.keep",
    ),
    "group_models": (
        "embedder.kind",
        "embedder.base_url",
        "embedder.model",
        "embedder.allow_download",
        "reranker.kind",
        "reranker.base_url",
        "reranker.model",
        "reranker.candidates",
        "reranker.allow_download",
        "llm.base_url",
        "llm.model",
        "backend.recent_turns",
        "backend.temperature",
        "backend.max_tokens",
    ),
    "group_templates": (
        "ltm_context.memory_context_template",
        "ltm_context.memory_template",
        "ltm_context.replay_user_template",
        "ltm_context.replay_assistant_template",
        "ltm_context.system_block_template",
        "ltm_context.today_template",
    ),
}
_CHOICES_PREFIX = "one of "


class WidgetKind(Enum):
    CHECK = auto()
    CHOICE = auto()
    WHOLE = auto()
    NUMBER = auto()
    OPTIONAL = auto()  # a number, or nothing
    TEXT = auto()
    TEMPLATE = auto()


def offered_fields() -> list[SettingField]:
    return [setting_fields()[key] for keys in GROUPS.values() for key in keys]


def widget_kind(field: SettingField) -> WidgetKind:
    if field.nullable:
        return WidgetKind.OPTIONAL
    if field.allowed.startswith(_CHOICES_PREFIX):
        return WidgetKind.CHOICE
    if field.key.endswith("_template"):
        return WidgetKind.TEMPLATE
    kinds = {bool: WidgetKind.CHECK, int: WidgetKind.WHOLE, float: WidgetKind.NUMBER}
    return kinds.get(type(field.default), WidgetKind.TEXT)


def choices(field: SettingField) -> list[str]:
    return field.allowed.removeprefix(_CHOICES_PREFIX).split(", ")


def widget_values(settings: Settings) -> list[object]:
    """Returns the values of the offered settings as their widgets hold them."""
    values = settings.model_dump(mode="json")
    return [_widget_value(field, _value_of(values, field.key)) for field in offered_fields()]


def changes(before: list[object], after: list[object]) -> dict[str, object]:
    """Returns the changed values by key. Raises ConfigError for a value that is not allowed."""
    rows = zip(offered_fields(), before, after, strict=True)
    return {field.key: _json_value(field, new) for field, old, new in rows if new != old}


def overriding_source(field: SettingField, home: Installation) -> str:
    """Returns the source that overrides the file (a variable, settings.yaml), or ""."""
    names = [
        field.environment_name,
        *(name for name, key in ENVIRONMENT_NAMES.items() if key == field.key),
    ]
    variables = [name for name in names if home.environ.get(name)]
    is_alone = len(by_leaf(field.leaf)) == 1
    in_host = field.key in home.host_settings or (is_alone and field.leaf in home.host_settings)
    return "settings.yaml" if in_host else next(iter(variables), "")


def _value_of(values: Mapping[str, object], key: str) -> object:
    section, _, leaf = key.rpartition(".")
    inner = values[section] if section else values
    return inner[leaf] if isinstance(inner, Mapping) else None


def _widget_value(field: SettingField, value: object) -> object:
    if widget_kind(field) is WidgetKind.OPTIONAL:
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return value


def _json_value(field: SettingField, value: object) -> object:
    if widget_kind(field) is not WidgetKind.OPTIONAL:
        return value
    try:
        return field.from_text(str(value or "").strip() or "null")
    except ValueError as exc:
        raise ConfigError(
            f"{field.key}: {value} is not valid; allowed: {field.allowed}", key=field.key
        ) from exc

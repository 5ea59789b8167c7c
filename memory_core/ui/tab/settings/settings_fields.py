"""Settings as widgets: their groups, kinds, values and changes, and why a value is refused."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto

from ....config.fields import ENVIRONMENT_NAMES, SettingField, by_leaf, setting_fields
from ....config.layers import display_value
from ....config.loader import refuse_bad
from ....config.schema import Settings
from ....config.section import OWN_CLASS
from ....domain.errors import ConfigError
from ....memory.installation import Installation
from ....text.locales import Words

_OTHERS = "group_other"
# The keys that come first, in this order.
GROUPS: Mapping[str, str] = {
    "group_main": "recall.enabled ltm_writes.enabled ltm_writes.on_chat_deleted"
    " ltm_writes.undo_forget_s ltm_writes.min_message_length recall.in_incognito"
    " commands.enabled api.default_user",
    "group_recall": "recall.min_need recall.full_need recall.min_share recall.min_score"
    " recall.retrieve_k recall.lines recall.candidate_n recall.sticky_turns recall.visible"
    " recall.only_named_dates recall.session_pause_min recall.time_limit_s"
    " ltm_reads.max_cosine_distance ltm_reads.num_memories_to_fetch",
    "group_prompt": "ltm_context.injection_location ltm_context.max_tokens"
    " ltm_context.system_block_max_tokens ltm_context.summary_sessions ltm_context.recent_turns"
    " ltm_context.replay_depth ltm_context.tell_today ltm_reads.memory_length_cutoff_in_chars",
    "group_templates": "",
    "group_guard": "",
    "group_limits": "",
    "group_copies": "",
    "group_embedder": "embedder.kind embedder.model embedder.base_url embedder.api_key"
    " embedder.allow_download embedder.dimensions embedder.timeout_s embedder.query_timeout_s"
    " allow_remote",
    "group_models": "llm.kind llm.base_url llm.model llm.api_key recall.use_gate"
    " recall.gate_keep_max recall.use_rerank reranker.kind reranker.base_url reranker.model"
    " reranker.api_key reranker.candidates reranker.allow_download",
    _OTHERS: "storage_dir language trace_turns console_texts",
}
# The group of the other keys, by their section.
_GROUPS_OF_SECTIONS = {
    "recall": "group_recall",
    "ltm_context": "group_prompt",
    "guard": "group_guard",
    "retention": "group_limits",
    "rolling_backup": "group_copies",
    "llm": "group_models",
    "consolidation": "group_models",
}
_ONLY_STAND_ALONE = ("backend.", "server.")
_TEMPLATE = "_template"
_TYPED_TO_REMOVE = "none"
_SECRETS = ("api_key", "backend_api_key", "dsn")


class WidgetKind(Enum):
    CHECK = auto()
    CHOICE = auto()
    WHOLE = auto()
    NUMBER = auto()
    OPTIONAL = auto()  # a number, or nothing
    TEXT = auto()
    TEMPLATE = auto()
    SECRET = auto()  # never sent to the page; empty keeps it


def grouped_fields(*, is_in_host: bool) -> dict[str, list[SettingField]]:
    """Returns all settings by group; in the host, without those of other programs."""
    keys = {group: listed.split() for group, listed in GROUPS.items()}
    placed = {key for listed in keys.values() for key in listed}
    for key in setting_fields():
        if key not in placed:
            keys[_group_of(key)].append(key)
    left_out = _ONLY_STAND_ALONE if is_in_host else ()
    return {
        group: [setting_fields()[key] for key in members if not key.startswith(left_out)]
        for group, members in keys.items()
    }


def _group_of(key: str) -> str:
    if key.endswith(_TEMPLATE):
        return "group_templates"
    return _GROUPS_OF_SECTIONS.get(key.partition(".")[0], _OTHERS)


def widget_kind(field: SettingField) -> WidgetKind:
    if field.nullable:
        return WidgetKind.OPTIONAL
    if field.choices:
        return WidgetKind.CHOICE
    if field.leaf in _SECRETS:
        return WidgetKind.SECRET
    if field.key.endswith(_TEMPLATE):
        return WidgetKind.TEMPLATE
    kinds = {bool: WidgetKind.CHECK, int: WidgetKind.WHOLE, float: WidgetKind.NUMBER}
    return kinds.get(type(field.default), WidgetKind.TEXT)


def widget_values(settings: Settings, fields: Sequence[SettingField]) -> list[object]:
    """Returns the values of these settings in the form of their widgets."""
    return [_widget_value(field, setting_value(settings, field.key)) for field in fields]


def changes(
    fields: Sequence[SettingField], before: Sequence[object], after: Sequence[object]
) -> dict[str, object]:
    """Returns the changed values by key. Raises ConfigError for a value that is not allowed."""
    rows = zip(fields, before, after, strict=True)
    found = {field.key: json_value(field, new) for field, old, new in rows if new != old}
    for key, value in found.items():
        refuse_bad(key, value)
    return found


def setting_value(settings: Settings, key: str) -> object:
    """Returns a setting's current value as a JSON value."""
    section, _, leaf = key.rpartition(".")
    values = settings.model_dump(mode="json")
    return (values[section] if section else values)[leaf]


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


def _widget_value(field: SettingField, value: object) -> object:
    if widget_kind(field) is WidgetKind.SECRET:
        return ""
    if widget_kind(field) is WidgetKind.OPTIONAL:
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return value


def json_value(field: SettingField, value: object) -> object:
    """Returns a widget's value as JSON value. Raises ConfigError for a text that is no number."""
    if widget_kind(field) is WidgetKind.SECRET:
        return "" if value == _TYPED_TO_REMOVE else value
    if widget_kind(field) is not WidgetKind.OPTIONAL:
        return value
    try:
        return field.from_text(str(value or "").strip() or "null")
    except ValueError as exc:
        raise ConfigError(
            f"{field.key}: {value} is not valid; allowed: {field.allowed}", key=field.key
        ) from exc


def refusal(field: SettingField, value: object, words: Words) -> str:
    """Returns the reason with the nearest valid value, or "" for a valid value."""
    try:
        refuse_bad(field.key, json_value(field, value))
    except ConfigError:
        return _reason(field, value, words)
    return ""


def allowed_text(field: SettingField, words: Words) -> str:
    """Returns the valid values of a setting, as part of a sentence."""
    kind = widget_kind(field)
    if field.choices:
        listed = words["list_comma"].join(field.choices)
        other = words("knob_or_class", name=OWN_CLASS) if field.takes_class else ""
        return words("knob_names", names=listed) + other
    if kind is WidgetKind.CHECK:
        return words["knob_check"]
    if kind in (WidgetKind.WHOLE, WidgetKind.NUMBER, WidgetKind.OPTIONAL):
        number = _number_text(field, words)
        return number + words["knob_or_empty"] if field.nullable else number
    return words["knob_text"]


def default_text(field: SettingField, settings: Settings, words: Words) -> str:
    """Returns a sentence with the default of a setting that has another value, else ""."""
    is_secret = widget_kind(field) is WidgetKind.SECRET
    if is_secret or setting_value(settings, field.key) == field.default:
        return ""
    if field.default is None or field.default == "":
        return words["default_is_empty"]
    if isinstance(field.default, bool):
        return words["default_is_on" if field.default else "default_is_off"]
    shown = display_value(field.key, _widget_value(field, field.default)).strip('"')
    return words("default_is", value=shown)


def _reason(field: SettingField, value: object, words: Words) -> str:
    near = _nearest(field, value)
    if value is None or value == "":
        reason = words("knob_empty", allowed=allowed_text(field, words))
    else:
        shown = display_value(field.key, value).strip('"')
        reason = words("knob_refused", value=shown, allowed=allowed_text(field, words))
    if not near:
        return reason
    return reason + words("knob_meant" if field.choices else "knob_nearest", near=near)


def _nearest(field: SettingField, value: object) -> str:
    if field.choices:
        return field.nearest_choice(value)
    number = field.nearest_number(_as_number(value))
    return "" if number is None else f"{number:.15g}"


def _as_number(value: object) -> object:
    """Returns the number in a text, or the value itself."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _number_text(field: SettingField, words: Words) -> str:
    limits = {name: f"{limit:,.15g}" for name, limit in field.bounds}
    noun = words["knob_whole" if field.is_whole else "knob_number"]
    parts = [
        words(f"knob_{name}", limit=limits[name])
        for name in ("minimum", "exclusiveMinimum", "maximum")
        if name in limits
    ]
    return noun + "".join(parts)

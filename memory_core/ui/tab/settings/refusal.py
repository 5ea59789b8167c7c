"""Explains why a setting cannot have a value, and names a valid value."""

from ....config.fields import SettingField
from ....config.layers import display_value
from ....config.loader import refuse_bad
from ....config.section import OWN_CLASS
from ....domain.errors import ConfigError
from ....text.locales import Words
from .settings_fields import WidgetKind, json_value, widget_kind


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

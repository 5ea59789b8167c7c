"""The panel of all settings, in groups, built from their descriptions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import gradio as gr

from ....config.fields import SettingField
from ....domain.errors import LongTermMemoryError
from ....text.locales import setting_help, setting_label
from ....text.problem_text import problem_text
from ..common import retention_preview
from ..common.gradio_compat import quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph
from . import settings_fields
from .settings_fields import WidgetKind, refusal

_REFUSED = "ltm-refused"
_UNSENT = object()  # equals no value: the page was sent none yet


class AdvancedPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._runtime = header.runtime
        is_in_host = self._runtime.installation.host_data is not None
        groups = settings_fields.grouped_fields(is_in_host=is_in_host)
        self._fields = [field for members in groups.values() for field in members]
        self._warned_changes = gr.State({})
        self._refused = gr.State(())
        self._widgets: list[Any] = []
        self._help = gr.HTML()
        with gr.Column(elem_id="ltm-advanced"):  # page.js hides those that are not searched for
            search = gr.Textbox(elem_id="ltm-find-setting", max_lines=1, interactive=True)
            header.labels.bind(search, "label", "find_setting")
            header.labels.bind(search, "placeholder", "find_setting_hint")
            self._none = gr.HTML(elem_id="ltm-find-none")
            for group, members in groups.items():
                with header.accordion(group, "ltm-setting-group"):
                    self._build_group(members)
        with gr.Row():
            self._reset = header.button("reset", "ltm-discard")
            self._save = header.button("save", "ltm-save", variant="primary")
        self._message = gr.HTML(elem_id="ltm-saved")
        self._notes = [self._help, self._message, self._none]
        self._sent = gr.State({})  # the value of each key that the page was last sent
        header.remember(self._sent)
        states = (self._warned_changes, self._sent, self._refused)
        self.outputs = [*self._notes, *states, *self._widgets]

    def _build_group(self, group: Sequence[SettingField]) -> None:
        for start in range(0, len(group), 2):
            with gr.Row():
                self._widgets += [_widget(field) for field in group[start : start + 2]]

    def wire(self, refresh: Refresh) -> None:
        on, everything = self._header.on, (self._warned_changes, self._sent, *self._widgets)
        given = (self._refused, *everything)
        saved = on(self._save.click, self._save_changes, self.outputs, *given, **quiet())
        refresh.excluding(self.outputs).after(saved)
        on(self._reset.click, self._discard_changes, self.outputs, **quiet())
        entered = [
            event
            for field, widget in zip(self._fields, self._widgets, strict=True)
            for event in _entering(field, widget)
        ]
        on(
            partial(gr.on, entered),
            self._check_entered,
            [self._refused, *self._widgets],
            *given,
            **quiet(),
            trigger_mode="always_last",
        )

    def show(self, view: Selection) -> Updates:
        """Updates the settings that have changed; values that are not saved yet stay.

        A refresh also leaves messages as they are; another language changes all labels.
        """
        shown = self._show_settings(view, "")
        help_html, message, none, warned, values, refused, *updates = shown
        sent = view.page.get(self._sent, {})
        kept = [
            _kept(update, view) if sent.get(field.key, _UNSENT) == values[field.key] else update
            for field, update in zip(self._fields, updates, strict=True)
        ]
        if view.is_refresh:
            message = none = warned = refused = gr.skip()
        return [help_html, message, none, warned, values, refused, *kept]

    def _discard_changes(self, view: Selection, given: InputValues) -> Updates:
        return self._show_settings(view, "")

    def _save_changes(self, view: Selection, given: InputValues) -> Updates:
        """Saves the changed values.

        A bad value stays in its widget, with a message. Limits that would remove memories are
        saved only at the second click.
        """
        if self._header.is_shared:
            return self._show_settings(view, view.words["shared_page"])
        if refused := self._refusals(given, view):
            marks = self._marks(refused, given, view)
            return self._keep_widgets(_refused_text(refused, view), {}, marks)
        try:
            changes = settings_fields.changes(self._fields, *self._before_and_after(given))
            warned = given[self._warned_changes]
            if message := retention_preview.unsaved_warning(
                self._runtime, changes, warned, view.words
            ):
                return self._keep_widgets(message, changes)
            if changes:
                self._runtime.save_settings(changes)
        except LongTermMemoryError as exc:
            reason = problem_text(str(exc), view.words)
            return self._keep_widgets(view.words("setting_refused", reason=reason), {})
        return self._show_settings(view, _saved_text(changes, view))

    def _before_and_after(self, given: InputValues) -> tuple[list[object], list[object]]:
        """Returns the values that the page was last sent, and those in its widgets now."""
        sent = given[self._sent]
        before = [sent.get(field.key) for field in self._fields]
        return before, [given[widget] for widget in self._widgets]

    def _refusals(self, given: InputValues, view: Selection) -> dict[str, str]:
        """Returns the reason by key for each changed value that cannot be saved."""
        rows = zip(self._fields, *self._before_and_after(given), strict=True)
        found = {
            field.key: refusal(field, now, view.words) for field, old, now in rows if now != old
        }
        return {key: reason for key, reason in found.items() if reason}

    def _check_entered(self, view: Selection, given: InputValues) -> Updates:
        """Shows beside a setting, in place of its help, why it cannot have the entered value."""
        return self._marks(self._refusals(given, view), given, view)

    def _marks(self, found: Mapping[str, str], given: InputValues, view: Selection) -> Updates:
        """Returns the keys of the refused settings, and the update of each widget."""
        before = given[self._refused]
        return [tuple(found), *(self._mark(field, found, before, view) for field in self._fields)]

    def _mark(
        self, field: SettingField, found: Mapping[str, str], before: Sequence[str], view: Selection
    ) -> Any:  # noqa: ANN401
        if field.key in found:
            return gr.update(info=found[field.key], elem_classes=[_REFUSED])
        if field.key in before:
            return gr.update(info=self._info(field, view), elem_classes=[])
        return gr.skip()

    def _keep_widgets(
        self, message: str, warned: Mapping[str, object], marks: Updates | None = None
    ) -> Updates:
        kept = marks or [gr.skip()] * (1 + len(self._widgets))
        return [gr.skip(), paragraph(message), gr.skip(), dict(warned), gr.skip(), *kept]

    def _show_settings(self, view: Selection, message: str) -> Updates:
        values = settings_fields.widget_values(self._runtime.settings, self._fields)
        updates = [
            self._update(field, value, view)
            for field, value in zip(self._fields, values, strict=True)
        ]
        key = "shared_page" if self._header.is_shared else "advanced_help"
        head = paragraph(view.words[key])
        sent = {field.key: value for field, value in zip(self._fields, values, strict=True)}
        notes = [head, paragraph(message), paragraph(view.words["find_setting_none"])]
        return [*notes, {}, sent, (), *updates]

    def _update(self, field: SettingField, value: object, view: Selection) -> Any:  # noqa: ANN401
        elsewhere = settings_fields.overriding_source(field, self._runtime.installation)
        return gr.update(
            value=value,
            label=setting_label(field.key, view.language),
            info=self._info(field, view),
            interactive=not (elsewhere or self._header.is_shared),
            elem_classes=[],
        )

    def _info(self, field: SettingField, view: Selection) -> str:
        """Returns the help, the default of a changed setting, and the source that overrides it."""
        info = [_help(field, view.language)]
        if default := settings_fields.default_text(field, self._runtime.settings, view.words):
            info.append(default)
        if settings_fields.widget_kind(field) is WidgetKind.SECRET:
            info.append(view.words["secret_kept"])
        if elsewhere := settings_fields.overriding_source(field, self._runtime.installation):
            info.append(view.words("elsewhere", where=elsewhere))
        return view.words["sentence_gap"].join(info)


def _kept(update: Mapping[str, Any], view: Selection) -> Any:  # noqa: ANN401
    """Returns the update of a widget without its value, in which somebody may have typed."""
    if view.is_refresh:
        return gr.skip()
    return {name: value for name, value in update.items() if name != "value"}


def _help(field: SettingField, language: str) -> str:
    """Returns the help; an empty field stands for the null of the settings file."""
    return setting_help(field.key, field.description, language).replace("null:", "empty:")


def _saved_text(changes: Mapping[str, object], view: Selection) -> str:
    if not changes:
        return view.words["unchanged"]
    labels = view.words["list_comma"].join(setting_label(key, view.language) for key in changes)
    return view.words("saved", keys=labels)


def _refused_text(refused: Mapping[str, str], view: Selection) -> str:
    words = view.words
    reasons = (
        words("label_and_value", label=setting_label(key, view.language), value=text)
        for key, text in refused.items()
    )
    return words["sentence_gap"].join([words["knobs_refused"], *reasons])


def _entering(field: SettingField, widget: Any) -> list[Any]:  # noqa: ANN401
    """Returns the events at which a value is checked; none for a widget that takes any value."""
    match settings_fields.widget_kind(field):
        case WidgetKind.WHOLE | WidgetKind.NUMBER:
            return [widget.input, widget.submit]
        case WidgetKind.OPTIONAL:
            return [widget.blur, widget.submit]
        case WidgetKind.CHOICE if field.takes_class:
            return [widget.input, widget.blur]
    return []


def _widget(field: SettingField) -> Any:  # noqa: ANN401
    said: dict[str, Any] = {
        "label": field.key,
        "info": field.description,
        "elem_id": f"ltm-knob-{field.key.replace('.', '-')}",
    }
    match settings_fields.widget_kind(field):
        case WidgetKind.CHECK:
            return gr.Checkbox(**said)
        case WidgetKind.CHOICE:
            return gr.Dropdown([*field.choices], allow_custom_value=field.takes_class, **said)
        case WidgetKind.WHOLE:
            return gr.Number(precision=0, **said)
        case WidgetKind.NUMBER:
            return gr.Number(**said)
        case WidgetKind.TEMPLATE:
            return gr.Textbox(lines=3, max_lines=10, **said)
        case WidgetKind.SECRET:
            return gr.Textbox(type="password", **said)
    return gr.Textbox(**said)

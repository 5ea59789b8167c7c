"""The panel of the commonly changed settings, built from their descriptions."""

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from ....config.fields import SettingField
from ....config.fields import setting_fields as all_fields
from ....domain.errors import LongTermMemoryError
from ....text.locales import setting_label
from ..common import retention_preview, status
from ..common.frame import InputValues, Selection, TabHeader, Updates
from . import settings_fields
from .settings_fields import WidgetKind


class SettingsPanel:
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._runtime = frame.hooks.runtime
        self._fields = settings_fields.offered_fields()
        self._shown_values = gr.State([])
        self._warned_changes = gr.State({})
        self._widgets: list[Any] = []
        for group, keys in settings_fields.GROUPS.items():
            accordion = gr.Accordion(open=group == "group_main")
            with frame.labels.bind(accordion, "label", group):
                self._build_group([all_fields()[key] for key in keys])
        with gr.Row():
            reset = gr.Button(size="sm")
            self._reset = frame.labels.bind(reset, "value", "reset")
            save = gr.Button(variant="primary", size="sm", elem_id="ltm-save")
            self._save = frame.labels.bind(save, "value", "save")
        self._message = gr.HTML(elem_id="ltm-saved")
        self.outputs = [self._message, self._warned_changes, self._shown_values, *self._widgets]

    def _build_group(self, group: Sequence[SettingField]) -> None:
        for start in range(0, len(group), 2):
            with gr.Row():
                self._widgets += [self._widget(field) for field in group[start : start + 2]]

    def _widget(self, field: SettingField) -> Any:  # noqa: ANN401
        said: dict[str, Any] = {
            "label": field.key,
            "info": field.description,
            "elem_id": f"ltm-knob-{field.key.replace('.', '-')}",
        }
        match settings_fields.widget_kind(field):
            case WidgetKind.CHECK:
                return gr.Checkbox(**said)
            case WidgetKind.CHOICE:
                return gr.Dropdown(choices=settings_fields.choices(field), **said)
            case WidgetKind.WHOLE:
                return gr.Number(precision=0, **said)
            case WidgetKind.NUMBER:
                return gr.Number(**said)
            case WidgetKind.TEMPLATE:
                return gr.Textbox(lines=3, max_lines=10, **said)
        return gr.Textbox(**said)

    def wire(self) -> None:
        everything = self._frame.inputs(self._warned_changes, self._shown_values, *self._widgets)
        self._save.click(self._save_changes, everything, self.outputs)
        self._reset.click(self._discard_changes, self._frame.inputs(), self.outputs)

    def show(self, view: Selection) -> Updates:
        return self._show_settings(view, "")

    def _discard_changes(self, given: InputValues, request: gr.Request) -> Updates:
        return self._show_settings(self._frame.read_selection(given, request), "")

    def _save_changes(self, given: InputValues, request: gr.Request) -> Updates:
        """Saves the changed values.

        A bad value stays in its widget, with a message. Limits that would remove memories are
        saved only at the second click.
        """
        view = self._frame.read_selection(given, request)
        if self._frame.hooks.host.is_multi_user():
            return self._show_settings(view, view.words["shared_page"])
        try:
            after = [given[widget] for widget in self._widgets]
            changes = settings_fields.changes(given[self._shown_values], after)
            warned = given[self._warned_changes]
            if message := retention_preview.unsaved_warning(
                self._runtime, changes, warned, view.words
            ):
                return self._keep_widgets(message, changes)
            if changes:
                self._runtime.save_settings(changes)
        except LongTermMemoryError as exc:
            return self._keep_widgets(str(exc), {})
        key = "saved" if changes else "unchanged"
        return self._show_settings(view, view.words(key, keys=", ".join(changes)))

    def _keep_widgets(self, message: str, warned: Mapping[str, object]) -> Updates:
        return [status.paragraph(message), dict(warned), *(gr.skip() for _ in self.outputs[2:])]

    def _show_settings(self, view: Selection, message: str) -> Updates:
        values = settings_fields.widget_values(self._runtime.settings)
        updates = [
            self._update(field, value, view)
            for field, value in zip(self._fields, values, strict=True)
        ]
        return [status.paragraph(message), {}, values, *updates]

    def _update(self, field: SettingField, value: object, view: Selection) -> Any:  # noqa: ANN401
        elsewhere = settings_fields.overriding_source(field, self._runtime.installation)
        info = [field.description]
        if settings_fields.widget_kind(field) is WidgetKind.OPTIONAL:
            info.append(view.words["empty_none"])
        if elsewhere:
            info.append(view.words("elsewhere", where=elsewhere))
        return gr.update(
            value=value,
            label=setting_label(field.key, view.language),
            info=" ".join(info),
            interactive=not elsewhere,
        )

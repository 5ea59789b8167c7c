"""The panel of the settings that a user would turn, made from their descriptions."""

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from ....config.fields import Knob
from ....config.fields import knobs as all_knobs
from ....domain.errors import LongTermMemoryError
from ....text.locales import setting_label
from ..common import status
from ..common.frame import Frame, Given, Updates, View
from . import retention_preview, settings_fields
from .settings_fields import Kind


class KnobsPanel:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._runtime = frame.hooks.runtime
        self._knobs = settings_fields.offered()
        self._before = gr.State([])
        self._warned = gr.State({})
        self._widgets: list[Any] = []
        for group, keys in settings_fields.GROUPS.items():
            accordion = gr.Accordion(open=group == "group_main")
            with frame.labels.put(accordion, "label", group):
                self._build_group([all_knobs()[key] for key in keys])
        with gr.Row():
            reset = gr.Button(size="sm")
            self._reset = frame.labels.put(reset, "value", "reset")
            save = gr.Button(variant="primary", size="sm", elem_id="ltm-save")
            self._save = frame.labels.put(save, "value", "save")
        self._told = gr.HTML(elem_id="ltm-saved")
        self.outputs = [self._told, self._warned, self._before, *self._widgets]

    def _build_group(self, group: Sequence[Knob]) -> None:
        for at in range(0, len(group), 2):
            with gr.Row():
                self._widgets += [self._widget(knob) for knob in group[at : at + 2]]

    def _widget(self, knob: Knob) -> Any:  # noqa: ANN401
        said: dict[str, Any] = {
            "label": knob.key,
            "info": knob.description,
            "elem_id": f"ltm-knob-{knob.key.replace('.', '-')}",
        }
        match settings_fields.kind(knob):
            case Kind.CHECK:
                return gr.Checkbox(**said)
            case Kind.CHOICE:
                return gr.Dropdown(choices=settings_fields.choices(knob), **said)
            case Kind.WHOLE:
                return gr.Number(precision=0, **said)
            case Kind.NUMBER:
                return gr.Number(**said)
            case Kind.TEMPLATE:
                return gr.Textbox(lines=3, max_lines=10, **said)
        return gr.Textbox(**said)

    def wire(self) -> None:
        everything = self._frame.inputs(self._warned, self._before, *self._widgets)
        self._save.click(self._saved, everything, self.outputs)
        self._reset.click(self._discarded, self._frame.inputs(), self.outputs)

    def show(self, view: View) -> Updates:
        return self._shown(view, "")

    def _discarded(self, given: Given, request: gr.Request) -> Updates:
        return self._shown(self._frame.view(given, request), "")

    def _saved(self, given: Given, request: gr.Request) -> Updates:
        """A bad value stays in its widget, beside what is wrong with it; so do limits that would
        let memories go, until they are saved a second time.
        """
        view = self._frame.view(given, request)
        if self._frame.hooks.host.is_multi_user():
            return self._shown(view, view.words["shared_page"])
        try:
            after = [given[widget] for widget in self._widgets]
            changes = settings_fields.changes(given[self._before], after)
            warned = given[self._warned]
            if told := retention_preview.objection(self._runtime, changes, warned, view.words):
                return self._stays(told, changes)
            if changes:
                self._runtime.save_settings(changes)
        except LongTermMemoryError as exc:
            return self._stays(str(exc), {})
        key = "saved" if changes else "unchanged"
        return self._shown(view, view.words(key, keys=", ".join(changes)))

    def _stays(self, told: str, warned: Mapping[str, object]) -> Updates:
        return [status.line(told), dict(warned), *(gr.skip() for _ in self.outputs[2:])]

    def _shown(self, view: View, told: str) -> Updates:
        values = settings_fields.shown(self._runtime.settings)
        updates = [
            self._update(knob, value, view) for knob, value in zip(self._knobs, values, strict=True)
        ]
        return [status.line(told), {}, values, *updates]

    def _update(self, knob: Knob, value: object, view: View) -> Any:  # noqa: ANN401
        elsewhere = settings_fields.decided_by(knob, self._runtime.home)
        info = [knob.description]
        if settings_fields.kind(knob) is Kind.OPTIONAL:
            info.append(view.words["empty_none"])
        if elsewhere:
            info.append(view.words("elsewhere", where=elsewhere))
        return gr.update(
            value=value,
            label=setting_label(knob.key, view.language),
            info=" ".join(info),
            interactive=not elsewhere,
        )

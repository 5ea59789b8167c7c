"""The table of what memories take on disk, filled only when somebody asks for it."""

from typing import Any

import gradio as gr

from ..common import status
from ..common.frame import Frame, Given, Updates, View
from ..common.gradio_compat import at_most
from . import usage_rows


class UsagePanel:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        put = frame.labels.put
        self._help = gr.HTML()
        measure = gr.Button(size="sm", elem_id="ltm-measure")
        self._measure = put(measure, "value", "usage_measure")
        table = gr.Dataframe(
            headers=list(usage_rows.COLUMNS),
            datatype="str",
            type="array",
            interactive=False,
            wrap=True,
            elem_id="ltm-usage",
            column_widths=["20%", "10%", "10%", "30%", "10%", "10%", "10%"],
            **at_most(420),
        )
        self._table = put(table, "label", "usage_table")
        self.outputs = [self._help, self._table]

    def wire(self) -> None:
        self._measure.click(self._measured, self._frame.inputs(), self._table)

    def show(self, view: View) -> Updates:
        """Nothing is measured by opening the page."""
        return [status.line(view.words["usage_help"]), self._shown(view, [])]

    def _measured(self, given: Given, request: gr.Request) -> dict[str, Any]:
        view = self._frame.view(given, request)
        return self._shown(view, usage_rows.rows(self._frame.hooks, view.namespace, view.words))

    def _shown(self, view: View, rows: list[usage_rows.Row]) -> dict[str, Any]:
        return {"headers": [view.words[it] for it in usage_rows.COLUMNS], "data": rows}

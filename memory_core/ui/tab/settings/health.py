"""The panel that runs the self-test and shows the state of memory in detail."""

from collections.abc import Iterator

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....text.locales import tab_words
from ....text.problem_text import failure_text
from ..common import status
from ..common.actions import drawn_anew
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.gradio_compat import quiet
from . import health_rows


class HealthPanel(Panel):
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        put = frame.labels.bind
        self._help = gr.HTML()
        test = gr.Button(size="sm", elem_id="ltm-selftest")
        self._test = put(test, "value", "health_test")
        self._message = gr.HTML(elem_id="ltm-selftested")
        self._table = gr.HTML(elem_id="ltm-health")
        self.outputs = [self._help, self._table]

    def wire(self, refresh: Refresh) -> None:
        given = self._frame.inputs()
        done = self._test.click(self._test_now, given, self._message, **quiet())
        done.then(self._refresh_rows, given, self._table)

    def show(self, view: Selection) -> Updates:
        return [status.paragraph(view.words["health_help"]), self._rows(view)]

    def _refresh_rows(self, given: InputValues, request: gr.Request) -> str:
        return self._rows(self._frame.read_selection(given, request))

    def _rows(self, view: Selection) -> str:
        """Returns the table, or a row with the problem if the state cannot be read now."""
        words = view.words
        try:
            found = health_rows.rows(self._frame.administration, view.namespace, words)
        except LongTermMemoryError as exc:
            is_shared = self._frame.hooks.host.is_multi_user()
            message = words["told_in_log"] if is_shared else failure_text(exc, words)
            found = [[words["problems"], message]]
        return drawn_anew(health_rows.table_html(found, words))

    def _test_now(self, given: InputValues) -> Iterator[str]:
        words = tab_words(given[self._frame.language])
        yield status.paragraph(words["health_testing"])
        yield health_rows.run_self_test(self._frame.hooks, words)

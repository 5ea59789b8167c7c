"""A heading of the settings, in the language of the page."""

import gradio as gr

from ..common import status
from ..common.frame import Selection, Updates


class Heading:
    def __init__(self, key: str) -> None:
        self._key = key
        self.outputs = [gr.HTML()]

    def wire(self) -> None:
        """Has nothing to connect."""

    def show(self, view: Selection) -> Updates:
        return [f'<h3 class="ltm-title">{status.escaped(view.words[self._key])}</h3>']

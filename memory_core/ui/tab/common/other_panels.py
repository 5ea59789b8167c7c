"""Updates all panels except one, which keeps the message about its last action."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from .frame import InputValues, Updates


class OtherPanels:
    """The parts of the tab that do not belong to one panel."""

    def __init__(
        self,
        refresh: Callable[[InputValues, gr.Request], Updates],
        outputs: Sequence[Any],
        own: Sequence[Any],
    ) -> None:
        """`refresh` updates `outputs`, which include the panel's `own`."""
        self._refresh = refresh
        self._is_other = [not any(part is mine for mine in own) for part in outputs]
        self.parts = self._others(outputs)

    def update(self, given: InputValues, request: gr.Request) -> Updates:
        """Returns an update for each of `parts`."""
        return self._others(self._refresh(given, request))

    def _others(self, values: Sequence[Any]) -> list[Any]:
        return [value for value, other in zip(values, self._is_other, strict=True) if other]

"""The demo's theme: Gradio's own, with bold letters from its complete font file."""

from typing import Any

import gradio as gr
from gradio.themes.utils import fonts

# Gradio's file of weight 600 holds a few letters only; the others would come from another font.
_WEIGHTS = (400, 700)


def local_theme() -> Any:  # noqa: ANN401  (Gradio's)
    """Returns the theme; its fonts come from this machine."""
    letters = fonts.LocalFont("Source Sans Pro", weights=_WEIGHTS)
    return gr.themes.Default(font=[letters, "ui-sans-serif", "system-ui", "sans-serif"])

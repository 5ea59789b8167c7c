"""The tab's stylesheet, the `.css` files of all rooms as one element, and its script."""

from functools import cache
from pathlib import Path

import gradio as gr

from .gradio_compat import open_events

_HERE = Path(__file__).resolve().parent


def add_style() -> None:
    """Adds the stylesheet to the gr.Blocks that is open now."""
    gr.HTML(f"<style>{stylesheet()}</style>", elem_id="ltm-style")


def add_script() -> None:
    """Makes the page run page.js, inside the gr.Blocks that is open now."""
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    gr.on(open_events(), None, None, None, js=script)


@cache
def stylesheet() -> str:
    """Returns all rules; those of `common` come first."""
    files = sorted(_HERE.parent.glob("*/*.css"))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)

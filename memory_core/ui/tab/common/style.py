"""The tab's stylesheet: the `.css` files of all rooms, as one element."""

from functools import cache
from pathlib import Path

import gradio as gr

_TAB = Path(__file__).resolve().parent.parent


def add_style() -> None:
    """Adds the stylesheet to the gr.Blocks that is open now."""
    gr.HTML(f"<style>{stylesheet()}</style>", elem_id="ltm-style")


@cache
def stylesheet() -> str:
    """Returns all rules; those of `common` come first."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(_TAB.glob("*/*.css")))

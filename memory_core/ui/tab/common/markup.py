"""Pieces of HTML that all panels use. They escape each text that they are given."""

import html
from collections.abc import Sequence

from ....domain.unicode import well_formed
from ....text.locales import Words
from ....text.problem_text import failure_text


def escaped(text: str) -> str:
    """Escapes a text for HTML. Names from a disk may contain bytes that no page can show."""
    return html.escape(well_formed(text))


def paragraph(text: str, style: str = "ltm-line") -> str:
    """Returns a paragraph with this CSS class, or nothing for an empty text."""
    return f'<p class="{style}">{escaped(text)}</p>' if text else ""


def failure(exc: Exception, words: Words) -> str:
    """Returns a paragraph that says in the reader's words what went wrong."""
    return paragraph(failure_text(exc, words))


def section_head(title: str, help_text: str) -> str:
    """Returns a heading with the purpose of the section below it."""
    return f"<h3>{escaped(title)}</h3>{paragraph(help_text, 'ltm-muted')}"


def card(title: str, *parts: str, kind: str = "") -> str:
    """Returns a card with a heading; `parts` are HTML."""
    return f'<section class="ltm-card {kind}"><h4>{escaped(title)}</h4>{"".join(parts)}</section>'


def bullets(texts: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(text)}</li>' for text in texts)}</ul>" if texts else ""


def first_of(texts: Sequence[str], most: int, words: Words) -> list[str]:
    """Returns the first texts, and a last one with the number of the others, if there are more."""
    more = len(texts) - most
    return [*texts[:most], *([words("import_more", count=more)] if more > 0 else [])]


def folded(title: str, inner: str, state: str = "") -> str:
    """Returns a folded part, or an unfolded one with the state `open`; `inner` is HTML."""
    summary = f"<summary>{escaped(title)}</summary>"
    return f'<details class="ltm-fold" {state}>{summary}{inner}</details>'


def row(*parts: str) -> str:
    """Returns parts, mostly buttons, beside each other."""
    return f'<div class="ltm-row">{"".join(parts)}</div>'

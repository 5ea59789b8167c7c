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


def folded(title: str, inner: str, *, style: str = "ltm-fold", is_open: bool = False) -> str:
    """Returns a folded part with this CSS class; `inner` is HTML."""
    state = " open" if is_open else ""
    return f'<details class="{style}"{state}><summary>{escaped(title)}</summary>{inner}</details>'


def text_area(name: str, label: str, value: str, *, rows: int) -> str:
    """Returns a labelled field of a form."""
    return (
        f'<label class="ltm-field">{escaped(label)}'
        f'<textarea name="{name}" rows="{rows}">\n{escaped(value)}</textarea></label>'
    )


def progress_bar(label: str, value: int = 0, maximum: int = 0) -> str:
    """Returns a bar; without a maximum it moves, because the end is unknown."""
    share = f' max="{maximum}" value="{min(value, maximum)}"' if maximum else ""
    return f'<progress class="ltm-progress" aria-label="{escaped(label)}"{share}></progress>'


def pairs_table(rows: Sequence[Sequence[str]], *, label: str, head: Sequence[str] = ()) -> str:
    """Returns rows of a name and its value as a table that is never wider than its page."""
    titles = "".join(f'<th scope="col">{escaped(title)}</th>' for title in head)
    lines = "".join(
        f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(value)}</td></tr>'
        for name, value in rows
    )
    return (
        f'<table class="ltm-table ltm-pairs" aria-label="{escaped(label)}">'
        f"{f'<thead><tr>{titles}</tr></thead>' if head else ''}<tbody>{lines}</tbody></table>"
    )


def row(*parts: str) -> str:
    """Returns parts, mostly buttons, beside each other."""
    return f'<div class="ltm-row">{"".join(parts)}</div>'

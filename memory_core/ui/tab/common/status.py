"""The head of the tab as HTML: problems, models in use, counts of memories."""

import html
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ....host.hooks import Hooks
from ....infra.unicode import well_formed
from ....memory.embedding import EmbeddingProgress
from ....providers.embedders.base import Embedder
from ....text.locales import Words

_BOX = "border-left: 4px solid {colour}; padding: 0.4em 0.8em; margin: 0.2em 0;"


def problems(hooks: Hooks, words: Words) -> list[str]:
    """Returns the problems in plain words; a shared page gets none that names a person."""
    if hooks.host.is_multi_user():
        return [words["told_in_log"]] if hooks.runtime.problems() else []
    owner = getattr(hooks.host, "owner_before_us", None)
    before_us = owner() if owner else ""
    lines = [words("owner_before_us", name=before_us)] if before_us else []
    if hooks.skipped_calls:
        lines.append(words("skipped", count=hooks.skipped_calls))
    return lines + hooks.runtime.problems()


def banner_html(found: Sequence[str], words: Words) -> str:
    if not found:
        return _box("#3a9d5d", escaped(words["all_well"]))
    items = "".join(f"<li>{escaped(text)}</li>" for text in found)
    inner = f"<b>{escaped(words['problems'])}</b><ul>{items}</ul>"
    return _box("#d9822b", inner)


def escaped(text: str) -> str:
    """Escapes a text for HTML. Names from a disk may hold bytes that no page can show."""
    return html.escape(well_formed(text))


def paragraph(text: str) -> str:
    """Returns an escaped paragraph for a gr.HTML, or nothing for an empty text."""
    return f'<p style="margin: 0.3em 0">{escaped(text)}</p>' if text else ""


def embedder_state(embedder: Embedder | None, words: Words) -> str:
    """Returns the model's name, or a note that recall goes by words alone."""
    if embedder is None:
        return f"{words['words_only']}: {words['no_embedder']}"
    return embedder.fingerprint


def progress_html(found: EmbeddingProgress | None, words: Words) -> str:
    """Returns the progress of embedding as a line, or nothing once it is complete."""
    if found is None:
        return ""
    key = "reembedding" if found.is_reembedding else "embedding"
    return paragraph(words(key, done=found.done, whole=found.total))


def facts_html(
    counts: Mapping[str, int] | None,
    *,
    embedder: str,
    folder: Path | None,
    words: Words,
    paused: str = "",
) -> str:
    """Returns one line of labelled values; `counts` is None if nothing is remembered yet."""
    pairs = [*_count_labels(counts, words)] if counts else [(words["live"], words["nobody"])]
    pairs += [(words["embedder"], embedder)]
    pairs += [(words["storage"], str(folder))] if folder else []
    pairs += [(words["paused"], paused)] if paused else []
    return " &nbsp; ".join(f"<b>{escaped(k)}</b> {escaped(v)}" for k, v in pairs)


def _count_labels(counts: Mapping[str, int], words: Words) -> Iterable[tuple[str, str]]:
    yield words["live"], str(counts["live"])
    yield words["forgotten_count"], str(counts["forgotten"])
    yield words["conversations"], str(counts["conversations"])
    embedded = words("of", part=counts["embedded"], whole=counts["vectors"])
    yield words["embedded"], embedded


def _box(colour: str, inner: str) -> str:
    return f'<div style="{_BOX.format(colour=colour)}">{inner}</div>'

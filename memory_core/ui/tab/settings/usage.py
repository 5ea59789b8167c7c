"""The panel that measures disk use; the table stays empty until a click."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import gradio as gr

from ....domain.namespaces import Namespace
from ....host.hooks import Hooks
from ....storage.disk_usage import Usage, backups_of, format_size, usage
from ....text.locales import Words
from ..common import visible_namespaces
from ..common.actions import drawn_anew
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import pairs_table, paragraph

Row = tuple[str, Usage]  # whose memories, and their disk use

MOST = 50


def rows(hooks: Hooks, namespace: Namespace | None, words: Words) -> list[Row]:
    """Measures all folders, or the visitor's own on a shared page. Slow, so only on request."""
    if not hooks.host.is_multi_user():
        return list(_all(hooks, words))
    if namespace is None:
        return []
    memory = hooks.runtime.memory
    space = memory.resolve(namespace)
    used = replace(memory.shared.measure(space), backups=backups_of(space, memory.root))
    return [(visible_namespaces.namespace_label(namespace, words), used)]


def _all(hooks: Hooks, words: Words) -> Iterator[Row]:
    """Yields a row for each of the largest namespaces, one for the rest and one for all."""
    memory = hooks.runtime.memory
    storage = usage(memory.root, memory.namespaces(), memory.shared.measure)
    label = visible_namespaces.labels_among(list(storage.namespaces), words)
    largest_first = list(storage.namespaces.items())
    yield from ((label(space), used) for space, used in largest_first[:MOST])
    if rest := dict(largest_first[MOST:]):
        more = replace(storage, namespaces=rest, other_backups=0).total
        yield words("usage_more", count=len(rest)), more
    yield words["usage_all"], storage.total


def table_html(found: Sequence[Row], words: Words) -> str:
    """Returns the rows as a table, with the sizes of a namespace below each other."""
    head = [words["usage_who"], words["usage_table"]]
    pairs = [(who, _sizes_text(used, words)) for who, used in found]
    return pairs_table(pairs, label=words["usage_table"], head=head)


def _sizes_text(used: Usage, words: Words) -> str:
    largest_first = sorted(used.index.items(), key=lambda part: -part[1])
    parts = words["list_comma"].join(
        f"{words[f'usage_part_{name}']} {format_size(count)}" for name, count in largest_first
    )
    sizes = {
        "usage_logs": format_size(used.logs),
        "usage_index": format_size(used.derived),
        "usage_parts": parts,
        "usage_other": format_size(used.other),
        "usage_total": format_size(used.total),
        "usage_backups": format_size(used.backups),
    }
    return "\n".join(
        words("label_and_value", label=words[key], value=size) for key, size in sizes.items()
    )


class UsagePanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._help = gr.HTML()
        self._measure = header.button("usage_measure", "ltm-measure")
        self._table = gr.HTML(elem_id="ltm-usage")
        self.outputs = [self._help, self._table]

    def wire(self, refresh: Refresh) -> None:
        self._header.on(self._measure.click, self._measure_now, self._table)

    def show(self, view: Selection) -> Updates:
        """Empties the table, because opening the page measures nothing."""
        table = gr.skip() if view.is_refresh else drawn_anew("")
        return [paragraph(view.words["usage_help"]), table]

    def _measure_now(self, view: Selection, given: InputValues) -> str:
        return drawn_anew(
            table_html(rows(self._header.hooks, view.namespace, view.words), view.words)
        )

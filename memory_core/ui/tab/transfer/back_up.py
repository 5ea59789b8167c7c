"""The panel that makes files of memories: a backup of all, one character's, other formats."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from ....admin.administration import Administration
from ....admin.backup.copy_folder import BackupCopy
from ....admin.backup.writer import log_files, write_backup
from ....admin.exporters.character_file import write_character_file
from ....admin.exporters.export import ENDINGS, ExportFormat, export_all, export_namespace
from ....domain.errors import LongTermMemoryError, StorageError
from ....domain.namespaces import Namespace, Scope
from ....domain.unicode import well_formed
from ....memory.long_term_memory import LongTermMemory
from ....memory.runtime import Runtime
from ....storage.aliases import Aliases
from ....text.locales import Words
from ....text.problem_text import failure_text
from ..common.actions import button_html
from ..common.downloads import Downloads
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import escaped, folded, paragraph
from ..common.wording import minute
from .intake_view import FIELD

FORMATS = tuple(form.value for form in ExportFormat)
ZIP = ".zip"


def back_up(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    downloads: Downloads,
    aliases: Aliases | None,
    words: Words,
) -> tuple[Path, str]:
    """Backs up namespaces into one zip; returns it and a message as HTML. Raises StorageError.

    `aliases` are the other names of people and characters, if they are to be in it.
    """
    path = downloads.new_path(None, ZIP)
    with log_files(memory, spaces) as root:
        done = write_backup(path, root, spaces, now=time.time(), aliases=aliases)
    return path, _done_text([memory.counts(space) for space in spaces], done.damaged, words)


def save_character(
    runtime: Runtime, namespace: Namespace, downloads: Downloads, words: Words
) -> tuple[Path, str]:
    """Writes one character's file, to lie beside its card. Raises StorageError."""
    path = downloads.new_character_path(namespace)
    done = write_character_file(runtime, namespace, path)
    return path, paragraph(words("export_done", count=done.exchanges + done.notes))


def export(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    form: str,
    downloads: Downloads,
    words: Words,
) -> tuple[Path, str]:
    """Exports namespaces into one file; returns it and a message as HTML. Raises StorageError."""
    kind = ExportFormat(form)
    path = downloads.new_path(spaces[0] if len(spaces) == 1 else None, ENDINGS[kind])
    if len(spaces) == 1:
        export_namespace(memory, spaces[0], kind, path)
    else:
        export_all(memory, spaces, kind, path)
    return path, _done_text([memory.counts(space) for space in spaces], 0, words)


def _done_text(counts: Sequence[dict[str, int]], damaged: int, words: Words) -> str:
    count = sum(count["live"] for count in counts)
    message = paragraph(words("export_done", count=count))
    if damaged:
        message += paragraph(words("export_damaged", count=damaged))
    return message


_MAX_LISTED = 30
# The page starts the download itself: the file exists only after the click.
_DOWNLOAD = """file => {
  const found = Array.isArray(file) ? file[0] : file;
  if (!found || !found.url) return [];
  const link = document.createElement('a');
  link.href = found.url;
  link.download = decodeURIComponent(found.url.split('/').pop());  // 4.37 sends no orig_name
  document.body.appendChild(link);
  link.click();
  link.remove();
  return [];
}"""


class BackUpPanel(Panel):
    """Makes files to download; on a shared page everybody gets their own."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        put = header.labels.bind
        self._help = gr.HTML(elem_id="ltm-backup-help")
        with gr.Row():
            self._all = header.button("backup_all", "ltm-backup-all", variant="primary")
            link = gr.DownloadButton(size="sm", visible=False, elem_id="ltm-export-file")
            self._file = put(link, "label", "export_download")
            # A refresh hides the link; the page takes the file to download from here.
            self._started = gr.DownloadButton(elem_classes="ltm-hidden", elem_id="ltm-started")
        self._message = gr.HTML(elem_id="ltm-exported")
        self._carry_help = gr.HTML(elem_id="ltm-carry-help")
        with gr.Row():
            self._carry = gr.Button(size="sm", elem_id="ltm-carry")
        with header.accordion("other_formats"):
            self._build_formats()
        self._copies = gr.HTML(elem_id="ltm-copies")
        self._downloads = Downloads(Path(self._file.GRADIO_CACHE))
        self._downloads.find_leftovers()
        self._downloads.delete_with(header.runtime)
        self.outputs = [
            self._help,
            self._file,
            self._carry_help,
            self._carry,
            self._format_help,
            self._format,
            self._copies,
        ]

    def _build_formats(self) -> None:
        header, put = self._header, self._header.labels.bind
        self._format_help = gr.HTML()
        with gr.Row():
            radio = gr.Radio(scale=3, elem_id="ltm-export-format")
            self._format = put(radio, "label", "export_format")
            box = gr.Checkbox(scale=1, elem_id="ltm-export-all")
            self._all_box = put(box, "label", "export_all")
            self._make = header.button("export_run", "ltm-export", scale=1)

    def wire(self, refresh: Refresh) -> None:
        made = [self._started, self._file, self._message]
        for button, act, inputs in (
            (self._all, self._back_up_all, ()),
            (self._carry, self._save_character, ()),
            (self._make, self._export, (self._format, self._all_box)),
        ):
            done = self._header.on(button.click, act, made, *inputs)
            done.then(None, self._started, None, js=_DOWNLOAD)

    def show(self, view: Selection) -> Updates:
        """Updates the panel, and hides the last download if it was of another namespace."""
        words, kept = view.words, view.is_refresh
        chosen: dict[str, Any] = {} if kept else {"value": FORMATS[0]}
        formats = [(words[f"export_{form}"], form) for form in FORMATS]
        name = _character(view.namespace)
        head = f"<h3>{words['backup_head']}</h3>{paragraph(words['backup_help'], 'ltm-muted')}"
        carry = words("carry_help", name=name) if name else ""
        return [
            head,
            gr.skip() if kept else gr.update(visible=False, value=None),
            paragraph(carry, "ltm-muted"),
            gr.update(value=words("carry_run", name=name), visible=bool(name)),
            paragraph(words["export_help"], "ltm-muted"),
            gr.update(choices=formats, **chosen),
            copies_html(self._header.administration, words),
        ]

    def _back_up_all(self, view: Selection, given: InputValues) -> Updates:
        spaces = view.visible
        memory = self._header.runtime.memory
        aliases = None if self._header.is_shared else memory.aliases
        return self._offer(
            view.words,
            spaces,
            lambda: back_up(memory, spaces, self._downloads, aliases, view.words),
        )

    def _save_character(self, view: Selection, given: InputValues) -> Updates:
        space, runtime = view.namespace, self._header.runtime
        if space is None or not _character(space):
            return _no_download(view.words["carry_who"])
        return self._offer(
            view.words,
            [space],
            lambda: save_character(runtime, space, self._downloads, view.words),
        )

    def _export(self, view: Selection, given: InputValues) -> Updates:
        one = (view.namespace,) if view.namespace else ()
        spaces = view.visible if given[self._all_box] else one
        form, memory = given[self._format], self._header.runtime.memory
        if form not in FORMATS:
            return _no_download("")
        return self._offer(
            view.words,
            spaces,
            lambda: export(memory, spaces, form, self._downloads, view.words),
        )

    def _offer(
        self, words: Words, spaces: Sequence[Namespace], make: Callable[[], tuple[Path, str]]
    ) -> Updates:
        """Makes a file of these namespaces and returns the link to it with a message."""
        if not spaces:
            return _no_download(words["nobody"])
        try:
            path, message = make()
        except LongTermMemoryError as exc:
            return _no_download(failure_text(exc, words))
        return [str(path), gr.update(visible=True, value=str(path)), message]


def _character(namespace: Namespace | None) -> str:
    """Returns the name of a character, or nothing for other namespaces."""
    is_one = namespace is not None and namespace.scope is Scope.CHARACTER
    return well_formed(namespace.character) if namespace and is_one else ""


def _no_download(why: str) -> Updates:
    return [None, gr.update(visible=False, value=None), paragraph(why)]


def automatic_backups(
    administration: Administration, words: Words
) -> tuple[str, Sequence[BackupCopy]]:
    """Returns where automatic backups are made, or why not, and those that there are.

    Raises StorageError.
    """
    if not administration.hooks.runtime.memory.shared.is_in_files:
        return words["copies_database"], ()
    backup = administration.copies.read_only_backup()
    if backup.folder is None:
        return words["copies_nowhere"], ()
    folder, copies = well_formed(str(backup.folder)), backup.copies()
    if not backup.settings.enabled:
        return words("copies_off", folder=folder), copies
    made = minute(copies[0].made_at) if copies else ""
    return words("copies_on" if copies else "copies_yet", folder=folder, made=made), copies


def copies_html(administration: Administration, words: Words) -> str:
    """Returns the state of the automatic backups; a shared page gets none."""
    if administration.hooks.host.is_multi_user():
        return ""
    title = f"<h3>{escaped(words['copies_title'])}</h3>"
    try:
        text, copies = automatic_backups(administration, words)
    except StorageError as exc:
        return title + paragraph(failure_text(exc, words), "ltm-alert")
    return title + paragraph(text, "ltm-muted") + _list(copies, words)


def _list(copies: Sequence[BackupCopy], words: Words) -> str:
    if not copies:
        return ""
    items = "".join(f"<li>{_item(copy, words)}</li>" for copy in copies[:_MAX_LISTED])
    listed = f'<ul class="ltm-copies">{items}</ul>'
    return folded(words("copies_list", count=len(copies)), listed)


def _item(copy: BackupCopy, words: Words) -> str:
    made = minute(copy.made_at)
    named = words("copies_look_at", made=made)
    look = button_html(FIELD, "copy", words["copies_look"], copy=copy.path.name, aria_label=named)
    return f'<span class="ltm-row"><time>{made}</time>{look}</span>'

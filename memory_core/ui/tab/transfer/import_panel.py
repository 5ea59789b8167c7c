"""The panel that imports past chats, files of other programs and backups."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from ....admin.exporters.restore import RestoreMode
from ....admin.intake import Intake, IntakePhase, IntakeStatus
from ....domain.errors import HostError, ImportFailed, LongTermMemoryError
from ....domain.namespaces import Namespace, Scope, page_user
from ....domain.unicode import well_formed
from ....text.locales import Words
from ....text.problem_text import failure_text
from ..common.actions import Action, ActionField, button_html
from ..common.gradio_compat import open_events, quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import escaped, folded, paragraph, row
from .intake_html import intake_html
from .intake_view import FIELD, IntakeView, formats_html
from .restore_html import confirmation

_REFRESH_INTERVAL_S = 0.5
_MAX_NAME_CHARS = 100


class ImportPanel(Panel):
    """Starts intakes and shows their progress; they continue without the page."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self.field = ActionField(FIELD)
        self._host = gr.HTML(elem_id="ltm-host-chats")
        self._status = gr.HTML(elem_id="ltm-intake")  # in sight after a click and after a drop
        self._drop_help = gr.HTML(elem_id="ltm-drop-help")
        mine = not header.is_shared
        file = gr.File(
            file_count="multiple", type="filepath", elem_id="ltm-drop", height=150, visible=mine
        )
        self._drop = header.labels.bind(file, "label", "drop_label")
        self._formats = gr.HTML(elem_id="ltm-formats")
        self.outputs = [self._host, self._drop_help, self._formats, self._status]
        self._notice = ""  # the answer to the last click, kept when the page is refreshed
        # Each returns False if something else is under way, or the reason why nothing has begun.
        self._acts: Mapping[str, Callable[[Action, Selection], bool | str | None]] = {
            "host": self._import_host_chats,
            "import_start": self._begin_import,
            "take_back": lambda *_: self._intake.begin_undo(),
            "others": lambda *_: self._intake.begin_postponed(),
            "merge": partial(self._restore, RestoreMode.MERGE),
            "replace": self._replace,
            "copy": self._examine_copy,
            "cancel": lambda *_: self._intake.cancel(),
            "dismiss": lambda *_: self._intake.dismiss(),
        }

    def wire(self, refresh: Refresh) -> None:
        on, outputs = self._header.on, [self._drop, self._status]
        dropped = on(self._drop.upload, self._read_dropped, outputs, self._drop, **quiet())
        acted = self.field.wire(self._header, self._act, [self._status])
        # Many pages may follow an intake at once, and must not delay clicks.
        following = {**quiet(), "concurrency_limit": None}
        for started in (dropped, acted):
            refresh.after(on(started.then, self._follow, self._status, **following))
        on(partial(gr.on, open_events()), self._follow, self._status, **following)

    def show(self, view: Selection) -> Updates:
        words = view.words
        if view.is_opening or not view.is_refresh:  # an answer to a click ends with the visit
            self._notice = ""
        if self._header.is_shared:
            return ["", paragraph(words["import_elsewhere"]), "", ""]
        formats = folded(words["formats_title"], formats_html(words))
        help_text = f"<h3>{words['drop_title']}</h3>{paragraph(words['drop_help'], 'ltm-muted')}"
        return [host_html(words), help_text, formats, self._html(view)]

    @property
    def _intake(self) -> Intake:
        return self._header.administration.intake

    def _read_dropped(self, view: Selection, given: InputValues) -> Updates:
        """Takes the dropped files and empties the drop zone."""
        paths = [Path(path) for path in given[self._drop] or ()]
        if paths and not self._header.is_shared:
            self._answer(lambda: self._intake.begin_reading(paths, user=self._user(view)), view)
        for path in paths:  # refused files would stay in Gradio's cache
            path.unlink(missing_ok=True)
        return [None, self._html(view)]

    def _act(self, view: Selection, given: InputValues) -> str:
        """Executes a button of the page, if the page is allowed to."""
        action = self.field.read(given)
        act = self._acts.get(action.name) if action else None
        if action is not None and act is not None and not self._header.is_shared:
            self._answer(lambda: act(action, view), view)
            if self._intake.status.is_running:  # as after a double click; its progress is in sight
                self._notice = ""
        return self._html(view)

    def _answer(self, act: Callable[[], bool | str | None], view: Selection) -> None:
        """Acts, and keeps the reason if nothing has begun."""
        try:
            answer = act()
        except (LongTermMemoryError, OSError) as exc:
            answer = failure_text(exc, view.words)
        if answer is False:
            answer = view.words["import_busy"]
        self._notice = answer if isinstance(answer, str) else ""

    def _import_host_chats(self, action: Action, view: Selection) -> bool | str:
        try:
            return self._intake.begin_host_import()
        except (HostError, ImportFailed):  # the host saves no chats, or none yet
            return view.words["host_none"]

    def _begin_import(self, action: Action, view: Selection) -> bool | str:
        name = action.value("character").strip()[:_MAX_NAME_CHARS]
        unnamed = self._intake.status.unnamed
        others = _characters_of_files(action.values, unnamed)
        if not name and any(origin not in others for origin in unnamed):
            return view.words["becomes_nobody"]
        return self._intake.begin_import(name, others)

    def _replace(self, action: Action, view: Selection) -> bool | str:
        plan = self._intake.status.plan
        name = confirmation(plan, view.words) if plan else ""
        if action.value("confirmation").strip() != name:
            return view.words("backup_replace_unconfirmed", name=name)
        return self._restore(RestoreMode.REPLACE, action, view)

    def _restore(self, mode: RestoreMode, action: Action, view: Selection) -> bool:
        takes_names = action.values.get("names", "true") == "true"
        return self._intake.begin_restore(mode, takes_names=takes_names)

    def _examine_copy(self, action: Action, view: Selection) -> bool | str:
        """Examines the automatic copy of this name, which must be one of those listed."""
        wanted = action.value("copy")
        copies = self._header.administration.copies.read_only_backup().copies()
        found = next((copy.path for copy in copies if copy.path.name == wanted), None)
        if found is None:
            return view.words["copies_none"]
        return self._intake.begin_reading_backup(found, user=self._user(view))

    def _follow(self, view: Selection, given: InputValues) -> Iterator[Any]:
        """Yields the state until the intake ends; yields nothing if none runs."""
        if self._header.is_shared or not self._intake.status.is_running:
            yield gr.update()
            return
        while self._intake.status.is_running:
            yield self._html(view)
            time.sleep(_REFRESH_INTERVAL_S)
        yield self._html(view)

    def _html(self, view: Selection) -> str:
        if self._header.is_shared:
            return ""
        names = self._characters()
        selected = view.chosen
        is_character = selected is not None and selected.scope is Scope.CHARACTER
        user = self._user(view)
        inner = intake_html(
            IntakeView(
                words=view.words,
                status=self._current_status(),
                failures=self._intake.failures(),
                characters=names,
                chosen=well_formed(selected.character) if selected and is_character else "",
                user=self._resolve(Namespace.shared(user)).user if user else "",
                notice=self._notice,
            )
        )
        return f'<div role="status" aria-live="polite">{inner}</div>' if inner else ""

    def _current_status(self) -> IntakeStatus:
        """Returns the intake's state; its survey names users and characters as they are now."""
        status = self._intake.status
        if status.survey is None:
            return status
        counts: Counter[Namespace] = Counter()
        for space, count in status.survey.namespaces.items():
            counts[self._resolve(space)] += count
        origins = {
            origin: replace(found, namespaces=set(map(self._resolve, found.namespaces)))
            for origin, found in status.survey.origins.items()
        }
        survey = replace(status.survey, namespaces=counts, origins=origins)
        return replace(status, survey=survey)

    def _resolve(self, namespace: Namespace) -> Namespace:
        return self._header.runtime.memory.resolve(namespace)

    def _characters(self) -> list[str]:
        """Returns the names to choose from, read only if the page asks for a name."""
        if self._intake.status.phase is not IntakePhase.CHATS_FOUND:
            return []
        spaces = self._header.runtime.memory.namespaces()
        names = {well_formed(space.character) for space in spaces if space.character}
        return sorted(names)

    def _user(self, view: Selection) -> str:
        """Returns the user of the selected memories, or of a chat on this page."""
        selected: Namespace | None = view.chosen
        if selected is not None and selected.user:
            return selected.user
        return page_user(self._header.hooks.host.user_profile())


def _characters_of_files(values: Mapping[str, str], origins: Sequence[str]) -> dict[str, str]:
    """Returns the characters that were named for single files, by the origin of each."""
    typed = {
        origin: values.get(f"character-{number}", "").strip()[:_MAX_NAME_CHARS]
        for number, origin in enumerate(origins)
    }
    return {origin: name for origin, name in typed.items() if name}


def host_html(words: Words) -> str:
    """Returns the offer to import the host's past chats."""
    run = button_html(FIELD, "host", words["host_run"], style="primary")
    title = f"<h3>{escaped(words['host_title'])}</h3>"
    return f"{title}{paragraph(words['host_help'], 'ltm-muted')}{row(run)}"

"""The panel *Diary*: pages by date, written by hand or drafted from the day's chat."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

import gradio as gr

from ....domain.derivations import EXTRACTIVE
from ....domain.errors import LongTermMemoryError
from ....domain.records import Memory
from ....memory.diary import BY_USER, Diary, day_of_page, maker_of_page
from ....text.locales import Words
from ..common.actions import ActionField, drawn_anew
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import escaped, failure, paragraph, text_area
from ..common.wording import date_text
from .cards import Button
from .diary_clicks import DRAFT, FIRST_DIARY, DiaryClick, DiaryState, after_diary_click, today
from .review_html import notice

_MAX_PAGES = 60
_LONGEST = 20_000


def diary_html(pages: Sequence[Memory], state: DiaryState, words: Words, button: Button) -> str:
    """Returns the whole diary; `pages` are those of the days shown, the latest first."""
    message = notice(state.message, "undo" if state.undo else "", words, button)
    top = _editor(state, words, button) if state.writing else _start(words, button)
    listed = [one for one in pages if day_of_page(one) != state.writing or not state.writing]
    items = "".join(_page(one, words, button) for one in listed[:_MAX_PAGES])
    empty = "" if pages or state.writing else paragraph(words["diary_none"], "ltm-muted")
    more = words("review_more", count=len(listed) - _MAX_PAGES) if len(listed) > _MAX_PAGES else ""
    tail = paragraph(more, "ltm-muted")
    return (
        f'<section class="ltm-diary">{message}{top}{_choice(pages, state, words, button)}'
        f"{empty}<ul>{items}</ul>{tail}</section>"
    )


def _start(words: Words, button: Button) -> str:
    """Returns the form that opens the page of a day."""
    day = _day_field("day", words["diary_day"], today())
    buttons = button("open", words["diary_write"]) + button("draft", words["diary_draft"])
    return f'<div class="ltm-row ltm-diary-start" data-ltm-form>{day}{buttons}</div>' + paragraph(
        words["diary_help"], "ltm-muted"
    )


def _editor(state: DiaryState, words: Words, button: Button) -> str:
    day = state.writing or today()
    title = words("diary_page_of", day=date_text(day, words))
    save = button("save", words["diary_save"], day=day.isoformat())
    return (
        f'<div class="ltm-card" data-ltm-form>{text_area("text", title, state.text, rows=7)}'
        f'<div class="ltm-row">{save}{button("cancel", words["cancel"])}</div></div>'
    )


def _choice(pages: Sequence[Memory], state: DiaryState, words: Words, button: Button) -> str:
    """Returns the form that narrows the diary to some days, once there is anything to narrow."""
    if not pages and not (state.since or state.until):
        return ""
    fields = _day_field("since", words["diary_since"], state.since)
    fields += _day_field("until", words["diary_until"], state.until)
    chosen = button("choose", words["diary_choose"])
    return f'<div class="ltm-row ltm-diary-days" data-ltm-form>{fields}{chosen}</div>'


def _day_field(name: str, label: str, day: date | None) -> str:
    value = day.isoformat() if day else ""
    return f'<label>{escaped(label)} <input type="date" name="{name}" value="{value}"></label>'


def _page(page: Memory, words: Words, button: Button) -> str:
    day = day_of_page(page)
    if day is None:
        return ""
    title, own = date_text(day, words), {"day": day.isoformat()}
    edit, delete = (
        button(
            name,
            words[label],
            aria_label=words("label_and_value", label=words[label], value=title),
            **own,
        )
        for name, label in (("open", "do_edit"), ("delete", "diary_delete"))
    )
    return (
        f'<li class="ltm-card"><h4><time datetime="{day.isoformat()}">{escaped(title)}</time></h4>'
        f'<p class="ltm-diary-text">{escaped(page.text[:_LONGEST])}</p>{_maker(page, words)}'
        f'<div class="ltm-row">{edit}{delete}</div></li>'
    )


def _maker(page: Memory, words: Words) -> str:
    maker = maker_of_page(page)
    if maker == BY_USER:
        return ""
    key = "diary_by_quotes" if maker == EXTRACTIVE else "diary_by_model"
    text = words[key] if maker == EXTRACTIVE else words(key, model=maker)
    return paragraph(text, "ltm-muted")


class DiaryPanel(Panel):
    """One HTML element, and a hidden field for its clicks. A draft is saved only on request."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._runtime = header.runtime
        self._html = gr.HTML(elem_id="ltm-diary-content")
        self._actions = ActionField("ltm-diary-action")
        self._state = gr.State(FIRST_DIARY)
        self.outputs = [self._html, self._state]

    def wire(self, refresh: Refresh) -> None:
        self._actions.wire(self._header, self._act, self.outputs, self._state)

    def show(self, view: Selection) -> Updates:
        """Shows the pages; a refresh keeps the form of a page that is being written."""
        return [gr.skip(), gr.skip()] if view.is_refresh else self._draw(view, FIRST_DIARY)

    def _act(self, view: Selection, given: InputValues) -> Iterator[Updates]:
        action = self._actions.read(given)
        state: DiaryState = given[self._state]
        if action is None or view.namespace is None:
            yield self._draw(view, state)
            return
        if action.name == DRAFT:
            yield self._draw(view, replace(state, message=view.words["diary_drafting"], undo=None))
        click = DiaryClick(action=action, namespace=view.namespace, state=state, words=view.words)
        yield self._draw(view, after_diary_click(self._runtime, click))

    def _draw(self, view: Selection, state: DiaryState) -> Updates:
        if view.namespace is None:
            return [paragraph(view.words["nobody"]), FIRST_DIARY]
        try:
            diary = Diary(self._runtime.memory)
            pages = diary.pages(view.namespace, since=state.since, until=state.until)
        except LongTermMemoryError as exc:
            return [failure(exc, view.words), FIRST_DIARY]
        html = diary_html(pages, state, view.words, self._actions.button)
        return [drawn_anew(html), state]

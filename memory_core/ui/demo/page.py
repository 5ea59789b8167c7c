"""The demo's page: a chat, and the memory tab beside it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.themes.utils import fonts

from ...domain.errors import LLMUnavailable
from ...text.locales import DEFAULT, LANGUAGES, Words, tab_words
from ...text.problem_text import problem_text
from ..tab.common.actions import ActionField
from ..tab.common.gradio_compat import quiet
from ..tab.common.header import Labels
from ..tab.common.memory_text import clipped
from ..tab.common.model_card import ModelStage, model_view
from ..tab.page import browser_language
from ..tab.page import build as build_tab
from .chat_history import History
from .program import Program
from .session import Session
from .traced_memories import why_by_message

Message = dict[str, str]
InputValues = dict[Any, Any]
Outputs = list[Any]

_HERE = Path(__file__).parent
CSS = (_HERE / "demo.css").read_text(encoding="utf-8")
SAMPLE_CHATS = _HERE / "samples" / "imports" / "Nora.jsonl"
_OPENER = "demo-open-chat"
# Gradio's list of messages scrolls, but no key reaches it.
_REACHABLE = """() => {
  const reach = () => {
    for (const list of document.querySelectorAll('#chat .bubble-wrap:not([tabindex])'))
      list.tabIndex = 0;
  };
  reach();
  new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
}"""
# The editor opens below the buttons, on a small screen out of sight.
_TO_EDITOR = """() => setTimeout(
  () => document.getElementById('edit')?.scrollIntoView({ block: 'nearest' }), 50)"""
_TO_CHAT = """() => document.querySelector('[role=tab]').click()"""
_MAX_CHIPS = 4
_SEARCHED_BY_MEANING = (ModelStage.LOADING, ModelStage.READY)  # loading takes a second
_LONGEST_CHOICE = 70
_NO_REASONS: Mapping[str, str] = {}
# Gradio's file of weight 600 holds a few letters only; the others would come from another font.
_WEIGHTS = (400, 700)


def local_theme() -> Any:  # noqa: ANN401  (Gradio's)
    """Returns Gradio's own theme, with bold letters from its complete font file on this machine."""
    letters = fonts.LocalFont("Source Sans Pro", weights=_WEIGHTS)
    return gr.themes.Default(font=[letters, "ui-sans-serif", "system-ui", "sans-serif"])


def build(program: Program) -> gr.Blocks:
    blocks = gr.Blocks(title="Long-term memory", fill_width=True)
    with blocks:
        labels = Labels(DEFAULT)
        chat_tab = gr.Tab("Chat", elem_id="demo-chat-tab")
        with labels.bind(chat_tab, "label", "demo_chat_tab"):
            pane = _ChatPane(program, labels)
        with labels.bind(gr.Tab("Memory"), "label", "demo_memory_tab"):
            build_tab(program.administration)
        pane.wire_language(blocks, chat_tab)
    return blocks


class _ChatPane:
    """The chat pane. Handlers keep no state: each opens the chat that the page names."""

    def __init__(self, program: Program, labels: Labels) -> None:
        self._program = program
        self._labels = labels
        with gr.Row(elem_id="demo-pane"):
            with gr.Column(scale=1, min_width=240, elem_id="demo-choices"):
                self._build_choices()
            with gr.Column(scale=4, elem_id="demo-talk"):
                self._build_chat()
        self._suggested = [*self._chips, self._hint]
        self._names: set[Any] = {self._user, self._character, self._language}
        self._chat_inputs: set[Any] = {*self._names, self._conversation}
        self._outputs = [self._conversation, self._rows, self._message]
        self._opener = ActionField(_OPENER)
        self._wire()
        program.host.open_chat_field = _OPENER
        parts = {"user_menu": self._user, "character_menu": self._character}
        unique_id = {"unique_id": self._conversation, "mode": gr.State("chat")}
        program.host.show_page(parts | unique_id)

    def _button(self, key: str, **options: Any) -> Any:  # noqa: ANN401  (Gradio's)
        return self._labels.bind(gr.Button(**options), "value", key)

    def _build_choices(self) -> None:
        names, bind = list(self._program.characters), self._labels.bind
        self._new = self._button("demo_new_chat", variant="primary", elem_id="new-chat")
        self._language = gr.Textbox(
            DEFAULT, elem_classes="ltm-hidden", show_label=False, container=False
        )
        user = gr.Textbox(value=self._program.first_user, max_lines=1)
        self._user = bind(user, "label", "demo_user")
        character = gr.Dropdown(names, value=names[0], elem_id="character")
        self._character = bind(character, "label", "demo_character")
        conversation = gr.Dropdown([], elem_id="conversation")
        self._conversation = bind(conversation, "label", "demo_conversation")
        self._clear = self._button("demo_clear", size="sm", elem_id="clear")
        bind(gr.Markdown(elem_id="demo-try"), "value", "demo_try")
        with gr.Column(elem_id="questions"):
            self._chips = [
                gr.Button(size="sm", elem_id=f"question-{place}", visible=False)
                for place in range(_MAX_CHIPS)
            ]
        self._hint = gr.HTML(elem_id="demo-hint")
        samples = gr.DownloadButton(value=SAMPLE_CHATS, size="sm", elem_id="demo-samples")
        bind(samples, "label", "demo_samples")
        bind(gr.Markdown(elem_id="demo-samples-hint"), "value", "demo_samples_hint")

    def _build_chat(self) -> None:
        bare: dict[str, Any] = {"show_label": False, "container": False}
        self._rows = gr.Chatbot(
            height=560, show_label=False, render_markdown=False, buttons=[], elem_id="chat"
        )
        self._message = gr.Textbox(interactive=False, visible=False, elem_id="told", **bare)
        with gr.Row():
            text = gr.Textbox(scale=6, elem_id="message", **bare)
            self._text = self._labels.bind(text, "placeholder", "demo_say")
            self._labels.bind(text, "label", "demo_message")
            self._send = self._button("demo_send", variant="primary", scale=1, elem_id="send")
        with gr.Row():
            self._again = self._button("demo_again", size="sm", elem_id="regenerate")
            self._edit = self._button("demo_edit", size="sm", elem_id="edit-last")
            self._remove = self._button("demo_remove", size="sm", elem_id="remove-last")
        with gr.Column(visible=False, elem_id="edit") as self._editor:
            which = gr.Dropdown([], elem_id="edit-which")
            self._which = self._labels.bind(which, "label", "demo_edit_which")
            edited = gr.Textbox(elem_id="edited", lines=2)
            self._edited = self._labels.bind(edited, "label", "demo_edited")
            with gr.Row():
                self._save = self._button("demo_edit_save", variant="primary", elem_id="save-edit")
                self._cancel = self._button("cancel", elem_id="cancel-edit")

    def wire_language(self, blocks: gr.Blocks, chat_tab: gr.Tab) -> None:
        """Shows the language that was chosen in the memory tab, else the browser's."""
        texts = [self._language, self._hint, *self._labels.components]
        script = browser_language("")
        quietly = quiet()
        blocks.load(None, None, None, js=_REACHABLE)
        given = [self._language, self._character]
        begun = blocks.load(
            self._begin, [self._language], [self._character, *texts], js=script, **quietly
        )
        opened = begun.then(
            self._open_latest, self._names, [*self._outputs, *self._suggested], **quietly
        )
        opened.then(self._add_reasons, self._chat_inputs, self._rows, **quietly)
        back = chat_tab.select(self._show_language, given, texts, js=script, **quietly)
        back.then(self._add_reasons, self._chat_inputs, self._rows, **quietly)

    def _wire(self) -> None:
        said, quietly = [*self._outputs, self._text], quiet()
        moves = [self._user.submit, self._user.blur, self._character.input]
        answered = [
            gr.on(
                moves, self._open_latest, self._names, [*self._outputs, *self._suggested], **quietly
            )
        ]
        for chip in self._chips:
            started = chip.click(self._start_chat, self._names, self._outputs, **quietly)
            asked = self._chat_inputs | {chip}
            answered.append(started.then(self._send_message, asked, said))
        answered.append(
            self._conversation.input(self._open_chat, self._chat_inputs, self._outputs, **quietly)
        )
        named = [self._user, self._character, *self._outputs, *self._suggested]
        opened = self._opener.box.change(
            self._open_named, {self._opener.box, *self._names}, named, **quietly
        )
        answered.append(opened.then(None, None, None, js=_TO_CHAT))
        self._new.click(self._start_chat, self._names, self._outputs, **quietly)
        self._clear.click(self._clear_pane, self._names, self._outputs, **quietly)
        sending = [self._send.click, self._text.submit]
        typed = self._chat_inputs | {self._text}
        answered.append(gr.on(sending, self._send_message, typed, said))
        answered.append(self._again.click(self._regenerate, self._chat_inputs, self._outputs))
        chosen = [self._edited, self._save]
        opened_editor = [self._editor, self._which, *chosen]
        editing = self._edit.click(self._open_editor, self._chat_inputs, opened_editor, **quietly)
        editing.then(None, None, None, js=_TO_EDITOR)
        self._cancel.click(lambda: gr.update(visible=False), None, self._editor, **quietly)
        saved = self._chat_inputs | {self._which, self._edited}
        self._which.input(self._choose_message, saved, chosen, **quietly)
        answered.append(
            self._save.click(self._edit_message, saved, [*self._outputs, self._editor], **quietly)
        )
        answered.append(self._remove.click(self._remove_last, self._chat_inputs, said, **quietly))
        for event in answered:
            event.then(self._add_reasons, self._chat_inputs, self._rows, **quietly)

    def _begin(self, language: str) -> Outputs:
        """Shows the page in this language, with a character who speaks it."""
        character = self._program.first_character(language)
        return [character, *self._show_language(language, character)]

    def _show_language(self, language: str, character: str) -> Outputs:
        """Shows the page's words in this language."""
        known = language if language in LANGUAGES.values() else DEFAULT
        hint = self._hint_html(tab_words(known))
        return [known, hint, *self._labels.updates(known)]

    def _hint_html(self, words: Words) -> str:
        has_model = model_view(self._program.runtime).stage in _SEARCHED_BY_MEANING
        return f"<p>{words['demo_by_meaning' if has_model else 'demo_by_words']}</p>"

    def _session(self, given: InputValues, unique_id: str | None) -> Session:
        user = given[self._user].strip() or self._program.first_user
        return self._program.session(user, given[self._character], unique_id or "")

    def _words(self, given: InputValues) -> Words:
        return tab_words(given[self._language])

    def _open_latest(self, given: InputValues) -> Outputs:
        """Opens the newest chat of this user with this character."""
        session = self._session(given, None)
        known = session.conversations()
        opened = self._session(given, known[0]) if known else session
        return [*_show(opened), *self._suggestions(opened, given)]

    def _suggestions(self, session: Session, given: InputValues) -> Outputs:
        """Returns the suggested questions of a chat's character, and the search method for them."""
        hint = self._hint_html(self._words(given))
        return [*_chips(session.character.questions), hint]

    def _add_reasons(self, given: InputValues) -> list[Message]:
        """Returns the chat with the memories in the prompts of its answers."""
        session = self._session(given, given[self._conversation])
        reasons = why_by_message(self._program.hooks, session, self._words(given))
        return messages(session.history, reasons)

    def _open_chat(self, given: InputValues) -> Outputs:
        return _show(self._session(given, given[self._conversation]))

    def _open_named(self, given: InputValues) -> Outputs:
        """Opens the chat that a button of the tab names, if there is one."""
        action = self._opener.read(given)
        values = action.values if action else {}
        user, character = values.get("user", ""), values.get("character", "")
        session = self._program.session(user, character, "")
        if (
            character not in self._program.characters
            or values["chat"] not in session.conversations()
        ):
            return [gr.skip() for _ in range(2 + len(self._outputs) + len(self._suggested))]
        opened = self._program.session(user, character, values["chat"])
        return [user, character, *_show(opened), *self._suggestions(opened, given)]

    def _start_chat(self, given: InputValues) -> Outputs:
        session = self._session(given, None)
        session.new_chat()
        return _show(session)

    def _clear_pane(self, given: InputValues) -> Outputs:
        """Empties the pane; the next message starts a chat."""
        return _show(self._session(given, None))

    def _send_message(self, given: InputValues) -> Iterator[Outputs]:
        """Sends the text of the message box, or of the suggestion that was clicked."""
        typed = next((given[part] for part in (self._text, *self._chips) if part in given), "")
        text = typed.strip()
        session = self._session(given, given[self._conversation])
        if not text:
            yield [*_show(session), ""]
            return
        try:
            for history in session.send(text, self._program.responder(session)):
                yield [*_show(session, history), ""]
        except LLMUnavailable as exc:
            yield [*_show_failure(session, exc, self._words(given)), text]

    def _regenerate(self, given: InputValues) -> Iterator[Outputs]:
        session = self._session(given, given[self._conversation])
        yield _show(session)
        try:
            for history in session.regenerate(self._program.responder(session)):
                yield _show(session, history)
        except LLMUnavailable as exc:
            yield _show_failure(session, exc, self._words(given))

    def _open_editor(self, given: InputValues) -> Outputs:
        """Shows the last message in a field, if there is one, and offers the earlier ones."""
        session = self._session(given, given[self._conversation])
        known = session.messages()
        choices = [(clipped(text, _LONGEST_CHOICE), row) for row, text in reversed(known.items())]
        last = max(known, default=None)
        which = gr.update(choices=choices, value=last, visible=len(known) > 1)
        return [gr.update(visible=bool(known)), which, *self._chosen_message(given, session, last)]

    def _choose_message(self, given: InputValues) -> Outputs:
        session = self._session(given, given[self._conversation])
        return self._chosen_message(given, session, given[self._which])

    def _chosen_message(self, given: InputValues, session: Session, row: int | None) -> Outputs:
        """Returns the message of the row, and a note on the effect of saving it."""
        known = session.messages()
        key = "demo_edit_save" if row == max(known, default=None) else "demo_edit_keep"
        return [known.get(-1 if row is None else row, ""), gr.update(value=self._words(given)[key])]

    def _edit_message(self, given: InputValues) -> Iterator[Outputs]:
        session, text = self._session(given, given[self._conversation]), given[self._edited].strip()
        row, known, closed = given[self._which], session.messages(), gr.update(visible=False)
        if text and row in known and row != max(known):
            session.edit_earlier(row, text)
            text = ""
        yield [*_show(session), closed]
        if not text:
            return
        try:
            for history in session.edit_last(text, self._program.responder(session)):
                yield [*_show(session, history), closed]
        except LLMUnavailable as exc:
            failure = _show_failure(session, exc, self._words(given))
            yield [*failure, gr.update(visible=True)]

    def _remove_last(self, given: InputValues) -> Outputs:
        session = self._session(given, given[self._conversation])
        text = session.remove_last()
        return [*_show(session), text]


def _chips(questions: Sequence[str]) -> Outputs:
    """Returns updates that show these questions on the buttons."""
    offered = [*questions, *[""] * _MAX_CHIPS][:_MAX_CHIPS]
    return [gr.update(value=question, visible=bool(question)) for question in offered]


def _show(session: Session, history: History | None = None) -> Outputs:
    choices = [(_label(unique_id), unique_id) for unique_id in session.conversations()]
    value = session.unique_id or None
    rows = messages(history or session.history)
    return [gr.update(choices=choices, value=value), rows, gr.update(visible=False)]


def _show_failure(session: Session, exc: LLMUnavailable, words: Words) -> Outputs:
    message = words("demo_model_failed", reason=problem_text(str(exc), words))
    conversation, rows, _ = _show(session)
    return [conversation, rows, gr.update(value=message, visible=True)]


def _label(unique_id: str) -> str:
    """Formats 20261121-07-24-00 as 2026-11-21 07:24."""
    day, hour, minute, _ = unique_id.split("-", 3)
    return f"{day[:4]}-{day[4:6]}-{day[6:]} {hour}:{minute}"


def messages(history: History, reasons: Mapping[str, str] = _NO_REASONS) -> list[Message]:
    """Returns the visible chat, with the "Why?" of each message below its answer.

    Texts stay escaped, since gr.Chatbot renders them as HTML.
    """
    found = []
    for (asked, _, *_), (user, assistant, *_) in zip(
        history["internal"], history["visible"], strict=True
    ):
        why = reasons.get(asked.strip(), "")
        found += [{"role": "user", "content": user}] if user else []
        found += [{"role": "assistant", "content": assistant + why}] if assistant else []
    return found

"""The demo's page: a chat, and the memory tab beside it."""

from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from ...domain.errors import LLMUnavailable
from ..tab.common.actions import ActionField
from ..tab.page import build as build_tab
from .chat_history import History
from .program import Program
from .session import Session

Message = dict[str, str]
InputValues = dict[Any, Any]
Outputs = list[Any]

_OPENER = "demo-open-chat"
_TO_CHAT = """() => document.querySelector('[role=tab]').click()"""
_MAX_CHIPS = 4
# The cards' buttons belong to the memory's own tab.
CSS = """
#why .ltm-row, #why .ltm-edit { display: none }
#questions button { white-space: normal; text-align: left }
footer { display: none !important }
button[role=tab][aria-selected=true] { color: #a03f08 !important }
.dark button[role=tab][aria-selected=true] { color: #ffa45c !important }
"""


def build(program: Program) -> gr.Blocks:
    blocks = gr.Blocks(title="Long-term memory", fill_width=True)
    with blocks:
        with gr.Tab("Chat"):
            _ChatPane(program, blocks)
        with gr.Tab("Long-term memory"):
            build_tab(program.administration)
    return blocks


class _ChatPane:
    """The chat pane. Handlers keep no state: each opens the chat that the page names."""

    def __init__(self, program: Program, blocks: gr.Blocks) -> None:
        self._program = program
        with gr.Row():
            with gr.Column(scale=1, min_width=240):
                self._build_choices()
            with gr.Column(scale=4):
                self._build_chat()
        self._names: set[Any] = {self._user, self._character}
        self._chat_inputs: set[Any] = {*self._names, self._conversation}
        self._outputs = [self._conversation, self._rows, self._message]
        self._opener = ActionField(_OPENER)
        self._wire(blocks)
        program.host.open_chat_field = _OPENER
        parts = {"user_menu": self._user, "character_menu": self._character}
        unique_id = {"unique_id": self._conversation, "mode": gr.State("chat")}
        program.host.show_page(parts | unique_id)

    def _build_choices(self) -> None:
        names = list(self._program.characters)
        self._new = gr.Button("New chat", variant="primary", elem_id="new-chat")
        self._user = gr.Textbox(label="User", value=self._program.first_user, max_lines=1)
        self._character = gr.Dropdown(names, value=names[0], label="Character", elem_id="character")
        self._conversation = gr.Dropdown([], label="Conversation", elem_id="conversation")
        self._clear = gr.Button("Clear UI (memory kept)", size="sm", elem_id="clear")
        gr.HTML("<p>Ask in a new chat:</p>")
        with gr.Column(elem_id="questions"):
            self._chips = [
                gr.Button(size="sm", elem_id=f"question-{place}", visible=False)
                for place in range(_MAX_CHIPS)
            ]

    def _build_chat(self) -> None:
        self._rows = gr.Chatbot(
            height=560, show_label=False, render_markdown=False, buttons=[], elem_id="chat"
        )
        self._message = gr.Textbox(
            show_label=False, container=False, interactive=False, visible=False, elem_id="told"
        )
        with gr.Row():
            self._text = gr.Textbox(
                placeholder="Say something…",
                show_label=False,
                container=False,
                scale=6,
                elem_id="message",
            )
            self._send = gr.Button("Send", variant="primary", scale=1, elem_id="send")
        with gr.Accordion("Why? The memories that this answer was given", open=False):
            self._why = gr.HTML(elem_id="why")
        with gr.Row():
            self._again = gr.Button("Regenerate", size="sm", elem_id="regenerate")
            self._remove = gr.Button("Remove last", size="sm", elem_id="remove-last")

    def _wire(self, blocks: gr.Blocks) -> None:
        said = [*self._outputs, self._text]
        moves = [self._user.submit, self._user.blur, self._character.input]
        shown = [*self._outputs, *self._chips]
        opened = gr.on([blocks.load, *moves], self._open_latest, self._names, shown)
        for chip in self._chips:
            started = chip.click(self._start_chat, self._names, self._outputs)
            sent = started.then(self._send_message, self._chat_inputs | {chip}, said)
            sent.then(self._explain, self._chat_inputs, self._why)
        chosen = self._conversation.input(self._open_chat, self._chat_inputs, self._outputs)
        chosen.then(self._explain, self._chat_inputs, self._why)
        named = [self._user, self._character, *self._outputs]
        asked = self._opener.box.change(self._open_named, {self._opener.box, *self._names}, named)
        asked.then(None, None, None, js=_TO_CHAT)
        self._new.click(self._start_chat, self._names, self._outputs)
        self._clear.click(self._clear_pane, self._names, self._outputs)
        sent = gr.on(
            [self._send.click, self._text.submit],
            self._send_message,
            self._chat_inputs | {self._text},
            said,
        )
        again = self._again.click(self._regenerate, self._chat_inputs, self._outputs)
        self._remove.click(self._remove_last, self._chat_inputs, said)
        for answered in (opened, sent, again):
            answered.then(self._explain, self._chat_inputs, self._why)

    def _session(self, given: InputValues, unique_id: str | None) -> Session:
        user = given[self._user].strip() or self._program.first_user
        return self._program.session(user, given[self._character], unique_id or "")

    def _open_latest(self, given: InputValues) -> Outputs:
        """Opens the newest chat of this user with this character."""
        session = self._session(given, None)
        known = session.conversations()
        opened = self._session(given, known[0]) if known else session
        return [*_show(opened), *_chips(session.character.questions)]

    def _explain(self, given: InputValues) -> str:
        """Returns the memories that the last answer of this chat was given."""
        return self._program.why_html(self._session(given, given[self._conversation]))

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
            return [gr.skip() for _ in range(2 + len(self._outputs))]
        opened = self._program.session(user, character, values["chat"])
        return [user, character, *_show(opened)]

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
            yield [*_show_failure(session, exc), text]

    def _regenerate(self, given: InputValues) -> Iterator[Outputs]:
        session = self._session(given, given[self._conversation])
        yield _show(session)
        try:
            for history in session.regenerate(self._program.responder(session)):
                yield _show(session, history)
        except LLMUnavailable as exc:
            yield _show_failure(session, exc)

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


def _show_failure(session: Session, exc: LLMUnavailable) -> Outputs:
    message = f"The language model did not answer, so nothing was saved: {exc}"
    conversation, rows, _ = _show(session)
    return [conversation, rows, gr.update(value=message, visible=True)]


def _label(unique_id: str) -> str:
    """Formats 20261121-07-24-00 as 2026-11-21 07:24."""
    day, hour, minute, _ = unique_id.split("-", 3)
    return f"{day[:4]}-{day[4:6]}-{day[6:]} {hour}:{minute}"


def messages(history: History) -> list[Message]:
    """Returns the visible chat. Texts stay escaped, since gr.Chatbot renders them as HTML."""
    found = []
    for user, assistant in history["visible"]:
        found += [{"role": "user", "content": user}] if user else []
        found += [{"role": "assistant", "content": assistant}] if assistant else []
    return found

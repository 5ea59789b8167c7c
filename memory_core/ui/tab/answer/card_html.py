"""Cards as HTML: everything in them is escaped, and each button names its memory."""

from collections.abc import Sequence

from ....text.locales import Words
from ..common.actions import button_html
from ..common.markup import escaped, paragraph
from ..common.wording import undo_text
from .cards import MAX_SHOWN, Card, CardState

FIELD = "ltm-last-answer-action"
_ROWS = 3


def cards_html(cards: Sequence[Card], words: Words, *, minutes: int) -> str:
    """Returns the first cards as a list, and the rest folded. `minutes` is the undo time."""
    shown, more = cards[:MAX_SHOWN], cards[MAX_SHOWN:]
    folded = ""
    if more:
        label = escaped(words("answer_more", count=len(more)))
        folded = f"<details><summary>{label}</summary>{_list(more, words, minutes)}</details>"
    return _list(shown, words, minutes) + folded


def _list(cards: Sequence[Card], words: Words, minutes: int) -> str:
    items = "".join(f"<li>{_card_html(card, words, minutes)}</li>" for card in cards)
    return f'<ul class="ltm-cards">{items}</ul>'


def speaker_html(speaker: str, words: Words) -> str:
    """Returns the name before a quote; nothing for a note, which has no speaker."""
    if not speaker:
        return ""
    return f"<b>{escaped(words('speaker', name=speaker))}</b>{words['sentence_gap']}"


def _card_html(card: Card, words: Words, minutes: int) -> str:
    if card.state is CardState.FORGOTTEN:
        return _done_html(
            undo_text(words, minutes, "answer_forgotten"),
            "unforget",
            card,
            words,
        )
    if card.state is CardState.LEFT_OUT:
        return _done_html(words["answer_left_out"], "use_again", card, words)
    quotes = "".join(
        f"<p>{speaker_html(speaker, words)}<bdi>{quote.html}</bdi></p>"
        for speaker, quote in card.quotes
    )
    facts = " · ".join([card.when, *map(escaped, filter(None, (card.where,)))])
    why = paragraph(words("why_because", reasons=card.why), "ltm-why") if card.why else ""
    return (
        f'<article class="ltm-card"><blockquote>{quotes}</blockquote>'
        f'<p class="ltm-muted">{facts}</p>{why}'
        f'<div class="ltm-row ltm-quiet">{_buttons(card, words)}</div>'
        f"{_message(card, words)}</article>"
    )


def _buttons(card: Card, words: Words) -> str:
    pin = "unpin" if card.is_pinned else "pin"
    return "".join(
        [
            _button(pin, words[pin], card, title=words[f"effect_{pin}"]),
            _edit_form(card, words),
            _button("leave_out", words["answer_not_here"], card, title=words["effect_not_here"]),
            _button("forget", words["forget"], card, title=words["effect_forget"]),
        ]
    )


def _button(name: str, label: str, card: Card, **values: str) -> str:
    return button_html(FIELD, name, label, memory_id=card.memory_id, **values)


def _edit_form(card: Card, words: Words) -> str:
    user, character = card.speakers
    labels = [("user", words["answer_note_text"] if card.is_note else user, card.sides[0])]
    labels += [] if card.is_note else [("character", character, card.sides[1])]
    fields = "".join(
        f"<label>{escaped(label)}"
        f'<textarea name="{name}" rows="{_ROWS}">'
        f"{escaped(text)}</textarea></label>"
        for name, label, text in labels
    )
    save = _button("edit", words["save_edit"], card, style="primary")
    return (
        f'<details class="ltm-edit"><summary class="ltm-button">{escaped(words["answer_edit"])}'
        f"</summary><div data-ltm-form>{fields}{save}</div></details>"
    )


def _message(card: Card, words: Words) -> str:
    if not (card.message or card.can_undo_edit):
        return ""
    undo = _button("undo_edit", words["answer_undo"], card) if card.can_undo_edit else ""
    return f'<p class="ltm-row ltm-done" role="status">{escaped(card.message)} {undo}</p>'


def _done_html(text: str, undo: str, card: Card, words: Words) -> str:
    return (
        '<article class="ltm-card ltm-row ltm-done" role="status">'
        f"<span>{escaped(text)}</span>{_button(undo, words['answer_undo'], card)}</article>"
    )

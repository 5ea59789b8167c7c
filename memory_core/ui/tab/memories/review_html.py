"""Draws the review: held exchanges, proposed notes, and facts that may contradict each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ....domain.records import Memory
from ....memory.doubts import Doubt, Verdict
from ....memory.held_inbox import HeldDecision
from ....memory.inbox import Proposal
from ....storage.held import HeldExchange
from ....text.locales import Words
from ..common.markup import escaped, folded, paragraph, section_head, text_area
from ..common.memory_text import clipped
from ..common.wording import moment_html
from .cards import Button
from .review_clicks import ReviewState

Item = TypeVar("Item")
_MAX_ITEMS = 20
_LONGEST = 240
_LONGEST_HELD = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContent:
    """Items that wait for a decision; `sources` maps id → source memory of a proposal."""

    proposals: Sequence[Proposal] = ()
    doubts: Sequence[Doubt] = ()
    held: Sequence[HeldExchange] = ()
    sources: Mapping[str, Memory]

    @property
    def count(self) -> int:
        return len(self.proposals) + len(self.doubts) + len(self.held)


def review_html(content: ReviewContent, state: ReviewState, words: Words, button: Button) -> str:
    """Returns the whole review."""
    message = notice(state.message, "undo" if state.undo else "", words, button)
    if not content.count:
        empty = paragraph(words["review_nothing"], "ltm-muted")
        return f'<section class="ltm-review">{message}{empty}</section>'
    parts = [
        _section("held", content.held, lambda one: _held_item(one, words, button), words),
        _section("doubts", content.doubts, lambda one: _doubt(one, words, button), words),
        _section(
            "notes",
            content.proposals,
            lambda one: (
                _editor(one, words, button)
                if one.memory.id == state.editing
                else _proposal(one, content, words, button)
            ),
            words,
        ),
    ]
    return f'<section class="ltm-review">{message}{"".join(parts)}</section>'


def _section(name: str, items: Sequence[Item], draw: Callable[[Item], str], words: Words) -> str:
    """Returns the first items of one kind below their heading; "" if none waits."""
    if not items:
        return ""
    head = section_head(words[f"review_{name}"], words[f"review_{name}_help"])
    left = len(items) - _MAX_ITEMS
    more = paragraph(words("review_more", count=left), "ltm-muted") if left > 0 else ""
    return f"{head}<ul>{''.join(map(draw, items[:_MAX_ITEMS]))}</ul>{more}"


def notice(message: str, undo: str, words: Words, button: Button) -> str:
    """Returns the outcome of a click, with a button that undoes it if `undo` names its action."""
    if not message:
        return ""
    back = button(undo, words["undo"]) if undo else ""
    return (
        f'<div class="ltm-notice ltm-row" role="status"><span>{escaped(message)}</span>{back}</div>'
    )


def _doubt(doubt: Doubt, words: Words, button: Button) -> str:
    ids = {"first": doubt.first.id, "second": doubt.second.id}
    both = button("settle", words["review_both"], verdict=Verdict.BOTH.value, **ids)
    sides_html = "".join(
        _side(memory, button("settle", words[f"review_{verdict}"], verdict=verdict.value, **ids),
              words)
        for memory, verdict in ((doubt.first, Verdict.FIRST), (doubt.second, Verdict.SECOND))
    )  # fmt: skip
    return (
        f'<li class="ltm-card"><div class="ltm-pair">{sides_html}</div>'
        f'<div class="ltm-row">{both}</div></li>'
    )


def _side(memory: Memory, choice: str, words: Words) -> str:
    fact = paragraph(_short(memory), "ltm-fact")
    return f"<div>{fact}{_date_html(memory, words)}{choice}</div>"


def _proposal(proposal: Proposal, content: ReviewContent, words: Words, button: Button) -> str:
    memory, own = proposal.memory, {"memory_id": proposal.memory.id}
    short = _short(memory)
    buttons = "".join(
        button(
            name,
            words[f"review_{name}"],
            aria_label=words("label_and_value", label=words[f"review_{name}"], value=short),
            **own,
        )
        for name in ("approve", "edit", "reject")
    )
    return (
        f'<li class="ltm-card"><p class="ltm-fact">{escaped(short)}</p>'
        f"{_reason(proposal, words)}{_replaced(proposal, words)}"
        f"{_sources(memory, content, words)}"
        f'<div class="ltm-row ltm-review-actions">{buttons}</div></li>'
    )


def _editor(proposal: Proposal, words: Words, button: Button) -> str:
    own = {"memory_id": proposal.memory.id}
    buttons = button("save", words["review_save"], **own) + button("cancel", words["cancel"])
    field = text_area("text", words["note"], proposal.memory.text, rows=3)
    return f'<li class="ltm-card" data-ltm-form>{field}<div class="ltm-row">{buttons}</div></li>'


def _reason(proposal: Proposal, words: Words) -> str:
    text = words(f"review_why_{proposal.reason}", count=proposal.times)
    time = moment_html(proposal.memory.ts, words)
    return f'<p class="ltm-muted">{escaped(text)} · {time}</p>'


def _replaced(proposal: Proposal, words: Words) -> str:
    lines = (words("review_replaces", note=_short(note)) for note in proposal.replaces)
    return "".join(f'<p class="ltm-muted">{escaped(line)}</p>' for line in lines)


def _sources(memory: Memory, content: ReviewContent, words: Words) -> str:
    known = [content.sources[name] for name in memory.sources if name in content.sources]
    if not known:
        return ""
    items = "".join(
        f"<li>{escaped(_short(one))} {_date_html(one, words, tag='span')}</li>" for one in known
    )
    return folded(words["review_rests_on"], f"<ul>{items}</ul>", style="ltm-whole")


def _date_html(memory: Memory, words: Words, *, tag: str = "p") -> str:
    return f'<{tag} class="ltm-muted">{moment_html(memory.ts, words)}</{tag}>'


def _short(memory: Memory) -> str:
    return clipped(next(filter(None, memory.sides), ""), _LONGEST)


def _held_item(one: HeldExchange, words: Words, button: Button) -> str:
    texts = filter(None, (one.exchange.user, one.exchange.assistant))
    sides = "".join(
        f'<p class="ltm-fact">{escaped(clipped(text, _LONGEST_HELD))}</p>' for text in texts
    )
    buttons = "".join(_held_decision(name, one, words, button) for name in HeldDecision)
    return (
        f'<li class="ltm-card">{sides}{_held_reason(one, words)}'
        f'<div class="ltm-row ltm-held-actions">{buttons}</div></li>'
    )


def _held_decision(name: HeldDecision, one: HeldExchange, words: Words, button: Button) -> str:
    """Returns the button of a decision; the one that stores no private part is highlighted."""
    label = words[f"review_held_{name}"]
    style = {"style": "primary"} if name is HeldDecision.REDACT else {}
    return button("decide", label, decision=name.value, held_id=one.id, **style)


def _held_reason(one: HeldExchange, words: Words) -> str:
    found = words["list_comma"].join(words[f"guard_{part}"] for part in sorted(one.parts))
    time = moment_html(one.exchange.ts or one.held_at, words)
    return f'<p class="ltm-muted">{escaped(words("review_held_why", parts=found))} · {time}</p>'

"""The "Why?" below each answer of the demo: the cards of *Last answer*, without their buttons."""

from collections.abc import Mapping

from ...domain.errors import LongTermMemoryError
from ...host.hooks import Hooks
from ...memory.traces import Trace
from ...text.locales import Words
from ..tab.answer.answer_view import card_sources, why_no_memory
from ..tab.answer.card_html import speaker_html
from ..tab.answer.cards import Card, CardState, cards_of
from ..tab.common.markup import escaped, paragraph
from .session import Session
from .traced_memories import namespace_of, traces_of


def why_by_message(hooks: Hooks, session: Session, words: Words) -> Mapping[str, str]:
    """Returns the user's message → "Why?" as HTML, for the answers of this chat with a trace."""
    newest_last = reversed(traces_of(hooks, session))
    traces = {trace.query.strip(): trace for trace in newest_last if not trace.is_redacted}
    return {query: _why_html(hooks, session, trace, words) for query, trace in traces.items()}


def _why_html(hooks: Hooks, session: Session, trace: Trace, words: Words) -> str:
    try:
        sources = card_sources(hooks, namespace_of(session), trace)
    except LongTermMemoryError:
        return ""  # the tab reports it
    cards = [card for card in cards_of(trace, sources, words) if card.state is CardState.LIVE]
    if not cards:
        min_need = hooks.runtime.settings.recall.min_need
        reason = why_no_memory(trace, words, min_need=min_need)
        return paragraph(words("demo_why_none", reason=reason), "demo-why")
    title = escaped(words("demo_why", count=len(cards)))
    items = "".join(f"<li>{_card_html(card, words)}</li>" for card in cards)
    return f'<details class="demo-why"><summary>{title}</summary><ul>{items}</ul></details>'


def _card_html(card: Card, words: Words) -> str:
    quotes = "<br>".join(
        f"{speaker_html(speaker, words)}{quote.html}" for speaker, quote in card.quotes
    )
    facts = " · ".join(filter(None, (card.when, escaped(card.where), escaped(card.why))))
    return f"<blockquote>{quotes}</blockquote><small>{facts}</small>"

"""What the traces of a chat tell: the memories in its latest prompt, and the "Why?" of answers.

The "Why?" shows the cards of *Last answer*, without their buttons.
"""

from collections.abc import Mapping, Sequence

from ...domain.errors import LongTermMemoryError
from ...domain.namespaces import Namespace, page_user
from ...host.hooks import Hooks
from ...memory.browse import about_user
from ...memory.traces import Trace
from ...recall.overview import OVERVIEW
from ...recall.results import Candidate, DropReason, Recalled
from ...recall.search import WEIGHTS
from ...recall.standing_facts import limits_the_answer
from ...text.locales import Words
from ..tab.answer.answer_view import card_sources, why_no_memory
from ..tab.answer.card_html import speaker_html
from ..tab.answer.cards import Card, CardState, cards_of, shown_ids
from ..tab.common.markup import escaped, paragraph
from .message_matcher import PromptMemory
from .session import Session

_MAX_ABOUT_USER = 6


class TracedMemories:
    """Reads them from the newest trace of a chat, as the tab does."""

    def __init__(self, hooks: Hooks, session: Session) -> None:
        self._hooks = hooks
        self._session = session

    def latest(self) -> Sequence[PromptMemory]:
        trace = next(iter(traces_of(self._hooks, self._session)), None)
        if trace is None:
            return ()
        recalled = {result.memory.id: result for result in trace.recall.kept}
        ids = _ids_in_prompt(trace)
        try:
            records = self._hooks.runtime.memory.get_records(namespace_of(self._session), ids)
        except LongTermMemoryError:
            return ()  # the tab reports it
        return [
            PromptMemory(
                memory=records[name].memory,
                is_recalled=name in recalled,
                is_of_asked_time=name in recalled and _is_of_asked_time(recalled[name]),
                fits_without_shared_words=name in recalled and _fits(recalled[name].candidate),
                corrects=recalled[name].candidate.corrects if name in recalled else "",
            )
            for name in ids
            if name in records and records[name].has_text
        ]

    def about_user(self) -> Sequence[str]:
        """Returns pinned memories, notes and one statement of each subject."""
        try:
            about = about_user(self._hooks.runtime.memory, namespace_of(self._session))
        except LongTermMemoryError:
            return ()
        always = [memory.text for memory in (*about.pinned, *about.notes)]
        return [*always, *(quotes[0].text for quotes in about.said.values())][:_MAX_ABOUT_USER]


def _ids_in_prompt(trace: Trace) -> list[str]:
    """Returns the ids of memories in the prompt, best first.

    Includes recalled ones that an earlier answer of the chat quotes, so that the prompt has them.
    """
    scores = {recalled.memory.id: recalled.candidate.score for recalled in trace.recall.kept}
    said = (drop.candidate.memory.id for drop in trace.dropped if drop.reason is DropReason.SHOWN)
    ids = [*shown_ids(trace), *scores.keys() & set(said)]
    return sorted(dict.fromkeys(ids), key=lambda memory_id: -scores.get(memory_id, -1.0))


def _is_of_asked_time(result: Recalled) -> bool:
    """Returns whether the message names a time, and this memory is mostly of that time."""
    parts = result.candidate.parts
    return any(parts.get(name, 0.0) * 2 > WEIGHTS[name] for name in ("said_at", "happened_at"))


def _fits(found: Candidate) -> bool:
    """Returns whether it was found by its subject, whichever words it shares with the message."""
    return OVERVIEW in found.parts or limits_the_answer(found)


def traces_of(hooks: Hooks, session: Session) -> list[Trace]:
    """Returns the traces of this chat, newest first."""
    traces = hooks.runtime.traces.latest(namespace_of(session))
    return [trace for trace in traces if trace.conversation == session.unique_id]


def namespace_of(session: Session) -> Namespace:
    return Namespace(page_user(session.user), session.character.name)


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

"""One answer as the page shows it, from its trace and the current memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace, encode
from ....host.hooks import Hooks
from ....memory.traces import Trace, redact
from ....storage.contract import Page
from ....storage.log.projection import MemoryRecord, MemoryStatus
from ....text.locales import Words
from ..common.actions import MEMORIES_TAB, room_link
from ..common.markup import escaped, paragraph
from ..common.wording import chat_titles, undo_minutes
from .card_actions import NOTHING_DONE, Outcome
from .card_html import cards_html
from .cards import Card, CardSources, cards_of, logs_of, question_html, shown_ids, summarised_count
from .details import detail_text

# Of the usual need: where nothing is found, even a question about the past seems to need little.
_NEED_WITHOUT_FINDS = 0.1
_MAX_OF_A_FIRST_CHAT = 200  # messages


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """One answer as HTML, and its trace without memories that were forgotten since."""

    html: str
    trace: Trace | None = None


def view_of(
    hooks: Hooks,
    namespace: Namespace | None,
    trace: Trace | None,
    words: Words,
    done: Outcome = NOTHING_DONE,
) -> AnswerView:
    """Returns the view of this answer, or an invitation to ask something if there is none."""
    if trace is None or namespace is None:
        invitation = paragraph(words["no_turns"], "ltm-empty")
        link = room_link(MEMORIES_TAB, words["answer_see_all"]) if namespace else ""
        return AnswerView(html=invitation + link)
    sources = card_sources(hooks, namespace, trace)
    cards = [_with_outcome(card, done) for card in cards_of(trace, sources, words)]
    reason = "" if cards else _reason_for_none(hooks, namespace, trace, words)
    minutes = undo_minutes(hooks.runtime)
    shown = [
        question_html(trace, sources.titles.get(sources.own_log, ""), words),
        _memories_html(cards, words, reason_for_none=reason, minutes=minutes),
        _summary_html(trace, cards, words),
        budget_html(trace, words),
    ]
    return AnswerView(
        html="".join(shown), trace=redact(trace, _forgotten_ids(trace, sources.records))
    )


def card_sources(hooks: Hooks, namespace: Namespace, trace: Trace) -> CardSources:
    """Returns the current memories of this trace, and the titles of their chats."""
    records = hooks.runtime.memory.get_records(namespace, sorted(trace.memory_ids))
    own_log = encode(trace.conversation) if trace.conversation else ""
    logs = {own_log, *logs_of(records, shown_ids(trace))}
    return CardSources(
        records=records,
        titles=chat_titles(hooks.runtime.memory, namespace, logs),
        left_out=_left_out_ids(hooks, namespace, trace),
        own_log=own_log,
    )


def _memories_html(
    cards: Sequence[Card], words: Words, *, reason_for_none: str, minutes: int
) -> str:
    if not cards:
        return paragraph(reason_for_none, "ltm-empty")
    title = escaped(words("answer_given", count=len(cards)))
    return f"<h3>{title}</h3>{cards_html(cards, words, minutes=minutes)}"


def _reason_for_none(hooks: Hooks, namespace: Namespace, trace: Trace, words: Words) -> str:
    reason = why_no_memory(trace, words, min_need=hooks.runtime.settings.recall.min_need)
    is_first = reason == words["answer_given_none"] and _was_only_chat(hooks, namespace, trace)
    return words["answer_given_first"] if is_first else reason


def _was_only_chat(hooks: Hooks, namespace: Namespace, trace: Trace) -> bool:
    """Returns whether nothing but the latest messages of this chat was remembered by then."""
    own_log = encode(trace.conversation)
    page = Page(limit=_MAX_OF_A_FIRST_CHAT, before=trace.ts)
    try:
        latest = hooks.runtime.memory.latest(namespace, page)
    except LongTermMemoryError:
        return False
    return all(memory.conversation == own_log for memory in latest)


def why_no_memory(trace: Trace, words: Words, *, min_need: float) -> str:
    """Returns why no card shows a memory of this answer."""
    if trace.skipped:
        return words("answer_skipped", reason=detail_text(trace.skipped, words))
    if shown_ids(trace):
        return words["answer_given_gone"]
    need, was_found = trace.recall.need, bool(trace.dropped or trace.recall.dropped)
    limit = min_need if was_found else _NEED_WITHOUT_FINDS * min_need
    is_needed = need is None or need >= limit
    return words["answer_given_none" if is_needed else "answer_given_unneeded"]


def _summary_html(trace: Trace, cards: Sequence[Card], words: Words) -> str:
    count = summarised_count(trace)
    line = escaped(words("answer_summaries" if cards else "answer_summaries_only", count=count))
    return f'<p class="ltm-muted">{line}</p>' if count else ""


def _with_outcome(card: Card, done: Outcome) -> Card:
    if card.memory_id != done.memory_id:
        return card
    return replace(card, message=done.message, can_undo_edit=done.before is not None)


def _forgotten_ids(trace: Trace, records: Mapping[str, MemoryRecord]) -> frozenset[str]:
    """Returns the ids of memories that were forgotten, also by another program."""
    live = {
        memory_id
        for memory_id, record in records.items()
        if record.has_text and record.status is not MemoryStatus.FORGOTTEN
    }
    return trace.memory_ids - live


def _left_out_ids(hooks: Hooks, namespace: Namespace, trace: Trace) -> frozenset[str]:
    try:
        return hooks.runtime.pauses.get(namespace, trace.conversation).left_out
    except LongTermMemoryError:
        return frozenset()  # the head reports it


FORMS = {"system": "always", "system_extract": "always", "replay": "replayed", "line": "lines"}


def budget_of(trace: Trace) -> dict[str, int]:
    """Returns the tokens of each part of the prompt; `free` is 0 if the limit is unknown."""
    parts = dict.fromkeys(FORMS.values(), 0)
    for entry in trace.injected:
        parts[FORMS.get(entry.form, "lines")] += entry.tokens
    used = sum(parts.values()) + trace.chat_tokens
    return parts | {"chat": trace.chat_tokens, "free": max(0, trace.limit_tokens - used)}


def budget_html(trace: Trace, words: Words) -> str:
    """Returns the line with the folded bar and legend; nothing for a prompt of unknown length."""
    parts = budget_of(trace)
    whole = sum(parts.values())
    if not whole or not trace.chat_tokens:
        return ""
    named = {name: (words[f"budget_{name}"], tokens) for name, tokens in parts.items()}
    bars = "".join(
        f'<span class="ltm-part ltm-{name}" style="width: {100 * tokens / whole:.2f}%"></span>'
        for name, (_, tokens) in named.items()
        if tokens
    )
    legend = "".join(
        f'<li><span class="ltm-key ltm-{name}" aria-hidden="true"></span>{escaped(label)} '
        f"<b>{tokens:,}</b></li>"
        for name, (label, tokens) in named.items()
        if tokens
    )
    used = whole - parts["chat"] - parts["free"]
    title = escaped(words("budget_title", used=used, count=trace.limit_tokens or whole))
    return (
        f'<details class="ltm-budget"><summary>{title}</summary>'
        f'<div class="ltm-bar" aria-hidden="true">{bars}</div><ul>{legend}</ul></details>'
    )

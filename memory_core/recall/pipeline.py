"""Recall pipeline: search, drop unwanted candidates, gate, rerank, split into forms."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean

from ..domain.records import Memory
from ..storage.contract import NO_FILTER, SearchFilter
from ..storage.store import MemoryStore
from ..text.cleaning import clean_answer
from ..text.commands.parser import is_command_message, tells_only_of_the_memory
from .certainty import score_of_dates, scores_without_date
from .derived_memories import EVEN_WEIGHTS, KindWeights, Overlap, has_stale_source, is_wholly_shown
from .earlier_questions import demote_repeats, only_asks, split_unanswered
from .gate import Gate, GateDecision, RecallAmount
from .overview import OVERVIEW, find_overview
from .query import Query
from .rerank import Reranker
from .results import (
    ALREADY_IN_SYSTEM_BLOCK,
    NO_FEATURES,
    Candidate,
    Dropped,
    DropReason,
    Form,
    Recall,
    Recalled,
)
from .search import SearchResult, SearchScope, search
from .uninformative import best_score, drop_uninformative, scores_by_neighbours
from .vector_score import QueryVector

_COMMAND = "a command, or its reply"
_REPEATED = "a better memory says the same: one of them was made of the other"
_REPLAY_SHARE = 0.3  # of the best score
_SHOWN_FITS_BETTER = "the chat shows what fits far better: "
_FAR_BELOW = 0.5  # share of the score of what the prompt shows
_FEW_LINES = 3  # lines for a message that may need no memory
_MAX_FULL_LINES = 3  # lines in full; later ones are short, so that all fit the budget
_ROUNDING = 1e-9
_HIDDEN = (DropReason.SHOWN, DropReason.STALE)
_MAX_HIDDEN = 500  # further candidates of a second search


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLimits:
    """Maximum numbers of candidates, replayed exchanges, further lines, and both together."""

    candidates: int
    replay: int
    lines: int
    total: int | None = None

    @property
    def all(self) -> int:
        """Replays and lines together."""
        both = self.replay + self.lines
        return both if self.total is None else min(both, self.total)

    def for_amount(self, amount: RecallAmount) -> "RecallLimits":
        """Returns the limits that apply to this amount."""
        if amount is RecallAmount.FULL:
            return self
        few = min(_FEW_LINES, self.lines) if amount is RecallAmount.FEW else 0
        return replace(self, replay=0, lines=few)


class Pipeline:
    """Selects memories for a query. The store does all I/O."""

    def __init__(
        self,
        *,
        gate: Gate,
        reranker: Reranker,
        sizes: RecallLimits,
        min_letters: int = 1,
        kind_weights: KindWeights = EVEN_WEIGHTS,
    ) -> None:
        """Messages shorter than `min_letters` are not found by their words.

        `kind_weights` are factors of derived memories' scores; an exchange has 1.
        """
        self._gate = gate
        self._kind_weights = kind_weights
        self._min_letters = min_letters
        self._reranker = reranker
        self._sizes = sizes

    def search(
        self,
        store: MemoryStore,
        query: Query,
        query_vector: QueryVector | None,
        *,
        only: SearchFilter = NO_FILTER,
    ) -> SearchResult:
        """Returns the candidates of one store.

        A message that asks for an overview gets it, and is searched for only if there is none.
        """
        scope = SearchScope(
            limit=self._sizes.candidates,
            search_filter=only,
            min_letters=self._min_letters,
            kind_weights=self._kind_weights,
        )
        with store.consistent_read():
            if query.overview and (found := find_overview(store, query, only)):
                return SearchResult(candidates=found, need_features=NO_FEATURES)
            result = search(store, query, query_vector, scope)
            hidden = len(query.shown_keys) + len(query.stale_ids) + len(query.in_system_block)
            if 2 * hidden > scope.limit and _is_crowded_out(result.candidates, query, scope.limit):
                wider = replace(scope, limit=scope.limit + min(_MAX_HIDDEN, hidden))
                result = search(store, query, query_vector, wider)
        return result

    def choose(self, query: Query, results: Sequence[SearchResult]) -> Recall:
        """Selects from the results of several stores. Their scores are comparable."""
        features = max([result.need_features for result in results], key=lambda one: one.share)
        query = query.with_need_features(features)
        unseen, dropped = _drop_unwanted(_best_first(results), query)
        telling, unanswered = split_unanswered(query.text, unseen[: self._sizes.candidates])
        last = [found.candidate for found in unanswered] if query.is_explicit_request else []
        verdict = self._gate.keep(query, telling)
        different, repeated = _drop_repeated(verdict.kept)
        ranking = self._reranker.order(query, different)
        answers = demote_repeats(query.text, ranking.candidates)
        why_few = ""
        if verdict.amount is RecallAmount.FULL and _shows_far_better(dropped, telling, query):
            verdict, why_few = replace(verdict, amount=RecallAmount.FEW), _SHOWN_FITS_BETTER
        sizes = self._sizes.for_amount(verdict.amount)
        ordered, uninformative = list(answers), list[Dropped]()
        if verdict.is_by_score and not query.is_explicit_request:
            ordered, uninformative = drop_uninformative(
                answers,
                exempt=verdict.sticky,
                may_be_weak=query.is_about_a_date or query.names_a_past_time,
                places=sizes.all,
            )
        told, wishes = _drop_wishes([*ordered, *last], sizes.all)
        kept, left = _split(told, verdict, sizes, why_few)
        return Recall(
            kept=kept,
            dropped=(
                *dropped[: self._sizes.candidates],
                *(() if last else unanswered),
                *verdict.dropped,
                *repeated,
                *uninformative,
                *wishes,
                *left,
            ),
            degraded_reasons=tuple(fault for fault in (verdict.fault, ranking.fault) if fault),
            notes=tuple(dict.fromkeys(result.note for result in results if result.note)),
            need=verdict.need,
        )


def _best_first(results: Sequence[SearchResult]) -> list[Candidate]:
    return sorted(
        chain.from_iterable(result.candidates for result in results),
        key=lambda one: (one.is_outside_dates, -one.score, -one.carried_over),
    )


def _drop_wishes(
    ordered: Sequence[Candidate], places: int
) -> tuple[list[Candidate], tuple[Dropped, ...]]:
    """Splits off messages that only wish something of the memory.

    Judges no more than may get a place, since an exchange takes a whole one.
    """
    told: list[Candidate] = []
    wishes: list[Candidate] = []
    for candidate in ordered:
        exchange = candidate.memory.exchange
        if places > 0 and exchange and tells_only_of_the_memory(exchange.user):
            wishes.append(candidate)
        else:
            told.append(candidate)
            places -= exchange is not None
    return told, _dropped(wishes, DropReason.STALE, _COMMAND)


def _split(
    ordered: Sequence[Candidate], verdict: GateDecision, sizes: RecallLimits, why_few: str
) -> tuple[tuple[Recalled, ...], tuple[Dropped, ...]]:
    """Gives each candidate its form. Direct hits come before carried-over memories."""
    if verdict.sticky:
        ordered = sorted(ordered, key=lambda candidate: candidate.memory.id in verdict.sticky)
    if any([OVERVIEW in candidate.parts for candidate in ordered]):
        sizes = replace(sizes, replay=0, lines=sizes.all)  # many memories, each in short
    chosen = fill_slots(ordered, sizes.all)
    whole = [candidate for candidate in chosen if candidate.memory.id not in verdict.sticky]
    forms = chain(
        _forms(whole, sizes.replay, sizes.lines),
        ((candidate, Form.LINE) for candidate in chosen[len(whole) :]),
    )
    few, best = verdict.amount is RecallAmount.FEW, best_score(ordered)
    kept = tuple(
        Recalled(
            candidate=candidate,
            form=form,
            is_brief=few
            or (
                form is Form.LINE
                and (index >= _MAX_FULL_LINES or scores_by_neighbours(candidate, best))
            )
            or (OVERVIEW in candidate.parts and candidate.matching_side is not None),
            is_direct=candidate.memory.id not in verdict.sticky,
        )
        for index, (candidate, form) in enumerate(forms)
    )
    ids = {recalled.candidate.memory.id for recalled in kept}
    left = [candidate for candidate in ordered if candidate.memory.id not in ids]
    reason = DropReason.GATE if few else DropReason.LIMIT
    return kept, _dropped(left, reason, f"{why_few}only {len(kept)} are recalled")


def _shows_far_better(
    dropped: Sequence[Dropped], unseen: Sequence[Candidate], query: Query
) -> bool:
    """Returns whether the chat shows an exchange that fits far better than all other memories.

    If the message names a date, an exchange that is farther from it than a memory does not count.
    """
    if query.is_explicit_request:
        return False
    shown = [
        one.candidate
        for one in dropped
        if one.reason is DropReason.SHOWN
        and one.candidate.memory.exchange
        and not only_asks(one.candidate.memory)
    ]
    if not shown:
        return False
    nearest = max(map(score_of_dates, unseen), default=0.0) - _ROUNDING
    shown = [one for one in shown if score_of_dates(one) >= nearest]
    best = max(scores_without_date(shown, query), default=0.0)
    return max(scores_without_date(unseen, query), default=0.0) < _FAR_BELOW * best


def _forms(
    candidates: Sequence[Candidate], replay: int, lines: int
) -> Iterator[tuple[Candidate, Form]]:
    """Yields the best complete exchanges as replays and the others as lines.

    An exchange becomes a line if it fits far worse than the best memory, even if all better ones
    lack an answer, and also if its score comes from its neighbours.
    """
    best = best_score(candidates)
    whole = [
        candidate
        for candidate in candidates
        if (exchange := candidate.memory.exchange)
        and exchange.user.strip()
        and exchange.assistant.strip()
    ]
    fitting = [
        candidate
        for candidate in whole
        if candidate.score >= _REPLAY_SHARE * best and not scores_by_neighbours(candidate, best)
    ]
    replayed = {candidate.memory.id for candidate in fitting[:replay]}
    spare = min(replay, len(whole)) - len(replayed)
    places = PromptSlots(lines + spare, candidates)
    for candidate in candidates:
        if candidate.memory.id in replayed:
            yield candidate, Form.REPLAY
        elif places.take(candidate.memory):
            yield candidate, Form.LINE


def _is_crowded_out(candidates: Sequence[Candidate], query: Query, limit: int) -> bool:
    """Returns whether most of a full list of candidates are memories that the prompt shows.

    A long window about the subject of the message would hide what other chats say about it.
    """
    if len(candidates) < limit:
        return False
    reasons = [_drop_reason(candidate, query, set()) for candidate in candidates]
    return 2 * sum(reason in _HIDDEN for reason in reasons) > limit


def _drop_unwanted(
    candidates: Sequence[Candidate], query: Query
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off shown and stale candidates, those of other dates, duplicates and commands."""
    seen: set[str] = set()
    left_out = {found.key for found in candidates if found.memory.id in query.left_out_ids}
    unseen: list[Candidate] = []
    dropped: list[Dropped] = []
    for found in candidates:
        candidate, exchange = found, found.memory.exchange
        if exchange and (answer := clean_answer(exchange.assistant)) != exchange.assistant:
            exchange = replace(exchange, assistant=answer)  # old logs hold recited memories
            candidate = replace(found, memory=replace(found.memory, exchange=exchange))
        reason = _drop_reason(candidate, query, seen)
        is_empty = exchange is not None and not (exchange.user or exchange.assistant)
        if is_empty or (exchange and is_command_message(exchange.user)):
            dropped.append(Dropped(candidate=found, reason=DropReason.STALE, detail=_COMMAND))
        elif found.key in left_out:
            dropped.append(Dropped(candidate=candidate, reason=DropReason.LEFT_OUT))
        elif reason is None:
            seen.add(candidate.key)
            unseen.append(candidate)
        else:
            in_block = reason is DropReason.SHOWN and candidate.memory.id in query.in_system_block
            detail = ALREADY_IN_SYSTEM_BLOCK if in_block else ""
            dropped.append(Dropped(candidate=candidate, reason=reason, detail=detail))
    return unseen, dropped


def _drop_repeated(
    candidates: Sequence[Candidate],
) -> tuple[tuple[Candidate, ...], tuple[Dropped, ...]]:
    """Splits off derived memories whose source fits better, and sources that fit less well."""
    if not any([candidate.memory.derived for candidate in candidates]):
        return tuple(candidates), ()
    overlap = Overlap()
    different: list[Candidate] = []
    repeated: list[Candidate] = []
    for candidate in candidates:
        if overlap.repeats(candidate.memory):
            repeated.append(candidate)
        else:
            overlap.add(candidate.memory)
            different.append(candidate)
    return tuple(different), _dropped(repeated, DropReason.DUPLICATE, _REPEATED)


def _drop_reason(candidate: Candidate, query: Query, seen: set[str]) -> DropReason | None:
    memory, shown = candidate.memory, query.shown_keys
    is_shown = candidate.key in shown or candidate.chat_key in shown
    if memory.derived and not is_shown:
        is_shown = is_wholly_shown(candidate, query)
    if is_shown or memory.id in query.in_system_block:
        return DropReason.SHOWN
    if memory.id in query.stale_ids or (memory.derived and has_stale_source(candidate, query)):
        return DropReason.STALE
    if candidate.is_outdated and not (query.asks_about_the_past and _may_have_held(memory)):
        return DropReason.OUTDATED
    if candidate.is_outside_dates:
        return DropReason.DATE
    return DropReason.DUPLICATE if candidate.key in seen else None


def _may_have_held(memory: Memory) -> bool:
    return memory.derived is None or not memory.derived.never_held(memory.ts)


def _dropped(
    candidates: Iterable[Candidate], reason: DropReason, detail: str
) -> tuple[Dropped, ...]:
    return tuple([Dropped(candidate=one, reason=reason, detail=detail) for one in candidates])


class PromptSlots:
    """The slots of a prompt, which candidates take until none is left.

    Several observations hold no more words than one exchange. So a derived memory takes only a
    part of a slot: its length divided by that of a usual exchange.
    """

    def __init__(self, count: float, ordered: Sequence[Candidate]) -> None:
        self.left = count
        exchanges = [
            len(candidate.memory.text) for candidate in ordered if candidate.memory.exchange
        ]
        self._usual_chars = fmean(exchanges) if exchanges else 0.0

    def take(self, memory: Memory) -> bool:
        """Takes the memory's share of a place; returns whether there was room for it."""
        share = 1.0 if memory.derived is None else self._share(memory)
        if share > self.left + _ROUNDING:
            return False
        self.left -= share
        return True

    def _share(self, memory: Memory) -> float:
        return min(1.0, len(memory.text) / self._usual_chars) if self._usual_chars else 1.0


def fill_slots(ordered: Sequence[Candidate], count: int) -> list[Candidate]:
    """Returns the first candidates that fit into this number of places, in their order."""
    places = PromptSlots(count, ordered)
    return [candidate for candidate in ordered if places.take(candidate.memory)]

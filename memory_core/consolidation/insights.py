"""Draws insights from several observations of one person or thing.

A later run writes them again with the new facts; the new insight replaces the old one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..domain.derivations import Derivation
from ..domain.errors import BadAnswer
from ..domain.records import Memory, MemoryKind
from ..memory.derived_memories import NewDerived
from ..memory.namespace_memory import NamespaceMemory
from ..recall.derived_memories import outdated_ids, superseding
from ..storage.contract import DerivedFilter
from ..storage.log.events import Event, EventType
from ..storage.log.projection import MemoryStatus
from ..text.prompt_files import PromptContract, quoted
from ..text.token_counter import beginning
from .calendar_days import day_of
from .contract import JobModel, Reflection, Replaced, Result, Task, Update
from .grounding import supported_sentences
from .job_model import PromptedJob, answer_schema, number_of, text_of
from .similar_facts import OBSERVATIONS, key_of

PROMPT = PromptContract(
    name="insights",
    folder=Path(__file__).parent / "prompts",
    required=("subject", "facts", "known"),
    optional=("max_insights",),
    json_keys=("insights", "text", "key", "from"),
)
_TEXTS = {name: {"type": "string"} for name in ("text", "key", "value")}
_NUMBERS = {"type": "array", "items": {"type": "integer"}}
_INSIGHT_SCHEMA = answer_schema({**_TEXTS, "from": _NUMBERS})
_SCHEMA = answer_schema({"insights": {"type": "array", "items": _INSIGHT_SCHEMA}})
_LONGEST = {"text": 300, "key": 40, "value": 120}
_LONGEST_NAME = 60
_LONGEST_FACT = 300
# Tokens: with the rules and an answer they fit a context of 4,096, in any language.
_FACTS_TOKENS, _LINE_TOKENS, _KNOWN_TOKENS = 2_100, 15, 400
_MIN_FACTS, _MAX_FACTS = 2, 60
_INSIGHTS = frozenset((MemoryKind.INSIGHT,))
_NOTHING = "\u2013"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsOfSubject:
    """The valid facts about a subject, oldest first, and its insights.

    `new` are the ids of facts without an insight. `outdated` maps an insight to the fact that
    replaced one of its sources.
    """

    subject: str
    facts: Sequence[Memory]
    insights: Sequence[Memory]
    new: Collection[str]
    outdated: Mapping[str, str]


def read_facts(opened: NamespaceMemory, subject: str) -> FactsOfSubject:
    """Returns the latest facts about a subject, without plans, stories and outdated facts."""
    valid = _valid_memories(opened, OBSERVATIONS, subject)
    facts = [one for one in valid if one.derived is None or one.derived.is_fact]
    insights = _valid_memories(opened, _INSIGHTS, subject)
    drawn_from = {source for one in insights for source in one.sources}
    open_facts = [one for one in facts if one.id not in drawn_from]
    outdated = dict(_outdated_insights(opened, insights, {one.id for one in facts}))
    return FactsOfSubject(
        subject=subject,
        facts=_latest(facts, {*outdated.values()}),
        insights=insights,
        new=_unreflected(opened, open_facts),
        outdated=outdated,
    )


def _valid_memories(
    opened: NamespaceMemory, kinds: frozenset[MemoryKind], subject: str
) -> list[Memory]:
    only = DerivedFilter(kinds=kinds, subject=subject)
    found = opened.find_derived(only)
    gone = outdated_ids(opened.records, found, None)
    return [one for one in found if one.id not in gone]


def _latest(facts: Sequence[Memory], wanted: Collection[str]) -> list[Memory]:
    """Returns the latest facts, and all of those in `wanted`, the oldest first."""
    kept = {one.id for one in facts[-_MAX_FACTS:]} | set(wanted)
    return [one for one in facts if one.id in kept]


def _unreflected(opened: NamespaceMemory, facts: Sequence[Memory]) -> list[str]:
    """Returns the ids of facts without an insight; a forgotten insight counts as one."""
    into = {name for one in facts for name in _reflected_into(one)}
    records = opened.records(into) if into else {}
    counting = {
        name
        for name, record in records.items()
        if record.memory.kind is MemoryKind.INSIGHT and not record.is_withdrawn
    }
    return [one.id for one in facts if counting.isdisjoint(_reflected_into(one))]


def _reflected_into(memory: Memory) -> Sequence[str]:
    return memory.derived.reflected_into if memory.derived else ()


def _outdated_insights(
    opened: NamespaceMemory, insights: Sequence[Memory], holding: Collection[str]
) -> Iterator[tuple[str, str]]:
    for insight in insights:
        gone = opened.records([one for one in insight.sources if one not in holding])
        for record in gone.values():
            later = superseding(opened.records, record.memory)
            live = [one.memory.id for one in later if one.status is MemoryStatus.LIVE]
            if live and live[-1] in holding and live[-1] not in insight.sources:
                yield insight.id, live[-1]
                break


class Insights(PromptedJob):
    """Draws `insight_max_count` insights at most, from `insight_min_observations` new facts on."""

    name = "insights"
    contract, schema = PROMPT, _SCHEMA

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        """Returns ids of memories whose subject has new facts, outdated ones, or lost an insight.

        A subject is not used as key: it is a name, which must not appear in the queue or in logs.
        """
        return list(dict.fromkeys(event.id for event in events if _may_change_insights(event)))

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        record = opened.records([key]).get(key)
        subject = record.memory.derived.subject if record and record.memory.derived else ""
        if not subject:
            return None
        known = read_facts(opened, subject)
        is_enough = len(known.new) >= self._settings.insight_min_observations
        if not (is_enough or known.outdated):
            return None
        ids = [one.id for one in (*known.facts, *known.insights)]
        return Task(key=key, records=opened.records(ids), details={"known": known})

    def run(self, task: Task, model: JobModel) -> Sequence[Result]:
        known: FactsOfSubject = task.details["known"]
        if len(known.facts) < _MIN_FACTS:
            return _outdated(known, set())
        most = self._settings.insight_max_count
        like = "\n".join(one.text for one in known.facts)
        answer = self._ask(model, _fields(known, most), like=like)["insights"]
        if not isinstance(answer, list):
            raise BadAnswer('"insights" is no list')
        found = [_update(one, known, task, model.name) for one in answer[:most]]
        updates = {_key(one.new): one for one in found if one is not None}
        if answer and not updates:
            raise BadAnswer("no insight has a text of its facts, a key and two facts")
        read = tuple(one.id for one in known.facts)
        replaced = {old for update in updates.values() for old in update.replaces}
        made: list[Result] = []
        if updates:
            made.append(Reflection(updates=tuple(updates.values()), read=read))
        return [*made, *_outdated(known, replaced)]


def _fields(known: FactsOfSubject, most: int) -> dict[str, str]:
    insights = beginning("\n".join(map(_insight_line, known.insights)), _KNOWN_TOKENS)
    return {
        "subject": quoted(known.subject, limit=_LONGEST_NAME),
        "facts": "\n".join(_fact_lines(known.facts)),
        "known": insights or _NOTHING,
        "max_insights": str(most),
    }


def _may_change_insights(event: Event) -> bool:
    if event.op is EventType.NOTE:
        return event.fields.get("kind") == MemoryKind.OBSERVATION
    is_withdrawn = event.op is EventType.FORGET and bool(event.fields.get("withdrawn"))
    return is_withdrawn or event.op is EventType.SUPERSEDE


def _update(given: object, known: FactsOfSubject, task: Task, model: str) -> Update | None:
    """Returns the insight that the model gave; None if a part is missing or invented."""
    if not isinstance(given, dict):
        return None
    cut = {name: text_of(given.get(name))[:longest] for name, longest in _LONGEST.items()}
    sources = _named_facts(given.get("from"), known)
    source = "\n".join([known.subject, *(f"{day_of(one.ts)} {one.text}" for one in sources)])
    text = supported_sentences(cut["text"], source)
    if not text or not cut["key"] or len(sources) < _MIN_FACTS:
        return None
    new = NewDerived(
        kind=MemoryKind.INSIGHT,
        text=text,
        sources={one.id: task.sources[one.id] for one in sources},
        derived=Derivation(
            made_by=model, subject=known.subject, key=cut["key"], value=cut["value"]
        ),
    )
    same = tuple(one.id for one in known.insights if key_of(one) == _key(new))
    return Update(new=new, replaces=same)


def _outdated(known: FactsOfSubject, replaced: set[str]) -> list[Result]:
    """Lets newer facts replace insights that rest on outdated ones and were not renewed."""
    left = ((old, new) for old, new in known.outdated.items() if old not in replaced)
    return [Replaced(old=old, new=new) for old, new in left]


def _named_facts(numbers: object, known: FactsOfSubject) -> list[Memory]:
    """Returns the facts with these numbers. Raises BadAnswer for any that was not given."""
    if not isinstance(numbers, list):
        return []
    found: dict[int, Memory] = {}
    for number in numbers:
        index = number_of(number)
        if not 0 < index <= len(known.facts):
            raise BadAnswer("an insight names facts that it was not given")
        found[index] = known.facts[index - 1]
    return list(found.values())


def _key(new: NewDerived) -> str:
    return new.derived.key.casefold()


def _fact_lines(facts: Sequence[Memory]) -> Iterator[str]:
    """Yields the facts as lines, the shorter the more there are."""
    each = min(_LONGEST_FACT, _FACTS_TOKENS // len(facts) - _LINE_TOKENS)
    for number, memory in enumerate(facts, start=1):
        yield _fact_line(number, replace(memory, text=beginning(memory.text, each)))


def _fact_line(number: int, memory: Memory) -> str:
    key = memory.derived.key if memory.derived else ""
    named = f"{quoted(key, limit=_LONGEST['key'])} " if key else ""
    return f"[{number}] {day_of(memory.ts)} {named}{quoted(memory.text, limit=_LONGEST_FACT)}"


def _insight_line(memory: Memory) -> str:
    key = quoted(memory.derived.key if memory.derived else "", limit=_LONGEST["key"])
    return f"{key}: {quoted(memory.text, limit=_LONGEST_FACT)}"

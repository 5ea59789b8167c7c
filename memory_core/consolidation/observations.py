"""Extracts lasting facts from exchanges, as observations with subject, property and time.

Stories, role-play and imagined things are flagged, so that they are never presented as facts.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..domain.derivations import PLAN, Derivation, Flag
from ..domain.errors import BadAnswer
from ..domain.records import Exchange, Memory, MemoryKind
from ..memory.derived_memories import NewDerived
from ..memory.namespace_memory import NamespaceMemory
from ..storage.log.events import Event
from ..storage.log.projection import MemoryStatus
from ..text.prompt_files import PromptContract, prompt_language
from ..text.sentences import is_question, sentences
from ..text.token_counter import beginnings
from .attribution import misattributed
from .calendar_days import day_and_weekday, day_of, period_named
from .contract import STATING_EVENTS, JobModel, Result, Task
from .grounding import supported_sentences
from .job_model import PromptedJob, answer_schema, text_of
from .speakers import quoted_exchange, speakers_of, with_named_subject
from .unreal import ExchangeContext, flag_unreal

PROMPT = PromptContract(
    name="observations",
    folder=Path(__file__).parent / "prompts",
    required=("exchange",),
    optional=("user", "character", "date", "before", "max_facts"),
    json_keys=("facts", "text", "about", "key", "status"),
)
_FIELDS = ("text", "about", "key", "value", "status", "when", "search")
_FACT_SCHEMA = answer_schema({name: {"type": "string"} for name in _FIELDS})
_SCHEMA = answer_schema({"facts": {"type": "array", "items": _FACT_SCHEMA}})
# A fact with a missing or unknown status is dropped, so that nothing is asserted by mistake.
_FLAGS: Mapping[str, Flag | None] = {
    "fact": None, PLAN: None, "story": Flag.FICTION, "if": Flag.HYPOTHETICAL,
}  # fmt: skip

_CHINESE_STATUS = {"事实": "fact", "计划": PLAN, "故事": "story", "假设": "if", "如果": "if"}

# Tokens: with the rules and an answer they fit a context of 4,096, in any language.
_EXCHANGE_TOKENS, _BEFORE_TOKENS = 1_900, 300
_MAX_AFTER = 2
_SOON_S = 3600.0
_NOTHING = "\u2013"
_LONGEST = {"text": 300, "about": 60, "key": 40, "value": 120}
_MAX_SEARCH_WORDS = 6
_LONGEST_SEARCH_WORD = 30
_BETWEEN_WORDS = re.compile(r"[,;/|\uff0c\u3001\uff1b]")
_MIN_LETTERS = 12
_MIN_STATEMENT = 8


class Observations(PromptedJob):
    """The facts of one exchange, from both sides; at most `observation_max_facts`."""

    name = "observations"
    contract, schema = PROMPT, _SCHEMA

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        return list(dict.fromkeys(event.id for event in events if event.op in STATING_EVENTS))

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        record = opened.records([key]).get(key)
        exchange = record.memory.exchange if record else None
        if record is None or exchange is None or record.status is not MemoryStatus.LIVE:
            return None
        if not _may_state_facts(exchange) or _observations_of(opened, key):
            return None
        before = _before(opened, record.memory)
        details = {
            "before": before.exchange if before else None,
            "known": _observations_of(opened, before.id) if before else [],
            "after": _after(opened, record.memory),
        }
        return Task(key=key, records={key: record}, details=details)

    def run(self, task: Task, model: JobModel) -> Sequence[Result]:
        (record,) = task.records.values()
        exchange = record.memory.exchange
        if exchange is None:
            return []
        most, like = self._settings.observation_max_facts, f"{exchange.user}\n{exchange.assistant}"
        fields = {
            **_fields(exchange, task.details["before"]),
            "date": day_and_weekday(record.memory.ts, prompt_language(like)),
            "max_facts": str(most),
        }
        facts = self._ask(model, fields, like=like)["facts"]
        if not isinstance(facts, list):
            raise BadAnswer('"facts" is no list')
        found = [_observation(fact, task, model.name) for fact in facts[:most]]
        distinct = {new.text: new for new in found if new is not None}
        if facts and not distinct:
            raise BadAnswer("no fact has a text, a subject, a status and words of the exchange")
        said = ExchangeContext(exchange=exchange, **task.details)
        return flag_unreal(list(distinct.values()), said)


def _fields(exchange: Exchange, before: Exchange | None) -> dict[str, str]:
    user, character = speakers_of(exchange).quoted()
    return {
        "user": user,
        "character": character,
        "before": _quoted_exchange(before, tokens=_BEFORE_TOKENS) if before else _NOTHING,
        "exchange": _quoted_exchange(exchange, tokens=_EXCHANGE_TOKENS),
    }


def _observation(fact: object, task: Task, model: str) -> NewDerived | None:
    """Returns the observation of one fact.

    None if it lacks a field, invents names or numbers, says "he" of somebody unnamed, or
    attributes one speaker's words to the other.
    """
    (record,) = task.records.values()
    exchange = record.memory.exchange
    if not isinstance(fact, dict) or exchange is None:
        return None
    cut = {name: text_of(fact.get(name))[:longest] for name, longest in _LONGEST.items()}
    status = text_of(fact.get("status")).casefold()
    status = _CHINESE_STATUS.get(status, status)
    source = _source(exchange, task.details["before"], day_of(record.memory.ts))
    when = text_of(fact.get("when"))
    text = supported_sentences(cut["text"], f"{source}\n{when}")
    if not text or not cut["about"] or status not in _FLAGS:
        return None
    subject = speakers_of(exchange).subject(cut["about"], text, exchange)
    text = with_named_subject(text, subject, exchange, source)
    if not text or misattributed(text, [exchange]):
        return None
    event = period_named(when)
    derived = Derivation(
        made_by=model,
        subject=subject,
        key=PLAN if status == PLAN else cut["key"],
        value=cut["value"],
        search_words=_search_words(fact.get("search"), exchange),
        event_from=event[0] if event else None,
        event_to=event[1] if event else None,
        flag=_FLAGS[status],
    )
    return NewDerived(kind=MemoryKind.OBSERVATION, text=text, sources=task.sources, derived=derived)


def _search_words(found: object, exchange: Exchange) -> str:
    """Returns the words by which somebody may ask for a fact, separated by commas.

    Leaves out the speakers' names, which nearly all facts have.
    """
    several = found if isinstance(found, list) else _BETWEEN_WORDS.split(text_of(found))
    words = dict.fromkeys(text_of(word) for word in several)
    speakers = speakers_of(exchange)
    names = {speakers.user.casefold(), speakers.character.casefold()}
    kept = [word for word in words if 0 < len(word) <= _LONGEST_SEARCH_WORD]
    return ", ".join([word for word in kept if word.casefold() not in names][:_MAX_SEARCH_WORDS])


def _may_state_facts(exchange: Exchange) -> bool:
    """Returns whether one of the sides is more than a question, and so may contain a fact."""
    if exchange.is_repeat or len(exchange.user) + len(exchange.assistant) < _MIN_LETTERS:
        return False
    said = [*sentences(exchange.user), *sentences(exchange.assistant)]
    return any(len(one) >= _MIN_STATEMENT and not is_question(one) for one in said)


def _before(opened: NamespaceMemory, memory: Memory) -> Memory | None:
    """Returns the live exchange just before this one in its conversation, for its names."""
    known = opened.query(lambda store: store.catalog.known_exchanges(memory.conversation))
    ids = [exchange.id for exchange in known if not exchange.is_forgotten]
    if memory.id not in ids or not ids.index(memory.id):
        return None
    previous = ids[ids.index(memory.id) - 1]
    record = opened.records([previous]).get(previous)
    is_live = record is not None and record.status is MemoryStatus.LIVE
    return record.memory if record is not None and is_live and record.memory.exchange else None


def _after(opened: NamespaceMemory, memory: Memory) -> list[Exchange]:
    """Returns the next exchanges of the conversation that followed soon."""
    known = opened.query(lambda store: store.catalog.known_exchanges(memory.conversation))
    ids = [exchange.id for exchange in known if not exchange.is_forgotten]
    start = ids.index(memory.id) + 1 if memory.id in ids else len(ids)
    records = opened.records(ids[start : start + _MAX_AFTER])
    found = [records[name].memory for name in ids[start : start + _MAX_AFTER] if name in records]
    until = None if memory.ts is None else memory.ts + _SOON_S
    return [
        one.exchange
        for one in found
        if one.exchange and (until is None or one.ts is None or one.ts <= until)
    ]


def _observations_of(opened: NamespaceMemory, memory_id: str) -> list[Memory]:
    """Returns the observations of an exchange."""
    made = (entry.memory for entry in opened.derived_records([memory_id]))
    return [memory for memory in made if memory.kind is MemoryKind.OBSERVATION]


def _quoted_exchange(exchange: Exchange, *, tokens: int) -> str:
    return quoted_exchange(exchange, beginnings(exchange.user, exchange.assistant, tokens))


def _source(exchange: Exchange, before: Exchange | None, day: str) -> str:
    """Returns everything whose names and numbers an observation may repeat."""
    said = [day]
    for one in filter(None, (exchange, before)):
        said += [one.user_name, one.assistant_name, one.user, one.assistant]
    return "\n".join(said)

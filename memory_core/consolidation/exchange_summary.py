"""Summarises single exchanges; the summary is embedded and recalled beside the raw words."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..domain.derivations import Derivation
from ..domain.errors import BadAnswer
from ..domain.records import Exchange, MemoryKind
from ..memory.derived_memories import NewDerived
from ..memory.namespace_memory import NamespaceMemory
from ..storage.log.events import Event
from ..storage.log.projection import MemoryRecord, MemoryStatus
from ..text.excerpts import excerpt
from ..text.prompt_files import PromptContract
from ..text.token_counter import beginnings
from .attribution import check_speakers
from .calendar_days import day_of
from .contract import STATING_EVENTS, JobModel, Task
from .grounding import supported_summary
from .job_model import PromptedJob, answer_schema
from .speakers import quoted_exchange, speakers_of

PROMPT = PromptContract(
    name="exchange_summary",
    folder=Path(__file__).parent / "prompts",
    required=("exchange",),
    optional=("user", "character", "date", "max_letters"),
    json_keys=("summary",),
)
_SCHEMA = answer_schema({"summary": {"type": "string"}})
_EXCHANGE_TOKENS = 2_100  # with the rules they fit a context of 4,096


class ExchangeSummaries(PromptedJob):
    """One summary for each exchange of at least `summary_min_letters` letters."""

    name = "exchange_summary"
    contract, schema = PROMPT, _SCHEMA

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        due = (event.id for event in events if event.op in STATING_EVENTS)
        return list(dict.fromkeys(due))

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        record = opened.records([key]).get(key)
        if record is None or not self._needs_summary(record):
            return None
        made = [other.memory for other in opened.derived_records([key])]
        if any(one.kind is MemoryKind.SUMMARY and one.sources == (key,) for one in made):
            return None
        return Task(key=key, records={key: record})

    def run(self, task: Task, model: JobModel) -> Sequence[NewDerived]:
        (record,) = task.records.values()
        exchange = record.memory.exchange
        if exchange is None:
            return []
        like = f"{exchange.user}\n{exchange.assistant}"
        answer = self._ask(model, self._fields(exchange), like=like)
        text = self._checked(answer["summary"], exchange)
        if not text:
            return []
        made_by = Derivation(made_by=model.name)
        return [
            NewDerived(kind=MemoryKind.SUMMARY, text=text, sources=task.sources, derived=made_by)
        ]

    def _needs_summary(self, record: MemoryRecord) -> bool:
        exchange = record.memory.exchange
        return (
            exchange is not None
            and record.status is MemoryStatus.LIVE
            and not exchange.is_repeat
            and len(exchange.user) + len(exchange.assistant) >= self._settings.summary_min_letters
        )

    def _fields(self, exchange: Exchange) -> dict[str, str]:
        user, character = speakers_of(exchange).quoted()
        texts = beginnings(exchange.user, exchange.assistant, _EXCHANGE_TOKENS)
        return {
            "user": user,
            "character": character,
            "date": day_of(exchange.ts),
            "max_letters": str(self._settings.summary_max_letters),
            "exchange": quoted_exchange(exchange, texts),
        }

    def _checked(self, answer: object, exchange: Exchange) -> str:
        """Returns the summary in one line within its limit. Raises BadAnswer."""
        if not isinstance(answer, str):
            raise BadAnswer('"summary" is no text')
        said = f"{exchange.user}\n{exchange.assistant}"
        source = "\n".join([*speakers_of(exchange).quoted(), said, day_of(exchange.ts)])
        supported = supported_summary(answer, source=source, said=said)
        check_speakers(supported, [exchange])
        limit = self._settings.summary_max_letters
        return excerpt(supported, limit) if len(supported) > limit else supported

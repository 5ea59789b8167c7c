"""Answers a question from memories, in two stages, as ChatMemory's search does.

It first uses the condensed memories: summaries, observations, insights, knowledge and diary. If the
model says that these are not enough, or if there are none, it uses exchanges: the sources of the
condensed memories, and the exchanges that recall finds.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ..config.schema import Settings
from ..domain.errors import LLMUnavailable
from ..domain.records import MemoryKind
from ..infra.calendar_time import is_within
from ..memory.factories import Models
from ..memory.questions import Answer, AnswerQuestion, Question, Source, Stage
from ..recall.query import explicit_query
from ..storage.contract import SearchFilter
from ..storage.log.projection import MemoryStatus
from ..text.cleaning import without_reasoning
from ..text.llm_json import find_object
from ..text.prompt_files import PromptContract, numbered_line, quoted
from ..text.token_counter import beginning, estimate_tokens
from .foreground_model import ForegroundWork
from .job_model import text_of

ANSWER = PromptContract(
    name="answer",
    folder=Path(__file__).parent / "prompts",
    required=("question", "memories"),
    json_keys=("answer", "used", "enough"),
)
CONDENSED = frozenset(MemoryKind) - {MemoryKind.EXCHANGE}
NO_MODEL = "no language model is configured (llm.base_url), so there are only the memories"
UNANSWERED = "the language model did not answer: "  # the reason follows
NOTHING_FITS = "there are no memories that fit the question"
_NOT_ENOUGH = frozenset(("false", "no", "否"))
_BROKEN_JSON = re.compile(r"\A(?:```(?:json)?\s*)?\{\s*[\"']answer[\"']\s*:\s*[\"']?")
_EXCHANGES = frozenset({MemoryKind.EXCHANGE})

_LONGEST_ANSWER = 4_000
_ANSWER_TOKENS = 700
_MAX_QUESTION_CHARS = 2_000
_MAX_MEMORY_CHARS = 1_200
_MAX_PROMPT_TOKENS = 2_400  # of memories; with the rules they fit a context of 4,096
_MAX_QUESTION_TOKENS = 400
_MAX_MEMORY_TOKENS = 320
_MAX_SOURCES = 100  # exchanges of one condensed memory, as in ChatMemory


class Answerer(ForegroundWork):
    """Answers questions. Without a model it returns the memories alone."""

    contract, max_tokens = ANSWER, _ANSWER_TOKENS

    def answer(self, question: Question) -> Answer:
        """Answers from the condensed memories, then from the exchanges if these are not enough."""
        condensed = self._find_best(question, CONDENSED)
        if self._llm is None:
            return self.ask(question.text, self._best_first(question, condensed), Stage.EXCHANGES)
        answered = self._to_answer(question, condensed, Stage.CONDENSED)
        if condensed and answered.is_enough:
            return answered
        exchanges = self._exchanges(question, condensed)
        if not exchanges and condensed:
            return answered
        detailed = self._to_answer(question, [*condensed, *exchanges], Stage.EXCHANGES)
        return detailed if detailed.text or not answered.text else answered

    def ask(
        self, question: str, sources: Sequence[Source], stage: Stage = Stage.CONDENSED
    ) -> Answer:
        """Answers from as many of these sources as fit into a prompt. Raises LLMUnavailable."""
        listed = _listed(sources)
        fault = NO_MODEL if self._llm is None else NOTHING_FITS
        silent = Answer(sources=tuple(listed), stage=stage, fault=fault, is_enough=False)
        if self._llm is None or not listed:
            return silent
        fields = {
            "question": quoted(
                beginning(question, _MAX_QUESTION_TOKENS), limit=_MAX_QUESTION_CHARS
            ),
            "memories": "\n".join(map(_line, range(1, len(listed) + 1), listed)),
        }
        return _read(self._reply(self._llm, fields, like=question), silent)

    def _to_answer(self, question: Question, sources: Sequence[Source], stage: Stage) -> Answer:
        """Returns the answer; `fault` says why it has no text."""
        try:
            return self.ask(question.text, sources, stage)
        except LLMUnavailable as exc:
            fault = f"{UNANSWERED}{exc}"
            return Answer(sources=tuple(_listed(sources)), stage=stage, fault=fault)

    def _find_best(self, question: Question, kinds: frozenset[MemoryKind]) -> list[Source]:
        """Returns the best memories of these kinds, each once, the best of all namespaces first."""
        only = SearchFilter(since=question.since, until=question.until, kinds=kinds)
        query = explicit_query(question.text, self._memory.now(), only)
        found = [
            (recalled.candidate.score, Source(namespace=space, memory=recalled.memory))
            for space in question.namespaces
            for recalled in self._memory.recall(space, query).kept[: question.top_k]
        ]
        found.sort(key=lambda scored: -scored[0])
        return _distinct(source for _, source in found)[: question.top_k]

    def _best_first(self, question: Question, condensed: Sequence[Source]) -> list[Source]:
        """Returns the memories for a person to read: those that fit best, of whatever kind, first.

        A model is given notes first; a person would take an unrelated one for the best.
        """
        best = self._find_best(question, frozenset(MemoryKind))
        return _distinct([*best, *condensed, *self._exchanges(question, condensed)])

    def _exchanges(self, question: Question, condensed: Sequence[Source]) -> list[Source]:
        """Returns the exchanges behind the condensed memories, and those that recall finds."""
        behind = [
            exchange for source in condensed for exchange in self._find_sources(source, question)
        ]
        return _distinct([*self._find_best(question, _EXCHANGES), *behind])

    def _find_sources(self, source: Source, question: Question) -> list[Source]:
        ids = source.memory.sources[:_MAX_SOURCES]
        records = self._memory.get_records(source.namespace, ids) if ids else {}
        memories = (
            record.memory
            for record in records.values()
            if record.status is MemoryStatus.LIVE and record.memory.exchange is not None
        )
        return [
            Source(namespace=source.namespace, memory=memory)
            for memory in memories
            if is_within(memory.ts, question.since, question.until)
        ]


def answers_with(models: Models, settings: Settings) -> AnswerQuestion:
    """Returns a function that answers questions to a memory with these models."""
    return lambda memory, question: Answerer.of(memory, models, settings).answer(question)


def _read(reply: str, asked: Answer) -> Answer:
    """Returns the answer in a reply.

    A reply without JSON is an answer, too; it names no sources, so all of them count as used.
    """
    try:
        found = find_object(reply, having="answer")
        given = found["answer"]
        text = given if isinstance(given, str) else text_of(given)
        is_enough = text_of(found.get("enough")).casefold() not in _NOT_ENOUGH
        used = _used(found.get("used"), asked.sources)
    except ValueError:
        # An answer whose JSON broke off loses the signs before its text.
        text = _BROKEN_JSON.sub("", without_reasoning(reply).strip())
        is_enough, used = True, asked.sources
    text = text.strip()[:_LONGEST_ANSWER]
    fault = "" if text else "the language model gave no answer"
    return replace(asked, text=text, used=used, fault=fault, is_enough=is_enough)


def _used(numbers: object, sources: Sequence[Source]) -> tuple[Source, ...]:
    known = {str(number): source for number, source in enumerate(sources, start=1)}
    named = numbers if isinstance(numbers, list) else []
    found = dict.fromkeys(str(number).strip("[] ") for number in named)
    return tuple(known[number] for number in found if number in known)


def _listed(sources: Iterable[Source]) -> list[Source]:
    """Returns the sources that fit into one prompt."""
    fitting, left = list[Source](), _MAX_PROMPT_TOKENS
    for source in sources:
        left -= estimate_tokens(_line(len(fitting) + 1, source))
        if left < 0:
            break
        fitting.append(source)
    return fitting


def _line(number: int, source: Source) -> str:
    memory = source.memory
    memory = replace(memory, text=beginning(memory.text, _MAX_MEMORY_TOKENS))
    return numbered_line(number, memory, limit=_MAX_MEMORY_CHARS, label=memory.kind)


def _distinct(sources: Iterable[Source]) -> list[Source]:
    return list({source.memory.id: source for source in sources}.values())

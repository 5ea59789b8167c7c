"""Asks the language model for one job: measures, notes and checks each answer."""

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, ClassVar

from ..config.consolidation_settings import ConsolidationSettings
from ..domain.errors import BadAnswer, LLMInterrupted, LLMUnavailable
from ..domain.records import Turn
from ..infra.deadlines import Interrupt
from ..providers.llm.base import CUT_OFF, REPEATS, BackgroundModel, Completion, LLMRequest
from ..storage.job_queue import CallUsage
from ..text.llm_json import find_list, find_object
from ..text.locales import tab_words
from ..text.problem_text import problem_text
from ..text.prompt_files import Prompt, PromptBook, PromptContract, prompt_language
from .audit_log import AuditLog, ModelCall
from .contract import JobModel, Task
from .copied_prompts import CopyCheck

_AGAIN = {
    "en": "\n\nYour last answer could not be used: {}. Answer with the JSON object alone.",
    "zh": "\n\n你上一个回答无法使用：{}。请只输出一个 JSON 对象。",  # noqa: RUF001
}
_INTERRUPTED = "interrupted"
_LONGEST_NUMBER = 5
_COMMAS = re.compile(r"[,;，、；]")  # noqa: RUF001
_UNFINISHED = {
    CUT_OFF: "the answer broke off at consolidation.max_tokens",
    REPEATS: "the answer said the same words over and over",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOptions:
    """The limits of each answer, as LLMRequest has them. `max_attempts` failures rest a job."""

    max_tokens: int
    temperature: float
    timeout_s: float
    max_attempts: int


class AuditedJobModel:
    """The language model for one job of one worker; `usage` adds up its calls and tokens.

    After again(), the next question also says why the last answer could not be used.
    """

    def __init__(
        self,
        worker: str,
        task: Task,
        *,
        model: BackgroundModel,
        options: JobOptions,
        interrupt: Interrupt,
        audit: AuditLog | None,
    ) -> None:
        self.usage = CallUsage()
        self._call = ModelCall(
            job=worker, key=task.key, model=model.name, ids=sorted(task.records), asked=()
        )
        self._model = model
        self._options = options
        self._interrupt = interrupt
        self._audit = audit
        self._complaint = ""

    @property
    def name(self) -> str:
        return self._model.name

    def now(self) -> datetime:
        return datetime.now(UTC).astimezone()

    def again(self, complaint: str) -> None:
        """Adds the fault of the last answer to the next question, in its language."""
        self._complaint = complaint

    def ask(self, turns: Sequence[Turn], *, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer's JSON object, with the schema's keys only."""
        asked = _with_complaint(turns, self._complaint) if self._complaint else tuple(turns)
        options = self._options
        request = LLMRequest(
            turns=asked,
            max_tokens=options.max_tokens,
            temperature=options.temperature,
            timeout_s=options.timeout_s,
            schema=schema,
        )
        return CopyCheck(turns).without_copies(_object_in(self._ask(request), schema))

    def count_unusable(self) -> None:
        """Counts the last answer as a failure, because it could not be used."""
        self.usage = self.usage.plus(CallUsage(failures=1))

    def _ask(self, request: LLMRequest) -> Completion:
        started = time.monotonic()
        call = replace(self._call, asked=request.turns)
        try:
            answer = self._model.ask(request, self._interrupt)
        except LLMInterrupted:
            self._note(replace(call, outcome=_INTERRUPTED, ms=_ms_since(started)))
            raise
        except LLMUnavailable as exc:
            self._note(replace(call, outcome=str(exc), ms=_ms_since(started)))
            raise
        call = replace(call, answered=answer.text, ms=_ms_since(started))
        asked, said = answer.prompt_tokens, answer.completion_tokens
        self._note(replace(call, prompt_tokens=asked, completion_tokens=said))
        return answer

    def _note(self, call: ModelCall) -> None:
        is_failure = call.outcome not in ("answered", _INTERRUPTED)
        self.usage = self.usage.plus(
            CallUsage(
                calls=1,
                failures=int(is_failure),
                prompt_tokens=call.prompt_tokens,
                completion_tokens=call.completion_tokens,
                ms=call.ms,
            )
        )
        if self._audit is not None:
            self._audit.note(call)


class PromptedJob:
    """Fills one prompt and asks the model, whose answer has the schema."""

    contract: ClassVar[PromptContract]
    schema: ClassVar[Mapping[str, Any]]

    def __init__(
        self, *, settings: ConsolidationSettings, prompts: PromptBook | None = None
    ) -> None:
        self._settings = settings
        self._prompt: Prompt = (prompts or PromptBook()).load(self.contract)

    def _ask(self, model: JobModel, fields: Mapping[str, str], *, like: str) -> dict[str, Any]:
        """Returns the answer to the prompt in the language of `like`. Raises BadAnswer."""
        turns = self._prompt.fill(fields, like=like, now=model.now())
        return model.ask(turns, schema=self.schema)


def answer_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the JSON schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _with_complaint(turns: Sequence[Turn], complaint: str) -> tuple[Turn, ...]:
    language = prompt_language(turns[0].text)
    again = _AGAIN[language].format(problem_text(complaint, tab_words(language)))
    return *turns[:-1], replace(turns[-1], text=turns[-1].text + again)


def _object_in(answer: Completion, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of the schema's keys. Raises BadAnswer, without quoting the answer.

    A list that the model left out, or wrote as null, is empty: small models leave such lists out.
    """
    found = _any_object_in(answer, schema)
    properties: Mapping[str, Any] = schema["properties"]
    for key, value in properties.items():
        if key not in found and value["type"] != "array":
            raise BadAnswer(f'the JSON object lacks "{key}"')
    return {key: _as_asked(found.get(key), value) for key, value in properties.items()}


def _any_object_in(answer: Completion, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    required: list[str] = schema["required"]
    for key in required:
        with suppress(ValueError):
            return find_object(answer.text, having=key)
    if len(required) == 1 and schema["properties"][required[0]]["type"] == "array":
        with suppress(ValueError):
            return {required[0]: find_list(answer.text)}
    reason = _UNFINISHED.get(answer.finish_reason)
    raise BadAnswer(reason or f'no JSON object with "{required[0]}"')


def _as_asked(value: object, wanted: Mapping[str, Any]) -> object:
    """Returns the value in the form that the schema names, where its meaning is clear."""
    if wanted["type"] == "array":
        if isinstance(value, str) and wanted["items"].get("type") == "string":
            return [part.strip() for part in _COMMAS.split(value)]
        return [] if value is None else value
    if isinstance(value, dict) and len(value) == 1:  # nested one level too deep
        (value,) = value.values()
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return " ".join(value)
    return value


def _ms_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def number_of(value: object) -> int:
    """Returns the number of a line, as a prompt shows it: "[3]"; 0 for anything else."""
    text = str(value).strip("[] ")
    return int(text) if text.isdecimal() and len(text) < _LONGEST_NUMBER else 0


def text_of(value: object) -> str:
    """Returns a text or number of a model's answer in one line, else an empty text."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""

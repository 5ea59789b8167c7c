"""Prompts for language models as text files: one per language, checked when they are loaded.

A file has parts, each under a line `### system`, `### user` or `### assistant`; the last part is
the user's. `{name}` stands for a field of the prompt's contract; all other braces are plain text.
A file of the same name in the user's own folder replaces the built-in one.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from ..domain.errors import ConfigError, StorageFailed
from ..domain.records import Memory, Role, Turn, empty_mapping
from ..infra import durable_files, regular_files
from ..infra.calendar_time import to_datetime
from .dates.english_words import LONG_WEEKDAYS
from .language import languages_of
from .prompt_fence import escape_control_tokens

LANGUAGES = ("en", "zh")
DAY_FIELDS = ("today", "weekday")
ZH_WEEKDAYS = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")
_PART = re.compile(r"^### *(system|user|assistant) *$", re.MULTILINE)
_FIELD = re.compile(r"(?<!\{)\{([a-z][a-z0-9_]*)\}(?!\})")
_LONGEST_FILE = 65_536
# Line ends that JSON may hold unescaped: a quoted text must not begin a new line.
_OTHER_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContract:
    """The rules of one prompt: its built-in `folder`, its fields, and the keys of its answer.

    A file must contain each field of `required` and name each of `json_keys`. It may contain the
    fields of `optional`, and {today} and {weekday}.
    """

    name: str
    folder: Path
    required: tuple[str, ...]
    json_keys: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def fields(self) -> frozenset[str]:
        return frozenset((*self.required, *self.optional, *DAY_FIELDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """The parts of a prompt in one language, with unfilled fields."""

    parts: tuple[tuple[Role, str], ...]
    language: str

    def fill(self, fields: Mapping[str, str], *, now: datetime) -> tuple[Turn, ...]:
        """Returns the prompt with its fields filled, once: braces in values stay as they are."""
        values = {**_day_fields(now, self.language), **fields}
        return tuple(
            Turn(role=role, text=_FIELD.sub(lambda found: values.get(found[1], found[0]), text))
            for role, text in self.parts
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt in every language."""

    templates: Mapping[str, PromptTemplate] = field(default_factory=empty_mapping)

    def fill(self, fields: Mapping[str, str], *, like: str, now: datetime) -> tuple[Turn, ...]:
        """Returns the filled prompt in the language of the text `like`."""
        return self.templates[prompt_language(like)].fill(fields, now=now)


class PromptBook:
    """Loads prompts. `problems` lists the user's own files that cannot be used, and why."""

    def __init__(self, own: Path | None = None) -> None:
        self._own = own
        self.problems: list[str] = []

    def load(self, contract: PromptContract) -> Prompt:
        """Returns the prompt, built-in where the user's own file is missing or wrong."""
        return Prompt(
            templates={language: self._template(contract, language) for language in LANGUAGES}
        )

    def _template(self, contract: PromptContract, language: str) -> PromptTemplate:
        name = f"{contract.name}.txt"
        if self._own is not None:
            try:
                path = self._own / language / name
                if durable_files.exists(path):
                    return load_prompt(path, contract, language)
            except (ConfigError, StorageFailed) as exc:
                if (problem := f"{exc}; the built-in prompt is used") not in self.problems:
                    self.problems.append(problem)
        return _built_in_prompt(contract.folder / language / name, contract, language)


@cache
def _built_in_prompt(path: Path, contract: PromptContract, language: str) -> PromptTemplate:
    """Returns the prompt, read and checked once for all memories of the process."""
    return load_prompt(path, contract, language)


def load_prompt(path: Path, contract: PromptContract, language: str) -> PromptTemplate:
    """Returns the prompt in this file. Raises ConfigError, which names the file and the fault."""
    try:
        text = regular_files.read_regular_file(path).decode("utf-8")
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path} is not UTF-8 text", key=str(path)) from exc
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror or exc}", key=str(path)) from exc
    if fault := _fault(text, contract):
        raise ConfigError(f"{path}: {fault}", key=str(path))
    return PromptTemplate(parts=_parts(text), language=language)


def prompt_language(text: str) -> str:
    """Returns zh for a Chinese text, en for any other."""
    return "zh" if "zh" in languages_of(text) else "en"


def quoted(text: str, *, limit: int) -> str:
    """Returns the beginning of the text as a JSON string, which cannot begin a new line.

    Its control tokens are escaped: a model's template would take them for the end of the message.
    """
    harmless = escape_control_tokens(text[:limit])
    return json.dumps(harmless, ensure_ascii=False).translate(_OTHER_LINE_ENDS)


def numbered_line(number: int, memory: Memory, *, limit: int, label: str = "") -> str:
    """Returns a memory as one line of a prompt; its text cannot begin another line.

    The line has the number, the day in UTC if it is known, the label, and `limit` letters, quoted.
    """
    said = quoted(memory.text, limit=limit)
    day = to_datetime(memory.ts, UTC)
    date = f"{day:%Y-%m-%d}" if day else ""
    return " ".join(part for part in (f"[{number}]", date, label, said) if part)


def _fault(text: str, contract: PromptContract) -> str:
    """Returns what is wrong with a prompt file, or ""."""
    if len(text) > _LONGEST_FILE:
        return f"a prompt has at most {_LONGEST_FILE:,} characters"
    parts = _parts(text)
    if not parts or parts[-1][0] is not Role.USER or not parts[-1][1]:
        return "the last part has to be under a line '### user'"
    return _field_fault(text, contract) or _key_fault(text, contract)


def _field_fault(text: str, contract: PromptContract) -> str:
    found = set(_FIELD.findall(text))
    allowed = ", ".join(f"{{{name}}}" for name in sorted(contract.fields))
    if unknown := sorted(found - contract.fields):
        return f"{{{unknown[0]}}} is no field; the fields are {allowed}"
    missing = [name for name in contract.required if name not in found]
    return f"the field {{{missing[0]}}} is missing" if missing else ""


def _key_fault(text: str, contract: PromptContract) -> str:
    missing = [key for key in contract.json_keys if key not in text]
    return f'the prompt has to ask for the JSON key "{missing[0]}"' if missing else ""


def _parts(text: str) -> tuple[tuple[Role, str], ...]:
    _, *pieces = _PART.split(text.replace("\r\n", "\n"))
    pairs = zip(pieces[::2], pieces[1::2], strict=True)
    return tuple((Role(role), body.strip()) for role, body in pairs)


def _day_fields(now: datetime, language: str) -> dict[str, str]:
    weekdays = ZH_WEEKDAYS if language == "zh" else [day.capitalize() for day in LONG_WEEKDAYS]
    return {"today": f"{now:%Y-%m-%d}", "weekday": weekdays[now.weekday()]}

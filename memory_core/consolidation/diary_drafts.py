"""Drafts the diary page of a day from its exchanges.

A language model writes it; without one, it quotes the user's own statements and says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import accumulate
from pathlib import Path

from ..domain.derivations import EXTRACTIVE
from ..domain.errors import LLMUnavailable
from ..domain.namespaces import Namespace
from ..domain.records import Exchange, Memory, MemoryKind
from ..memory.browse import browse
from ..providers.llm.base import LanguageModel
from ..storage.listing import ListQuery, Order
from ..text.first_person import own_statements
from ..text.llm_json import find_object
from ..text.prompt_files import PromptContract, prompt_language
from ..text.sentences import remove_sentences
from ..text.token_counter import estimate_tokens
from .attribution import misattributed_to_user
from .calendar_days import day_and_weekday, minute_of
from .foreground_model import ForegroundWork
from .grounding import supported_sentences
from .speakers import quoted_exchange, speakers_of

PROMPT = PromptContract(
    name="diary",
    folder=Path(__file__).parent / "prompts",
    required=("exchanges",),
    optional=("user", "character", "date"),
    json_keys=("page",),
)
_EXCHANGES = frozenset({MemoryKind.EXCHANGE})
_MAX_EXCHANGES = 200
_MAX_PROMPT_TOKENS = 2_500  # with the rules and the page they fit a context of 4,096
_SIDES = (800, 400, 200, 100)  # letters, fewer on a day of many messages
_LONGEST_PAGE = 4_000
_MAX_QUOTES = 20
_PAGE_TOKENS = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An unsaved page; empty if there was nothing to write about.

    `made_by` is the model's name or EXTRACTIVE; `fault` says why no model wrote it.
    """

    text: str
    made_by: str
    exchanges: int
    fault: str = ""


class DiaryDrafter(ForegroundWork):
    """Drafts pages. Without a model it quotes."""

    contract, max_tokens = PROMPT, _PAGE_TOKENS

    def draft(self, namespace: Namespace, day: date) -> Draft:
        """Returns a page about the exchanges of a day, by the local clock. Raises StorageError."""
        said = self._exchanges(namespace, day)
        quoted_page = Draft(text=_quotes(said), made_by=EXTRACTIVE, exchanges=len(said))
        if self._llm is None or not said:
            return quoted_page
        try:
            text = self._write_page(self._llm, said)
        except LLMUnavailable as exc:
            fault = f"the language model did not answer: {exc}"
            return replace(quoted_page, fault=fault)
        if not text:
            return replace(quoted_page, fault="the language model's page could not be used")
        return Draft(text=text, made_by=self._llm.name, exchanges=len(said))

    def _exchanges(self, namespace: Namespace, day: date) -> list[Memory]:
        """Returns the day's exchanges, the oldest first."""
        start = datetime(day.year, day.month, day.day)
        end = start + timedelta(days=1)
        query = ListQuery(
            kinds=_EXCHANGES,
            since=start.timestamp(),
            until=end.timestamp(),
            order=Order.OLDEST,
            limit=_MAX_EXCHANGES,
        )
        return list(browse(self._memory, namespace, query).memories)

    def _write_page(self, llm: LanguageModel, said: Sequence[Memory]) -> str:
        """Returns the model's page, without sentences that invent names, numbers or an "I"."""
        lines = _listed(said)
        like = "\n".join(lines)
        speakers = speakers_of(said[0].exchange)
        user, character = speakers.quoted()
        fields = {
            "user": user,
            "character": character,
            "date": day_and_weekday(said[0].ts, prompt_language(like)),
            "exchanges": like,
        }
        reply = self._reply(llm, fields, like=like)
        try:
            page = find_object(reply, having="page")["page"]
        except ValueError:
            return ""
        written = " ".join(page.split()) if isinstance(page, str) else ""
        source = "\n".join([*speakers, fields["date"], *(one.text for one in said)])
        supported = supported_sentences(written, source)
        exchanges = [one.exchange for one in said if one.exchange]
        wrong = misattributed_to_user(supported, exchanges)
        return remove_sentences(supported, wrong)[:_LONGEST_PAGE]


def _quotes(said: Sequence[Memory]) -> str:
    """Returns the user's statements about themselves, one in a line, each after its time."""
    found: dict[str, str] = {}
    for memory in said:
        for statement in own_statements(memory.exchange.user if memory.exchange else ""):
            found.setdefault(statement.casefold(), f"{minute_of(memory.ts)[-5:]} {statement}")
    return "\n".join(list(found.values())[:_MAX_QUOTES])


def _listed(said: Sequence[Memory]) -> list[str]:
    """Returns the exchanges in one line each, as long as fit into one prompt together."""
    lines = list[str]()
    for longest in _SIDES:
        lines = [_line(memory, longest) for memory in said]
        if sum(map(estimate_tokens, lines)) <= _MAX_PROMPT_TOKENS:
            return lines
    used = accumulate(map(estimate_tokens, lines))
    return [line for line, tokens in zip(lines, used, strict=True) if tokens <= _MAX_PROMPT_TOKENS]


def _line(memory: Memory, longest: int) -> str:
    exchange = memory.exchange or Exchange(user=memory.text, assistant="")
    texts = (exchange.user[:longest], exchange.assistant[:longest])
    return f"{minute_of(memory.ts)[-5:]} {quoted_exchange(exchange, texts)}"

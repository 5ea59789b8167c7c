"""One memory in words: as a pair of turns or as a line, never longer than allowed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from ..cleaning import clean, clean_own
from ..fence import neutralise
from ..records import APPROXIMATE, DATE, Exchange, Memory, MemoryKind
from ..sentences import excerpt
from ..settings import ContextSettings
from ..speakers import ASSISTANT, USER, told
from .templates import about, date_in_digits, dates_in_words, fill, weekday_and_date

Pair = tuple[str, str]

_SPEAKERS = {MemoryKind.SUMMARY: "a summary", MemoryKind.DIARY: "the diary"}
_NOTE = "a note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Writes in the user's templates. `words` are the search terms that an excerpt shall keep;
    `today` is what the system block begins with.
    """

    settings: ContextSettings
    name1: str
    name2: str
    now: float
    longest: int
    longest_line: int
    words: Collection[str] = ()
    today: str = ""
    tz: tzinfo | None = None

    def briefly(self, most: int) -> "Writer":
        """The same one, but of any memory it writes at most so many letters."""
        longest, longest_line = min(most, self.longest), min(most, self.longest_line)
        return replace(self, longest=longest, longest_line=longest_line)

    def replay(self, memory: Memory) -> Pair | None:
        """The exchange as two turns; None where one side is missing."""
        user, assistant = self._sides(memory.exchange, self.longest)
        if not (user and assistant):
            return None
        asked = self._turn(self.settings.replay_user_template, memory, user)
        replied = self._turn(self.settings.replay_assistant_template, memory, assistant)
        return (asked, replied) if asked and replied else None

    def line(self, memory: Memory) -> str:
        """Empty where the memory has no words."""
        name, message = self._said(memory)
        if not message.strip():
            return ""
        fields = {"memory_name": name, "memory_message": " ".join(message.split())}
        return self._filled(self.settings.memory_template, memory, fields)

    def short(self, text: str) -> str:
        """Text of no known time or speaker, for the system block."""
        return "- " + " ".join(neutralise(excerpt(text, self.longest)).split())

    def lines(self, lines: Sequence[str]) -> str:
        return self._around(self.settings.memory_context_template, lines)

    def system(self, lines: Sequence[str]) -> str:
        block = self._around(self.settings.system_block_template, lines)
        return f"{self.today}\n{block}" if self.today else block

    def telling_today(self, ts: float) -> "Writer":
        """The same one, but with a system block that tells the day of `ts`."""
        weekday, date = weekday_and_date(ts, self.tz)
        fields = {**self._names, "weekday": weekday, "date": date}
        told = fill(self.settings.today_template, fields).strip() if date else ""
        return replace(self, today=told)

    def _around(self, template: str, lines: Sequence[str]) -> str:
        return fill(template, {**self._names, "all_memories": "\n".join(lines)})

    def _turn(self, template: str, memory: Memory, message: str) -> str:
        return self._filled(template, memory, {"message": message}).strip()

    def _filled(self, template: str, memory: Memory, own: Mapping[str, str]) -> str:
        said = date_in_digits(memory.ts, self.tz), dates_in_words(memory.ts, self.now, self.tz)
        date, ago = map(about, said) if _is_about(memory) else said
        when = {"date": date, "time_difference": ago}
        calm = {name: neutralise(value) for name, value in own.items()}
        return fill(template, {**self._names, **when, **calm})

    @property
    def _names(self) -> dict[str, str]:
        user, assistant = told(self.name1, USER), told(self.name2, ASSISTANT)
        return {"name1": neutralise(user), "name2": neutralise(assistant)}

    def _said(self, memory: Memory) -> Pair:
        exchange = memory.exchange
        if exchange is None:
            text = excerpt(memory.text, self.longest_line, words=self.words)
            return _SPEAKERS.get(memory.kind, _NOTE), text
        user, assistant = self._sides(exchange, self.longest_line)
        asked = told(exchange.user_name or self.name1, USER)
        replied = told(exchange.assistant_name or self.name2, ASSISTANT)
        if not user:
            return replied, assistant
        return asked, f"{user} — {replied}: {assistant}" if assistant else user

    def _sides(self, exchange: Exchange | None, limit: int) -> Pair:
        """Both texts, at most `limit` long together; one may use what the other leaves free."""
        if exchange is None:
            return "", ""
        user, assistant = clean_own(exchange.user), clean(exchange.assistant)
        user = excerpt(user, max(limit // 2, limit - len(assistant)), words=self.words)
        return user, excerpt(assistant, limit - len(user), words=self.words)


def _is_about(memory: Memory) -> bool:
    """Whether an import had to guess when it was said."""
    return memory.exchange is not None and memory.exchange.metadata.get(DATE) == APPROXIMATE

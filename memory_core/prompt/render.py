"""One memory in words: as a pair of turns or as a line, never longer than allowed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from ..config.schema import ContextSettings
from ..domain.records import APPROXIMATE, DATE, Exchange, Memory, MemoryKind
from ..infra.lru_cache import remembering
from ..recall.quoted_sentences import NOTHING_QUOTED, Quoted
from ..recall.results import Recalled
from ..text.cleaning import clean, clean_own
from ..text.placeholder_names import ASSISTANT, USER, told
from ..text.prompt_fence import neutralise
from ..text.sentences import excerpt
from .templates import about, date_in_digits, dates_in_words, fill, weekday_and_date

Pair = tuple[str, str]

_SPEAKERS = {MemoryKind.SUMMARY: "a summary", MemoryKind.DIARY: "the diary"}
_NOTE = "a note"
_USER, _ASSISTANT = 0, 1
LONGEST_BRIEF = 110
_LEAST_BRIEF = 40  # of what is said, where a template says very much itself
_TELLS_BOTH = "{said}"
_UNLIMITED = 1 << 30
_KEPT_CHARS = 500_000
_BRIEF_TRIES = 3  # what is made harmless gets longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    """A memory as it stands in a prompt: a pair of turns, or a line; and what it quotes."""

    texts: tuple[str, ...]
    quoted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Speech:
    """What one side of a memory says; a note has one side only."""

    name: str
    text: str
    side: int = _USER

    @property
    def words(self) -> str:
        """In one line."""
        return " ".join(self.text.split())

    @property
    def quoted(self) -> str:
        return f'{self.name}: "{self.words}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Writes in the user's templates. `words` are the search terms that an excerpt shall keep;
    what the prompt says already, by `quoted`, is not said again. `today` is what the system block
    begins with.
    """

    settings: ContextSettings
    name1: str
    name2: str
    now: float
    longest: int
    longest_line: int
    words: Collection[str] = ()
    today: str = ""
    quoted: Quoted = NOTHING_QUOTED
    tz: tzinfo | None = None

    def after(self, texts: Iterable[str]) -> "Writer":
        """The same one for what stands beside these texts."""
        return replace(self, quoted=self.quoted.and_also(texts))

    def briefly(self, most: int) -> "Writer":
        """The same one, but of any memory it writes at most so many letters."""
        longest, longest_line = min(most, self.longest), min(most, self.longest_line)
        return replace(self, longest=longest, longest_line=longest_line)

    def replay(self, recalled: Recalled) -> Worded | None:
        """The exchange as two turns; None where one side is missing, or the user's is quoted."""
        memory = recalled.memory
        if memory.exchange is None or self.quoted.repeated(clean_own(memory.exchange.user)):
            return None
        user, assistant = self._sides(memory.exchange, self.longest)
        if not (user and assistant):
            return None
        asked = self._turn(self.settings.replay_user_template, memory, user)
        replied = self._turn(self.settings.replay_assistant_template, memory, assistant)
        found = Worded(texts=(asked, replied), quoted=(user, assistant))
        return found if asked and replied else None

    def line(self, recalled: Recalled) -> Worded | None:
        """None where the memory has no words, or none that are not quoted."""
        if not recalled.is_brief:
            return self._line(recalled, self.longest_line)
        limit = min(self.longest_line, LONGEST_BRIEF)
        line = self._line(recalled, limit)
        for _ in range(_BRIEF_TRIES):
            over = len(line.texts[0]) - LONGEST_BRIEF if line else 0
            if over <= 0 or limit <= _LEAST_BRIEF:
                break
            limit = max(_LEAST_BRIEF, limit - over)
            line = self._line(recalled, limit)
        return line

    def _line(self, recalled: Recalled, limit: int) -> Worded | None:
        matched = self._matched(recalled, limit)
        if matched is None:
            return None
        speeches = [matched] if recalled.is_brief else self._speeches(recalled.memory, limit)
        fields = {
            "memory_name": matched.name,
            "memory_message": matched.words,
            "said": " ".join(it.quoted for it in speeches),
        }
        template = self.settings.memory_template
        quoted = speeches if _TELLS_BOTH in template else [matched]
        return Worded(
            texts=(self._filled(template, recalled.memory, fields),),
            quoted=tuple(it.text for it in quoted),
        )

    def short(self, text: str) -> str:
        """Text of no known time or speaker, for the system block."""
        return _short(text, self.longest)

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

    def _matched(self, recalled: Recalled, limit: int) -> _Speech | None:
        """The side that matched better, else the user's, or the only one that says anything."""
        said = self._speeches(recalled.memory, _UNLIMITED)
        wanted = recalled.candidate.side or _USER
        found = next((it for it in said if it.side == wanted), next(iter(said), None))
        if found is None:
            return None
        return replace(found, text=excerpt(found.text, limit, words=self.words))

    def _speeches(self, memory: Memory, limit: int) -> list[_Speech]:
        """What each side says, at most `limit` letters together."""
        exchange = memory.exchange
        if exchange is None:
            text = excerpt(self.quoted.rest(memory.text), limit, words=self.words)
            spoken = [_Speech(name=_SPEAKERS.get(memory.kind, _NOTE), text=text)]
        else:
            user, assistant = self._sides(exchange, limit)
            assistant = NOTHING_QUOTED.and_also([user]).rest(assistant)
            asked = told(exchange.user_name or self.name1, USER)
            replied = told(exchange.assistant_name or self.name2, ASSISTANT)
            spoken = [
                _Speech(name=asked, text=user),
                _Speech(name=replied, text=assistant, side=_ASSISTANT),
            ]
        return [it for it in spoken if it.text.strip()]

    def _sides(self, exchange: Exchange, limit: int) -> Pair:
        """What is new of both texts, at most `limit` long together; one may use what the other
        leaves free.
        """
        user = self.quoted.rest(clean_own(exchange.user))
        assistant = self.quoted.rest(clean(exchange.assistant))
        user = excerpt(user, max(limit // 2, limit - len(assistant)), words=self.words)
        return user, excerpt(assistant, limit - len(user), words=self.words)


def _is_about(memory: Memory) -> bool:
    """Whether an import had to guess when it was said."""
    return memory.exchange is not None and memory.exchange.metadata.get(DATE) == APPROXIMATE


@remembering(chars=_KEPT_CHARS)
def _short(text: str, longest: int) -> str:
    """A line of the system block: the same at every prompt."""
    return "- " + " ".join(neutralise(excerpt(text, longest)).split())

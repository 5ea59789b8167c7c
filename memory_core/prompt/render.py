"""One memory in words: as a pair of turns or as a line, never longer than allowed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from ..config.schema import ContextSettings
from ..domain.records import APPROXIMATE, DATE, Exchange, Memory, MemoryKind
from ..infra.lru_cache import memoize
from ..recall.quoted_sentences import NO_QUOTES, QuotedSentences
from ..recall.results import Recalled
from ..text.cleaning import clean_answer, clean_user_message
from ..text.placeholder_names import ASSISTANT, USER, name_or_role
from ..text.prompt_fence import escape_control_tokens
from ..text.sentences import excerpt
from .templates import (
    date_in_digits,
    dates_in_words,
    fill_template,
    mark_approximate,
    weekday_and_date,
)

TextPair = tuple[str, str]

_SPEAKERS = {MemoryKind.SUMMARY: "a summary", MemoryKind.DIARY: "the diary"}
_NOTE = "a note"
_USER, _ASSISTANT = 0, 1
MAX_BRIEF_CHARS = 110
_MIN_BRIEF_CHARS = 40  # of what is said, where a template says very much itself
_BOTH_SIDES_FIELD = "{said}"
_UNLIMITED = 1 << 30
_KEPT_CHARS = 500_000
_MAX_BRIEF_TRIES = 3  # what is made harmless gets longer


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedTexts:
    """A memory as it stands in a prompt: a pair of turns, or a line; and what it quotes."""

    texts: tuple[str, ...]
    quoted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Utterance:
    """What one side of a memory says; a note has one side only."""

    name: str
    text: str
    side: int = _USER

    @property
    def single_line(self) -> str:
        """In one line."""
        return " ".join(self.text.split())

    @property
    def quoted(self) -> str:
        return f'{self.name}: "{self.single_line}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRenderer:
    """Writes in the user's templates. `words` are the search terms that an excerpt shall keep;
    what the prompt says already, by `quoted`, is not said again. `today` is what the system block
    begins with.
    """

    settings: ContextSettings
    name1: str
    name2: str
    now: float
    max_chars: int
    max_line_chars: int
    search_terms: Collection[str] = ()
    today: str = ""
    already_quoted: QuotedSentences = NO_QUOTES
    tz: tzinfo | None = None

    def excluding_texts(self, texts: Iterable[str]) -> "MemoryRenderer":
        """The same one for what stands beside these texts."""
        return replace(self, already_quoted=self.already_quoted.with_texts(texts))

    def with_max_chars(self, most: int) -> "MemoryRenderer":
        """The same one, but of any memory it writes at most so many letters."""
        longest, longest_line = min(most, self.max_chars), min(most, self.max_line_chars)
        return replace(self, max_chars=longest, max_line_chars=longest_line)

    def render_replay(self, recalled: Recalled) -> RenderedTexts | None:
        """The exchange as two turns; None where one side is missing, or the user's is quoted."""
        memory = recalled.memory
        if memory.exchange is None or self.already_quoted.repeated_sentences(
            clean_user_message(memory.exchange.user)
        ):
            return None
        user, assistant = self._shorten_sides(memory.exchange, self.max_chars)
        if not (user and assistant):
            return None
        asked = self._fill_turn(self.settings.replay_user_template, memory, user)
        replied = self._fill_turn(self.settings.replay_assistant_template, memory, assistant)
        found = RenderedTexts(texts=(asked, replied), quoted=(user, assistant))
        return found if asked and replied else None

    def render_line(self, recalled: Recalled) -> RenderedTexts | None:
        """None where the memory has no words, or none that are not quoted."""
        if not recalled.is_brief:
            return self._render_line(recalled, self.max_line_chars)
        limit = min(self.max_line_chars, MAX_BRIEF_CHARS)
        line = self._render_line(recalled, limit)
        for _ in range(_MAX_BRIEF_TRIES):
            over = len(line.texts[0]) - MAX_BRIEF_CHARS if line else 0
            if over <= 0 or limit <= _MIN_BRIEF_CHARS:
                break
            limit = max(_MIN_BRIEF_CHARS, limit - over)
            line = self._render_line(recalled, limit)
        return line

    def _render_line(self, recalled: Recalled, limit: int) -> RenderedTexts | None:
        matched = self._best_matching_side(recalled, limit)
        if matched is None:
            return None
        speeches = [matched] if recalled.is_brief else self._utterances(recalled.memory, limit)
        fields = {
            "memory_name": matched.name,
            "memory_message": matched.single_line,
            "said": " ".join(utterance.quoted for utterance in speeches),
        }
        template = self.settings.memory_template
        quoted = speeches if _BOTH_SIDES_FIELD in template else [matched]
        return RenderedTexts(
            texts=(self._fill_memory(template, recalled.memory, fields),),
            quoted=tuple(utterance.text for utterance in quoted),
        )

    def render_note(self, text: str) -> str:
        """Text of no known time or speaker, for the system block."""
        return _short(text, self.max_chars)

    def render_lines_block(self, lines: Sequence[str]) -> str:
        return self._fill_block(self.settings.memory_context_template, lines)

    def render_system_block(self, lines: Sequence[str]) -> str:
        block = self._fill_block(self.settings.system_block_template, lines)
        return f"{self.today}\n{block}" if self.today else block

    def with_today(self, ts: float) -> "MemoryRenderer":
        """The same one, but with a system block that tells the day of `ts`."""
        weekday, date = weekday_and_date(ts, self.tz)
        fields = {**self._names, "weekday": weekday, "date": date}
        told = fill_template(self.settings.today_template, fields).strip() if date else ""
        return replace(self, today=told)

    def _fill_block(self, template: str, lines: Sequence[str]) -> str:
        return fill_template(template, {**self._names, "all_memories": "\n".join(lines)})

    def _fill_turn(self, template: str, memory: Memory, message: str) -> str:
        return self._fill_memory(template, memory, {"message": message}).strip()

    def _fill_memory(self, template: str, memory: Memory, own: Mapping[str, str]) -> str:
        said = date_in_digits(memory.ts, self.tz), dates_in_words(memory.ts, self.now, self.tz)
        date, ago = map(mark_approximate, said) if _has_guessed_date(memory) else said
        when = {"date": date, "time_difference": ago}
        calm = {name: escape_control_tokens(value) for name, value in own.items()}
        return fill_template(template, {**self._names, **when, **calm})

    @property
    def _names(self) -> dict[str, str]:
        user, assistant = name_or_role(self.name1, USER), name_or_role(self.name2, ASSISTANT)
        return {"name1": escape_control_tokens(user), "name2": escape_control_tokens(assistant)}

    def _best_matching_side(self, recalled: Recalled, limit: int) -> _Utterance | None:
        """The side that matched better, else the user's, or the only one that says anything."""
        said = self._utterances(recalled.memory, _UNLIMITED)
        wanted = recalled.candidate.matching_side or _USER
        found = next(
            (utterance for utterance in said if utterance.side == wanted), next(iter(said), None)
        )
        if found is None:
            return None
        return replace(found, text=excerpt(found.text, limit, words=self.search_terms))

    def _utterances(self, memory: Memory, limit: int) -> list[_Utterance]:
        """What each side says, at most `limit` letters together."""
        exchange = memory.exchange
        if exchange is None:
            text = excerpt(
                self.already_quoted.without_repeated(memory.text), limit, words=self.search_terms
            )
            spoken = [_Utterance(name=_SPEAKERS.get(memory.kind, _NOTE), text=text)]
        else:
            user, assistant = self._shorten_sides(exchange, limit)
            assistant = NO_QUOTES.with_texts([user]).without_repeated(assistant)
            asked = name_or_role(exchange.user_name or self.name1, USER)
            replied = name_or_role(exchange.assistant_name or self.name2, ASSISTANT)
            spoken = [
                _Utterance(name=asked, text=user),
                _Utterance(name=replied, text=assistant, side=_ASSISTANT),
            ]
        return [utterance for utterance in spoken if utterance.text.strip()]

    def _shorten_sides(self, exchange: Exchange, limit: int) -> TextPair:
        """What is new of both texts, at most `limit` long together; one may use what the other
        leaves free.
        """
        user = self.already_quoted.without_repeated(clean_user_message(exchange.user))
        assistant = self.already_quoted.without_repeated(clean_answer(exchange.assistant))
        user = excerpt(user, max(limit // 2, limit - len(assistant)), words=self.search_terms)
        return user, excerpt(assistant, limit - len(user), words=self.search_terms)


def _has_guessed_date(memory: Memory) -> bool:
    """Whether an import had to guess when it was said."""
    return memory.exchange is not None and memory.exchange.metadata.get(DATE) == APPROXIMATE


@memoize(chars=_KEPT_CHARS)
def _short(text: str, longest: int) -> str:
    """A line of the system block: the same at every prompt."""
    return "- " + " ".join(escape_control_tokens(excerpt(text, longest)).split())

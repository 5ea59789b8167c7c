"""Renders a memory as a pair of turns or as a line, never longer than allowed."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from ..config.schema import ContextSettings
from ..domain.derivations import Derivation
from ..domain.records import APPROXIMATE, DATE, Memory, MemoryKind
from ..infra.lru_cache import memoize
from ..recall.overview import OVERVIEW
from ..recall.results import Recalled
from ..text.cleaning import clean_answer, clean_user_message
from ..text.code_blocks import without_code, without_fences
from ..text.commands.parser import note_asked_for, without_note
from ..text.excerpts import excerpt
from ..text.first_person import own_statements
from ..text.greetings import without_greeting
from ..text.locales import DEFAULT, Words
from ..text.names import ASSISTANT, USER, is_name, name_or_role
from ..text.prompt_fence import escape_control_tokens
from ..text.questions import asks
from ..text.requests import asks_for_a_choice
from ..text.search_terms import drop_paired_characters, terms
from ..text.sentences import is_question, sentences
from .quoted_sentences import NO_QUOTES, QuotedSentences
from .templates import (
    date_in_digits,
    dates_in_words,
    fill_template,
    mark_approximate,
    weekday_and_date,
)

TextPair = tuple[str, str]

_SPEAKERS = {MemoryKind.SUMMARY: "summary", MemoryKind.DIARY: "diary"}
_USER, _ASSISTANT = 0, 1
MAX_BRIEF_CHARS = 160
_MIN_BRIEF_CHARS = 40  # of the quoted text, even if the template itself is long
_BOTH_SIDES_FIELD, _BEST_SIDE_FIELD = "{said}", "{memory_message}"
_CACHE_CHARS = 500_000
_MAX_UNMATCHED_CHARS = 400  # of an answer that no word matches: a part of it would be arbitrary
_MAX_REACTION_TERMS = 10  # a longer answer may have a content of its own, such as a recipe
_MIN_TERMS = 2
_GAPS = re.compile(r"…(?: ?…)+")  # a summary has gaps of its own, before the one of an excerpt
_QUOTATION_MARK = re.compile('["“”„«»「」]')
_QUOTED = re.compile('["“「]([^"“”「」]+)["”」]')
_MAX_BRIEF_TRIES = 3  # escaping control tokens makes a text longer


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedTexts:
    """A memory in the form for a prompt (two turns, or one line), and the texts that it quotes."""

    texts: tuple[str, ...]
    quoted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Utterance:
    """The text of one side of a memory; a note has one side only."""

    name: str
    text: str
    side: int = _USER


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRenderer:
    """Renders memories with the user's templates.

    `name_fields` has the two names as fields of templates. Excerpts prefer sentences with
    `words_wanted`. Sentences in `already_quoted` are left out. `today` is the first line of the
    system block.
    """

    settings: ContextSettings
    name1: str
    name2: str
    name_fields: Mapping[str, str]
    words: Words
    now: float
    max_chars: int
    max_line_chars: int
    words_wanted: Collection[str] = ()
    today: str = ""
    already_quoted: QuotedSentences = NO_QUOTES
    language: str = DEFAULT

    def excluding_texts(self, texts: Iterable[str]) -> "MemoryRenderer":
        """Returns a renderer that also leaves out the sentences of these texts."""
        return replace(self, already_quoted=self.already_quoted.with_texts(texts))

    def with_max_chars(self, most: int) -> "MemoryRenderer":
        """Returns a renderer with these limits lowered to `most` letters per memory."""
        max_chars, max_line_chars = min(most, self.max_chars), min(most, self.max_line_chars)
        return replace(self, max_chars=max_chars, max_line_chars=max_line_chars)

    def render_replay(self, recalled: Recalled) -> RenderedTexts | None:
        """Returns the exchange as two turns.

        Returns None if a side is empty, or if the prompt already quotes the user's side.
        """
        memory, exchange = recalled.memory, recalled.memory.exchange
        if exchange is None or self.already_quoted.repeated_sentences(
            clean_user_message(exchange.user)
        ):
            return None
        new = self._new_sides(exchange.user, exchange.assistant)
        limit = self.max_chars
        if self._only_user_tells(recalled, new):
            limit = min(limit, len(new[_USER]) + _MAX_UNMATCHED_CHARS)
        user, assistant = self._shorten(new, limit)
        if not (user and assistant):
            return None
        templates = self.settings.replay_user_template, self.settings.replay_assistant_template
        texts = tuple(
            self._fill_memory(template, memory, {"message": message}).strip()
            for template, message in zip(templates, (user, assistant), strict=True)
        )
        return RenderedTexts(texts=texts, quoted=(user, assistant)) if all(texts) else None

    def render_line(self, recalled: Recalled) -> RenderedTexts | None:
        """Returns the memory as a line, or None if it says nothing new."""
        memory, exchange = recalled.memory, recalled.memory.exchange
        if exchange is None:
            new = self.already_quoted.without_repeated(memory.text), ""
        else:
            names = (self.name2, exchange.assistant_name)
            user, answer = self._new_sides(
                without_greeting(exchange.user, names), exchange.assistant
            )
            if "\n" in user:
                user = without_code(user).strip() or user
            new = user, answer
        best = self._best_matching_side(recalled, new)
        if best is None or self._is_mere_reaction(recalled, best, new):
            return None
        is_enough = recalled.is_brief and _tells_something(new[_USER])
        if is_enough or self._only_user_tells(recalled, new):
            new = new[_USER], ""
        if not recalled.is_brief:
            return self._line_of(recalled, best, new, self.max_line_chars)
        limit = min(self.max_line_chars, MAX_BRIEF_CHARS)
        line = self._line_of(recalled, best, new, limit)
        for _ in range(_MAX_BRIEF_TRIES):
            excess = len(line.texts[0]) - MAX_BRIEF_CHARS
            if excess <= 0 or limit <= _MIN_BRIEF_CHARS:
                break
            limit = max(_MIN_BRIEF_CHARS, limit - excess)
            line = self._line_of(recalled, best, new, limit)
        return line

    def _only_user_tells(self, recalled: Recalled, new: TextPair) -> bool:
        """Returns whether the user's side tells something by itself, unlike "*nods*" or a question,
        and the answer is so long that it is quoted in part, and none of its words match.
        """
        user, answer = new
        return (
            len(answer) > _MAX_UNMATCHED_CHARS
            and _tells_something(user)
            and not self._matches(recalled, answer)
        )

    def _matches(self, recalled: Recalled, answer: str) -> bool:
        """Returns whether this answer of a memory matches the message."""
        return recalled.candidate.matching_side == _ASSISTANT or self._shares_words(answer)

    def _shares_words(self, answer: str) -> bool:
        wanted = drop_paired_characters(self.words_wanted)
        return not wanted.isdisjoint(drop_paired_characters(terms(answer)))

    def _line_of(
        self, recalled: Recalled, best: _Utterance, new: TextPair, limit: int
    ) -> RenderedTexts:
        """Returns a line of the new part of the memory, at most `limit` letters of it."""
        memory, derived = recalled.memory, recalled.memory.derived
        template = self.settings.derived_template if derived else self.settings.memory_template
        fields, quoted = {"memory_name": best.name}, tuple[str, ...]()
        if has_both := _BOTH_SIDES_FIELD in template:
            utterances = self._utterances(memory, self._shorten(new, limit))
            quoted = tuple(one.text for one in utterances)
            fields["said"] = " ".join(map(self._quote, utterances))
        if derived or not has_both or _BEST_SIDE_FIELD in template:
            matched = excerpt(best.text, limit, words=self.words_wanted)
            fields["memory_message"] = message = _on_one_line(matched)
            quoted = quoted if has_both else (matched,)
            if derived:
                fields |= derived_fields(derived, recalled, message, self.words)
        return RenderedTexts(texts=(self._fill_memory(template, memory, fields),), quoted=quoted)

    def _quote(self, utterance: _Utterance) -> str:
        """Returns `Name: "text"`, without quotation marks around a text that has its own."""
        text = _without_quotes(_on_one_line(utterance.text))
        form = "stated" if _QUOTATION_MARK.search(text) else "said"
        return self.words(form, name=utterance.name, text=text)

    def render_lines_block(self, lines: Sequence[str]) -> str:
        return self._fill_block(self.settings.memory_context_template, lines)

    def render_system_block(self, lines: Sequence[str]) -> str:
        block = self._fill_block(self.settings.system_block_template, lines)
        return f"{self.today}\n{block}" if self.today else block

    def _fill_block(self, template: str, lines: Sequence[str]) -> str:
        """Returns the block; a role at its beginning has a capital: "The assistant remembers:"."""
        block = fill_template(template, {**self.name_fields, "all_memories": "\n".join(lines)})
        names = (self.name_fields["name1"], self.name1), (self.name_fields["name2"], self.name2)
        roles = tuple(told for told, name in names if told and not is_name(name))
        return block[:1].upper() + block[1:] if block.startswith(roles) else block

    def _fill_memory(self, template: str, memory: Memory, own: Mapping[str, str]) -> str:
        when = dict[str, str]()
        if "{date}" in template:
            when["date"] = date_in_digits(memory.ts, words=self.words)
        if "{time_difference}" in template:
            when["time_difference"] = dates_in_words(memory.ts, self.now, words=self.words)
        if memory.exchange and memory.exchange.metadata.get(DATE) == APPROXIMATE:  # an import's
            when = {field: mark_approximate(told, self.words) for field, told in when.items()}
        escaped = {
            name: escape_control_tokens(value)
            for name, value in own.items()
            if f"{{{name}}}" in template  # else nobody sees it, and escaping takes long
        }
        return fill_template(template, {**self.name_fields, **when, **escaped})

    def _best_matching_side(self, recalled: Recalled, new: TextPair) -> _Utterance | None:
        """Returns the better matching side, else the user's, else the only side with a text.

        The user's side also comes before an answer that only asks a question.
        """
        utterances = self._utterances(recalled.memory, new)
        wanted = recalled.candidate.matching_side or _USER
        return next(
            (
                utterance
                for utterance in utterances
                if utterance.side == wanted and (wanted == _USER or not _only_asks(utterance.text))
            ),
            next(iter(utterances), None),
        )

    def _is_mere_reaction(self, recalled: Recalled, left: _Utterance, new: TextPair) -> bool:
        """Returns whether only a reaction or a question is left of an exchange in the prompt.

        "Glad to hear that." says nothing without its statement. Answers to questions stay, and so
        do those that match the message, and long ones unless the user told of themselves; then even
        one that matches by meaning is not worth a short line. An answer that only asks never stays,
        nor does "me too" or "cool!", which has hardly a term that the statement lacks. "Rex" does,
        after "suggest a name for my puppy".
        `new` has the new parts of both sides, the whole answer: an excerpt may lack its content.
        """
        exchange = recalled.candidate.memory.exchange
        if exchange is not None and exchange.assistant.strip() and not new[_ASSISTANT]:
            is_overview = OVERVIEW in recalled.candidate.parts
            return not is_overview and all(map(asks, sentences(new[_USER])))
        if exchange is None or left.side == _USER or not exchange.user.strip():
            return False
        answer = new[_ASSISTANT]
        if _only_asks(answer):
            return True
        words = terms(answer)
        new_terms = set(words).difference(terms(exchange.user))
        has_request = asks(exchange.user) or asks_for_a_choice(exchange.user)
        if not new[_USER] and len(new_terms) < _MIN_TERMS and not has_request:
            return True
        if has_request or self._shares_words(answer):
            return False
        answers_news = not new[_USER] and any(own_statements(exchange.user))
        if recalled.candidate.matching_side == _ASSISTANT:
            return answers_news and recalled.is_brief
        return answers_news or len(words) <= _MAX_REACTION_TERMS

    def _utterances(self, memory: Memory, sides: TextPair) -> list[_Utterance]:
        """Returns each side with a text, under the name of its speaker."""
        exchange, (user, assistant) = memory.exchange, sides
        if exchange is None:
            utterances = [
                _Utterance(name=self.words[_SPEAKERS.get(memory.kind, "note")], text=user)
            ]
        else:
            assistant = NO_QUOTES.with_texts([user]).without_repeated(assistant)
            user_name = name_or_role(exchange.user_name or self.name1, USER, self.language)
            name = exchange.assistant_name or self.name2
            assistant_name = name_or_role(name, ASSISTANT, self.language)
            utterances = [
                _Utterance(name=user_name, text=user),
                _Utterance(name=assistant_name, text=assistant, side=_ASSISTANT),
            ]
        return [utterance for utterance in utterances if utterance.text.strip()]

    def _shorten(self, sides: TextPair, limit: int) -> TextPair:
        """Returns both sides with at most `limit` letters together.

        One side may use the letters that the other leaves free.
        """
        user, assistant = sides
        user = excerpt(user, max(limit // 2, limit - len(assistant)), words=self.words_wanted)
        return user, excerpt(assistant, limit - len(user), words=self.words_wanted)

    def _new_sides(self, user: str, assistant: str) -> TextPair:
        """Returns the parts of both sides that the prompt does not quote yet.

        Leaves out "remember that …" if the prompt has the note that was made of it.
        """
        user, assistant = clean_user_message(user), clean_answer(assistant)
        note = note_asked_for(user) if self.already_quoted.known else ""
        if note and not self.already_quoted.without_repeated(note):
            user = without_note(user, note)
        return self._new_part(user), self._new_part(assistant)

    def _new_part(self, text: str) -> str:
        """Returns the part of a text that the prompt does not quote yet.

        A rest of a single word, such as "Dr.", or of mere questions is left out.
        """
        rest = self.already_quoted.without_repeated(text)
        if rest == text:
            return text
        return rest if _has_terms(rest) and not _only_asks(rest) else ""


def name_fields(name1: str, name2: str, language: str) -> dict[str, str]:
    """Returns the two names as fields of templates, on one line; a placeholder becomes its role."""
    names = {
        "name1": name_or_role(name1, USER, language),
        "name2": name_or_role(name2, ASSISTANT, language),
    }
    return {field: escape_control_tokens(" ".join(name.split())) for field, name in names.items()}


@memoize(chars=_CACHE_CHARS)
def _without_quotes(line: str) -> str:
    """Returns a line without quotation marks around the whole of it."""
    quoted = _QUOTED.fullmatch(line)
    return quoted[1] if quoted else line


def _on_one_line(text: str) -> str:
    """Returns a text on one line, without the fences of code, and with one mark for each gap."""
    if "```" in text:
        text = without_fences(text)
    return _GAPS.sub("…", " ".join(text.split()))


def _has_terms(text: str) -> bool:
    """Returns whether a text has a few terms; does not read a pasted book to its end."""
    found = chain.from_iterable(map(terms, sentences(text)))
    return len(list(islice(found, _MIN_TERMS))) == _MIN_TERMS


def _tells_something(text: str) -> bool:
    """Returns whether a text tells something by itself, unlike "*nods*" or a question."""
    return _has_terms(text) and not any(map(is_question, sentences(text)))


def _only_asks(text: str) -> bool:
    return all(map(is_question, sentences(text)))


@memoize(chars=_CACHE_CHARS)
def render_note(text: str, longest: int) -> str:
    """Returns a line of the system block, without date and speaker.

    Cached: the line is the same in every prompt. Escapes again after joining the lines, which may
    form a token or put a label behind a blank.
    """
    shown = " ".join(escape_control_tokens(excerpt(text, longest)).split())
    return f"- {escape_control_tokens(_GAPS.sub('…', shown))}"


def derived_fields(
    derived: Derivation, recalled: Recalled, text: str, words: Words
) -> dict[str, str]:
    """Returns the template's fields for a derived memory."""
    is_outdated = recalled.candidate.is_outdated
    remarks = words["between_remarks"].join(_remarks(derived, words, is_outdated=is_outdated))
    return {
        "date": _date_of(derived, recalled.memory.ts, words),
        "memory_message": words("remarked", remarks=remarks, text=text) if remarks else text,
    }


def _date_of(derived: Derivation, said: float | None, words: Words) -> str:
    """Returns the day of the event in a memory, else the day when it was said."""
    ts = said if derived.event_from is None else derived.event_from
    day = weekday_and_date(ts, words=words)[1] if ts is not None else ""
    return day or date_in_digits(ts, words=words)


def _remarks(derived: Derivation, words: Words, *, is_outdated: bool) -> Iterator[str]:
    if derived.flag is not None:
        yield words[f"flag_{derived.flag.name.lower()}"]
    if is_outdated:
        until = derived.valid_to
        ended = "" if until is None else weekday_and_date(until, words=words)[1]
        yield words("until", date=ended) if ended else words["outdated"]

"""Summarises sessions with their own sentences, without a model."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..domain.records import Exchange
from ..recall.session_groups import Session
from ..text.cleaning import clean_answer
from ..text.code_blocks import without_code
from ..text.commands.forgetting import asks_to_forget
from ..text.commands.parser import CommandKind, note_asked_for, parse_command, without_note
from ..text.first_person import names_speaker
from ..text.greetings import is_mere_greeting, is_pleasantry
from ..text.language import chat_language
from ..text.locales import DEFAULT, prompt_words
from ..text.names import ASSISTANT, USER, name_or_role
from ..text.patterns import is_out_of_character
from ..text.questions import asks_in_any_words
from ..text.requests import (
    asks_for_a_language,
    asks_to_work_on_a_text,
    gives_text_to_work_on,
    shows_a_text,
)
from ..text.search_terms import terms
from ..text.sentences import is_question, letter_width, sentences
from ..text.statement_corrections import corrected_statement
from .quoted_sentences import NO_QUOTES, QuotedSentences
from .templates import date_in_digits

_MIN_WIDTH, _MAX_CHARS = 9, 240  # "I am vegan", 下个月入职
_MAX_READ = 20_000  # letters of a message: a pasted book would cost seconds at each prompt
_GAP = " … "
# These words may also begin a statement: "When Anna was small …", "guess who passed".
_MAY_STATE = re.compile(r"\W*(?:guess|what|where|when|who|why|how|which|quand)\b", re.IGNORECASE)
# Of these, "what shoes did i buy" and "when am i flying" only ask.
_INVERTED = re.compile(
    r"\W*(?:(?:what|which|how\s+(?:many|much))\s+\w+(?:\s\w+)?|where|what|how|when|who|why)"
    r"\s+(?:am|was|do|did|should|can|could|will|would|have|had)\s+(?:i|we|you|u|my|our)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?…。！？][\"'”’」』）)]*$")  # noqa: RUF001
_OF_THE_MEMORY = (CommandKind.OFF_THE_RECORD, CommandKind.PAUSE_IN_WORDS)
_TEXT = "\0"  # stands for the text of a template until both of its ends are known


def summarise_session(session: Session, *, limit: int, quoted: QuotedSentences = NO_QUOTES) -> str:
    """Returns `(date) Name: sentence … sentence`, at most `limit` letters, or "" if nothing is new.

    The sentences are the user's most central statements, without those already quoted. If the user
    only asked questions, it quotes these; without a text of the user, it quotes the answers.
    Sentences are chosen by the weight of their recurring terms and keep their order. The method
    follows SumBasic (Nenkova and Vanderwende 2005).
    """
    day = date_in_digits(session.started)
    for form in _summary_forms(session, quoted):
        head = f"({day}) {form.head}"
        chosen = _most_central(form.sentences, limit - len(head) - len(form.tail))
        if chosen:
            return head + _joined(chosen, form.neighbours) + form.tail
    return ""


def tells_something(session: Session) -> bool:
    """Returns whether the user said more in the session than questions and pleasantries."""
    exchanges = [memory.exchange for memory in session.memories if memory.exchange]
    said = _without_requests(list(map(_without_mere_greeting, exchanges)))
    return not all(map(_asks, _new_sentences(said, NO_QUOTES)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _SummaryForm:
    """Candidate sentences for a summary, and the text around them.

    `neighbours`: pairs of sentences that follow each other in one message.
    """

    head: str
    sentences: list[str]
    tail: str = ""
    neighbours: frozenset[tuple[str, str]] = frozenset()


def _summary_forms(session: Session, quoted: QuotedSentences) -> Iterator[_SummaryForm]:
    """Yields the forms of a summary, the best one first."""
    exchanges = [memory.exchange for memory in session.memories if memory.exchange]
    said = _without_requests(list(map(_without_mere_greeting, exchanges)))
    answered = [clean_answer(exchange.assistant)[:_MAX_READ] for exchange in exchanges]
    language = chat_language(said[::-1]) or chat_language(answered[::-1]) or DEFAULT
    words = prompt_words(language)
    user = name_or_role(exchanges[0].user_name, USER, language)
    assistant = exchanges[0].assistant_name or ASSISTANT
    stated, near = _new_sentences(said, quoted), _neighbours(said)
    yield _SummaryForm(
        head=words("stated", name=user, text="") if user else "",
        sentences=[sentence for sentence in stated if not _asks(sentence)],
        neighbours=near,
    )
    asker = user or name_or_role(USER, USER, language)
    head, _, tail = words("asked", name=asker, text=_TEXT).partition(_TEXT)
    questions = [sentence for sentence in stated if _asks(sentence)]
    yield _SummaryForm(head=head, sentences=questions, tail=tail, neighbours=near)
    if _new_sentences(said, NO_QUOTES):
        return  # of what is all quoted already, the mere reactions tell nothing
    yield _SummaryForm(
        head=words("stated", name=name_or_role(assistant, ASSISTANT, language), text=""),
        sentences=[one for one in _new_sentences(answered, quoted) if not is_question(one)],
        neighbours=_neighbours(answered),
    )


def _asks(sentence: str) -> bool:
    may_state = _MAY_STATE.match(sentence) and not _INVERTED.match(sentence)
    return is_question(sentence) or (asks_in_any_words(sentence) and not may_state)


def _without_mere_greeting(exchange: Exchange) -> str:
    """Returns the user's message, or "" if it only greets the character."""
    text = exchange.user[:_MAX_READ]
    return "" if is_mere_greeting(text, (exchange.assistant_name,)) else text


def _without_requests(texts: Sequence[str]) -> list[str]:
    """Returns the messages without what they ask of the memory, with their corrections made.

    A message that only corrects the one before it, or the note that it asks for, is left out.
    """
    told, note = list[str](), ""
    for text in texts:
        note_corrected = corrected_statement(note, text) if note else ""
        corrected = corrected_statement(told[-1], text) if told and told[-1] else ""
        if corrected:
            told[-1] = corrected
            told.insert(-1, "")  # so that a second correction finds the statement
        else:
            told.append("" if note_corrected else _told(text))
        note = note_corrected or note_asked_for(text)
    return told


def _told(text: str) -> str:
    """Returns the message without what it asks of the memory, and without code.

    A note of its own says "remember that …". What is to be forgotten is better not repeated. A text
    to correct or to judge says nothing of the user, nor does "can we speak English", "summarize
    this file" or "(ooc: brb)".
    """
    text = without_code(text)
    if gives_text_to_work_on(text) or shows_a_text(text) or asks_for_a_language(text):
        return ""
    is_aside = is_out_of_character(text) or asks_to_work_on_a_text(text)
    if is_aside and not names_speaker(text):
        return ""
    command = parse_command(text)
    if command is None:
        return text
    if command.kind is CommandKind.REMEMBER:
        return without_note(text, command.argument)
    if command.kind is CommandKind.FORGET_IN_WORDS:
        return "\n".join(one for one in sentences(text) if not asks_to_forget(one))
    return "" if command.kind in _OF_THE_MEMORY else text


def _neighbours(texts: Iterable[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pair for text in texts for pair in pairwise(_joined_sentences(text)))


def _joined_sentences(text: str) -> Iterator[str]:
    """Yields the sentences, a very short one with the one before it: "It went well! Got a B"."""
    before = ""
    for sentence in sentences(text):
        if before and _goes_with_the_one_before(sentence) and not _asks(before):
            before = f"{before} {sentence}"
            continue
        if before:
            yield before
        before = sentence
    if before:
        yield before


def _goes_with_the_one_before(sentence: str) -> bool:
    is_short = letter_width(sentence) < _MIN_WIDTH and any(map(str.isalpha, sentence))
    return is_short and bool(terms(sentence)) and not (is_pleasantry(sentence) or _asks(sentence))


def _joined(chosen: Sequence[str], neighbours: frozenset[tuple[str, str]]) -> str:
    """Joins the sentences, with a gap mark only where something was left out."""
    joined = chosen[0]
    for pair in pairwise(chosen):
        is_whole = pair in neighbours and _ENDED.search(pair[0])
        joined += (" " if is_whole else _GAP) + pair[1]
    return joined


def _new_sentences(texts: Iterable[str], quoted: QuotedSentences) -> list[str]:
    """Returns distinct sentences that are not quoted yet, without mere reactions and greetings."""
    new = (
        sentence
        for text in texts
        for sentence in _joined_sentences(text)
        if not quoted.repeated_sentences(sentence)
    )
    return [
        sentence
        for sentence in dict.fromkeys(new)
        if letter_width(sentence) >= _MIN_WIDTH
        and len(sentence) <= _MAX_CHARS
        and not is_pleasantry(sentence)
    ]


def _most_central(candidates: Sequence[str], limit: int) -> list[str]:
    weights = Counter(word for text in candidates for word in set(terms(text)))
    chosen: list[int] = []
    left = limit
    while True:
        fitting = [
            index
            for index in range(len(candidates))
            if index not in chosen and len(candidates[index]) <= left
        ]
        if not fitting:
            return [candidates[index] for index in sorted(chosen)]
        best = max(fitting, key=lambda index: (_weight(candidates[index], weights), -index))
        if not _weight(candidates[best], weights):
            return [candidates[index] for index in sorted(chosen)]
        chosen.append(best)
        left -= len(candidates[best]) + len(_GAP)
        for word in set(terms(candidates[best])):
            weights[word] = 0  # a covered word is no reason to choose another sentence


def _weight(text: str, weights: Counter[str]) -> float:
    """Returns the weight of a sentence, which grows less than in proportion to its length."""
    words = set(terms(text))
    return sum(weights[word] for word in words) / math.sqrt(len(words)) if words else 0.0

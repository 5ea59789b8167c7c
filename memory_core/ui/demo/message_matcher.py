"""Chooses, for a message in the demo, the memories that an answer without a model should quote."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...domain.records import Memory
from ...recall.known_names import names_somebody
from ...text.change_cues import takes_something_back
from ...text.cleaning import strip_recited_memories
from ...text.commands.command import is_set_phrase
from ...text.first_person import is_about_speaker
from ...text.greetings import is_mere_greeting, is_pleasantry
from ...text.lexicon import other_spellings, related_words, word_weights
from ...text.not_of_oneself import is_mere_action, sentences_of_speaker
from ...text.overview_questions import Overview, overview_asked_for, own_subject_asked_for
from ...text.proposals import asks_for_a_proposal, fields_wanted
from ...text.questions import asks_in_any_words, reports_a_question
from ...text.requests import asks_for_a_style, asks_to_be_told, gives_text_to_work_on
from ...text.search_terms import terms
from ...text.sentences import sentences
from ...text.statement_corrections import corrected_statement
from ...text.subject_changes import asks_to_change_the_subject
from ...text.subject_statements import states

_MIN_FACTOR = 0.75  # minimum factor of a word that is informative by itself
_MIN_SHARED = 0.5  # weight of shared words; "know" alone is no answer to "tell me a joke"
_MAX_QUOTED = 3
_REMINDING_WORDS = 2
_ABOUT_EVERYTHING = re.compile(
    r"\b(?:what|anything|everything|all)\b.{0,30}\byou\b.{0,12}\b(?:know|remember|recall)\b.{0,12}"
    r"\b(?:about|of)\s+me\W*$"
    r"|\btell\s+me\s+(?:something\s+|everything\s+|all\s+)?about\s+(?:me|myself)\W*$"
    r"|把你(?:所)?(?:知道|记得|了解)的?(?:关于|有关)?我的?(?:所有|全部)?[事情]?.{0,2}[说說讲講列]",
    re.IGNORECASE,
)
# "讲个笑话", "给我写首诗": such a text is not something to remember.
_WANTS_A_TEXT = re.compile(
    r"^\W*(?:再|请|請|给我|給我|帮我|幫我)*[讲講说說唱写寫编編画畫](?:[一两兩])?[个個首段篇幅张張点點]"
)
_LEAVES_THE_CHOICE = re.compile(
    r"\b(?:your|you) (?:choice|pick|call|choose|decide)\b|你来?[选挑定]|你决定", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMemory:
    """A memory in the prompt. `is_recalled` is False for one that is always there.

    `is_of_asked_time`: the message names a time, and the memory is of that time.
    `fits_without_shared_words`: the message asks what was said of a subject ("what do I do for
    work"), or wants something that the memory limits ("I'm hungry"). `corrects` is the id of the
    memory whose number it corrects.
    """

    memory: Memory
    is_recalled: bool = True
    is_of_asked_time: bool = False
    fits_without_shared_words: bool = False
    corrects: str = ""


_WORDS_OF_A_GREETING = 3  # "good evening mira"


@dataclass(frozen=True)
class MessageMatcher:
    """A message of the user, compared with memories."""

    text: str

    @cached_property
    def weights(self) -> dict[str, float]:
        """The words of the message with their weights, 1 for a rare word.

        Single characters of a language without blanks are left out.
        """
        words = frozenset(word for word in terms(self.text) if len(word) > 1)
        return word_weights(words, self.text)

    @property
    def informative_words(self) -> frozenset[str]:
        return frozenset(word for word, weight in self.weights.items() if weight >= _MIN_FACTOR)

    @cached_property
    def _related_weights(self) -> dict[str, dict[str, float]]:
        """The words with the weight of each other spelling or related word, at most their own."""
        related = related_words(self.weights, self.text)
        spellings = other_spellings(self.weights, self.text)
        return {
            word: {term: nearness * weight for term, nearness in related.get(word, {}).items()}
            | dict.fromkeys([word, *spellings[word]], weight)
            for word, weight in self.weights.items()
        }

    @cached_property
    def is_question(self) -> bool:
        if asks_for_a_style(self.text):
            return False
        said = sentences(self.text)
        return asks_to_be_told(self.text) or any(
            asks_in_any_words(one) or reports_a_question(one) for one in said
        )

    @property
    def is_about_everything(self) -> bool:
        """Returns whether the message asks for everything that is known about the user."""
        is_overview = overview_asked_for(self.text) is Overview.ABOUT_USER
        return is_overview or bool(_ABOUT_EVERYTHING.search(self.text))

    @property
    def is_pleasantry(self) -> bool:
        """Returns whether the message is only a greeting, also "hi mira", or thanks."""
        said = self.text.split()
        is_greeting = len(said) <= _WORDS_OF_A_GREETING and is_mere_greeting(
            self.text, [word.strip("!.,~") for word in said[-1:]]
        )
        return is_greeting or all(map(is_pleasantry, sentences(self.text)))

    @property
    def tells_something(self) -> bool:
        """Returns whether the message states something, besides what it asks or wishes for."""
        text = self.text
        if gives_text_to_work_on(text) or asks_for_a_style(text) or is_mere_action(text):
            return False
        if asks_to_change_the_subject(text):
            return False
        said = list(sentences_of_speaker(text))
        told = [
            one
            for one in said
            if not (asks_in_any_words(one) or is_pleasantry(one) or _is_wish(one))
        ]
        if any(map(_is_wish, said)):  # "movie night! anything goes" tells nothing of the speaker
            return any(map(is_about_speaker, told))
        return bool(told)

    def best_matches(
        self, given: Sequence[PromptMemory], said_here: str = ""
    ) -> list[PromptMemory]:
        """Returns the memories that match the question best, by its words or related ones.

        Those that fit without shared words come as recall ordered them: newer versions of a fact
        are before older ones.
        A correction of a number stands before what it corrects.
        The others share half as much as the best one, and an informative word, if any does. If the
        question names a time, they are of that time. If none shares a word, because recall found
        them by meaning, returns the best one, unless `said_here`, a message of this chat, fits.
        """
        quotable = [one for one in given if not _is_own_question(one)]
        if told := [one for one in quotable if one.fits_without_shared_words]:
            return _with_corrections(told[:_MAX_QUOTED], quotable)
        pool = [one for one in quotable if one.is_of_asked_time] or quotable
        shared = {one.memory.id: self.shared_weight(one.memory.text) for one in pool}
        most = max([*shared.values(), self.shared_weight(said_here)], default=0.0)
        if not most:
            recalled = [one for one in pool if one.is_recalled]
            best = recalled[: _MAX_QUOTED if pool is not quotable else 1]
            return _with_corrections(best, quotable)
        telling = self._informative_words([said_here, *(one.memory.text for one in pool)])
        found = [
            one
            for one in pool
            if shared[one.memory.id] * 2 > most and telling & set(terms(one.memory.text))
        ]
        spoken = frozenset(self.text.lower().split())
        found.sort(key=lambda one: (-shared[one.memory.id], -_same_words(one, spoken)))
        return _with_corrections(found, quotable)

    def best_chat_message(self, typed: Sequence[str], given: Sequence[PromptMemory]) -> str:
        """Returns the earlier message of this chat that answers best, or nothing.

        Replayed exchanges look like messages of the chat in the prompt; they are left out. "What's
        my job" is not answered by "I was alone at work". A later message that takes the best one
        back ("wait no, it's 41") answers in its place.
        """
        past = [both_sides(one)[0] for one in given]
        subject = own_subject_asked_for(self.text)
        told = [
            text
            for text in typed
            if not (text.startswith("/") or is_set_phrase(text))
            and not all(map(asks_in_any_words, sentences(text)))
            and not any(side and side in text for side in past)
            and (subject is None or states(subject, text))
        ]
        best = max(reversed(told), key=self.shared_weight, default="")
        needed = max((self.shared_weight(one.memory.text) for one in given), default=0.0)
        weight = self.shared_weight(best)
        if weight < max(needed, _MIN_SHARED):
            return ""
        subject_words = MessageMatcher(best).informative_words
        corrected = (
            text
            for text in reversed(told[told.index(best) + 1 :])
            if (takes_something_back(text) and not subject_words.isdisjoint(terms(text)))
            or corrected_statement(best, text)
        )
        return next(corrected, best)

    def related(self, given: Sequence[PromptMemory]) -> list[PromptMemory]:
        """Returns the memories of a statement's subject.

        They share several words with the statement, or somebody's name. The statement itself, said
        in an earlier chat, reminds of nothing.
        """
        others = [one for one in given if both_sides(one)[0].strip() != self.text.strip()]
        return [
            one
            for one in self.best_matches(others)
            if one.fits_without_shared_words or self._has_subject_of(one.memory.text)
        ]

    def _has_subject_of(self, text: str) -> bool:
        shared = self.informative_words.intersection(terms(text))
        return len(shared) >= _REMINDING_WORDS or names_somebody(self.text, (), [text])

    def shared_weight(self, text: str) -> float:
        """Returns the summed weight of the words that the text has, or the nearest related one."""
        found = frozenset(terms(text))
        return sum(
            max([weight for term, weight in weights.items() if term in found], default=0.0)
            for weights in self._related_weights.values()
        )

    def _informative_words(self, texts: Sequence[str]) -> set[str]:
        """Returns the texts' words that match the question informatively, else as well as any."""
        weights: dict[str, float] = {}
        for related in self._related_weights.values():
            weights |= {term: max(w, weights.get(term, 0.0)) for term, w in related.items()}
        found = {word for text in texts for word in terms(text) if word in weights}
        least = min(_MIN_FACTOR, max((weights[word] for word in found), default=0.0))
        return {word for word in found if weights[word] >= least}


def _with_corrections(
    found: Sequence[PromptMemory], given: Sequence[PromptMemory]
) -> list[PromptMemory]:
    """Returns the memories, each after what corrects it."""
    ordered = [
        one
        for wrong in found
        for one in (*(other for other in given if other.corrects == wrong.memory.id), wrong)
    ]
    return list({one.memory.id: one for one in ordered}.values())


def _is_wish(sentence: str) -> bool:
    return bool(
        asks_for_a_proposal(sentence)
        or fields_wanted(sentence)
        or _LEAVES_THE_CHOICE.search(sentence)
        or _WANTS_A_TEXT.match(sentence)
    )


def both_sides(one: PromptMemory) -> tuple[str, str]:
    """Returns the texts of user and character, without memories that an answer recites."""
    user, assistant = one.memory.sides
    return user, strip_recited_memories(assistant)


def _same_words(one: PromptMemory, spoken: frozenset[str]) -> int:
    """Returns the number of words that memory and question have in exactly equal form."""
    return len(spoken.intersection(one.memory.text.lower().split()))


def _is_own_question(one: PromptMemory) -> bool:
    """Returns True for a question whose only answer is a quote of the demo."""
    user, assistant = both_sides(one)
    return (
        one.memory.exchange is not None
        and not assistant
        and all(map(asks_in_any_words, sentences(user)))
    )

"""Treats earlier questions that resemble the message: those without an answer, and repeats.

"What's my dog called" has all words of today's question, but if its answer was "I'm not sure you
ever told me", it is of no use. At the gate its score would be the best, and the statement that
answers the question would be dropped by comparison. So it is split off; an explicit search lists
it last.

Of the exchanges whose user side repeats the message, the best and the latest keep their place, with
the best other memory between them. Further repeats move behind all other memories. At most two
questions that only resemble the message come before the best other memory. A repeat whose
answer says nothing new (a list of other memories) moves to the very end.
"""

# ruff: noqa: RUF001

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import cache

from ..domain.records import Memory
from ..infra.lru_cache import memoize
from ..text.cleaning import clean_answer
from ..text.lexicon import word_weights
from ..text.questions import asks
from ..text.search_terms import indivisible_terms, terms
from ..text.sentences import sentences
from .results import Candidate, Dropped, DropReason

_PHRASES = (
    "I don't know that. I am not sure. I have no idea. Sorry, I can't remember. I do not recall "
    "anything. You never told me. You haven't mentioned or said it. I found nothing that fits. "
    "I have no memory or memories, record, details or information of it. Nothing comes to mind. "
    "Could you tell or remind me? Let me know. Unfortunately I am afraid I apologize. Yet. "
    "We have not talked or spoken about that in earlier or previous conversations. Yes? No. Hm. "
    "As your companion I can't access your calendar. I really couldn't say. I'd be happy or "
    "glad to help you keep track of it. You tell me! Do you? Remind me what it was? Hmm. "
    "Okay. Ok. Understood. I see. Got it. Noted. Good question! "
    "Ich weiß es leider nicht, weisst du. Ich bin mir nicht sicher. Keine Ahnung. Daran erinnere "
    "ich mich nicht. Ich kann mich nicht erinnern. Das hast du mir noch nie gesagt, erzählt oder "
    "erwähnt. Ich habe nichts gefunden. Tut mir leid. Entschuldigung. Informationen. Verstanden. "
    "Gute Frage. "
    "Je ne sais pas. Je l'ignore. Je n'en suis pas sûr, sûre. Aucune idée. Je ne me souviens plus. "
    "Je ne me rappelle pas. Tu ne me l'as jamais dit. Tu n'en as pas parlé. Vous ne l'avez pas "
    "mentionné. Je n'ai rien trouvé. Désolé, désolée. Malheureusement. D'accord. Bonne question. "
    "No lo sé. No estoy seguro, segura. Ni idea. No tengo idea. No recuerdo nada. No me acuerdo. "
    "Nunca me lo has dicho. No me lo dijiste. No lo mencionaste. No encontré nada. Lo siento. "
    "Perdona, perdón. No tengo información sobre eso. Todavía. Vale. Entendido. Buena pregunta. "
    "Я не знаю. Не помню. Не уверен, не уверена. Понятия не имею. Ты мне не говорил, не говорила, "
    "не рассказывал, не рассказывала, не упоминал. Я ничего не нашла, не нашел. Извини, извините. "
    "К сожалению. Прости. У меня нет информации об этом. Пока. Понятно. Хороший вопрос. "
    "我不知道。我不清楚。不太确定。我不记得了。我想不起来。你还没有告诉过我。你没说过。你没有提到过。"
    "没有找到相关的回忆。抱歉。对不起。我没有这方面的信息。你能告诉我吗？好的。明白了。好问题。"
    "我不確定。我不記得了。我想不起來。你還沒有告訴過我。你沒說過。沒有找到相關的回憶。這方面的資訊。"
    "わかりません。分かりません。知りません。覚えていません。思い出せません。まだ聞いていません。"
    "教えてもらっていません。見つかりませんでした。すみません。ごめんなさい。申し訳ありません。"
    "わからない。知らない。覚えていない。記憶にありません。了解です。なるほど。"
)
_NOT_KNOWING = re.compile(
    r"\b(?:(?:do|did|does|could|would|have|has)(?:n['’]?t|\s+not)|can(?:['’]?t|\s*not)|never"
    r"|no idea|not (?:sure|certain|that i)|found nothing|forgot"
    r"|nicht|keine|noch nie|nichts"
    r"|ne (?:sais|m)|n['’]|aucune|jamais|rien"
    r"|no (?:lo|me|s[eé]|estoy|tengo|record)|ni idea|nunca"
    r"|не|ничего|никогда|без понятия)\b"
    "|不|没|沒|忘|未|ません|ない|なかった",
    re.IGNORECASE,
)
# A denial without one of these words answers the question: "No, I do not eat meat."
_KNOWLEDGE = re.compile(
    r"\b(?:kn[eo]w|remember|recall|t(?:old|ell)|sa(?:id|y)|mention|sure|certain|idea|clue|shared?"
    r"|f(?:ind|ound)|memor|record|information|details?|access|forgot|talk|spoke|discuss|c[ao]me up"
    r"|weiß|weiss|wusste|erinner|gesagt|erzählt|erwähnt|sicher|ahnung|gefunden|verraten|information"
    r"|sais|savais|souvien|rappel|dit|parl|sûre?|idée|trouv"
    r"|s[eé]\b|sab[eí]|recuerd|acuerd|dij|dich|mencion|cont(?:ado|aste)|segur|encontr"
    r"|зна|помн|увер|понят|говорил|сказал|рассказ|упомин|наш)"
    "|知道|清楚|[记記]得|[确確]定|[说說][过過]|告[诉訴]|提[过過到]|想不?起|印象|找到|了解|信息|[资資][讯訊]"
    "|知ら|知り|分か|わか|覚え|思い出|聞い|教え|見つか|記憶",
    re.IGNORECASE,
)
# An answer may follow these words: "I do not know, but I think it is in May."
_GUESSES = re.compile(
    r"\b(?:but|though|(?<!n['’]t )think|guess|maybe|perhaps|probably|might|unless|except|only"
    r"|aber|sondern|glaube|vielleicht|wohl|vermutlich|nur|mais|peut-être|crois|pense"
    r"|pero|quizás?|creo|sino|но|может|кажется|наверное|только)\b"
    "|但|可能|应该|應該|好像|觉得|覺得|也许|也許|大概|けど|が、|たぶん|かも|でも|思い?ます|思う",
    re.IGNORECASE,
)
_ACTION = re.compile(r"\*[^*\n]{1,200}\*")
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"(?<=[^\W_][ ,])\s*([A-ZÀ-ÞА-Я][^\W\d_]{2,})")
_MAX_NEW_WORDS = 0.9  # a single rare word, such as a name, is an answer
_UNANSWERED_DETAIL = "a question like this one, which got no answer"
_MAX_ASKED = 1.1  # rare words of questions that name what they ask for: "what breed is my dog"
_NAMES_WHAT_IT_ASKS = re.compile(
    r"\W*(?:(?:so|and|hey|und|et|y|а|и)\s+)?(?:(?:what|where|who|when|how)s?|which|why"
    r"|was(?!\s+(?:i|my|the|that|this|it|he|she|we)\b)|wo|wer|wann|wie|welche[rsnm]?|warum"
    r"|quel(?:le)?s?|qui|que|quand|où|comment|combien"
    r"|qué|qui[eé]n|cu[aá]l|cuándo|cuánt[oa]s?|dónde|cómo|кто|что|где|когда|как|сколько)\b"
    r"(?!\s+if\b|[^\n]*(?:,|[.?!\n]\s*\w))"  # a further clause may state something
    r"|[^，。？?]{0,60}(?:什[么麼]|哪|[谁誰]|多少|怎[么麼]|[几幾]|何|どこ|いつ|なぜ)[^，。？?]*[。？?]?\Z",
    re.IGNORECASE,
)
_CACHE_CHARS = 2_000_000  # all messages of some 10,000 memories
_MAX_NEW_SHARE = 0.1  # most words of a repeat that the message lacks; one more may be the answer
_MAX_NEW_SHARE_OF_LIKE = 0.2
_MIN_SHARED = 0.8  # least share of the message's words in a repeat
_MAX_LENGTH_RATIO = 2.0  # longer or shorter by this factor is no repeat
_MIN_SHARED_WRITTEN = 0.4  # least share of shared words before stemming; saves stemming the rest
_KEPT_REPEATS = 2
_MIN_SHARE = 0.7  # of the best score, for a memory that is put before questions like the message
_ANSWER = 1
_QUESTION_MARKS = re.compile("[?？]")


@cache
def non_answer_terms() -> frozenset[str]:
    """Returns all terms of "I do not know" answers. An answer without others says nothing."""
    return indivisible_terms(_PHRASES)


def is_non_answer(answer: str, known: frozenset[str]) -> bool:
    """Returns whether an answer has only `known` terms, or only says "I do not know".

    Ignores sentences that deny knowledge without a guess, and actions such as "*shrugs*". The
    rest may be common words: "Ask me again!"
    """
    if indivisible_terms(answer) <= known:
        return not _denies_a_fact(answer)
    if _DIGIT.search(answer) or not _NOT_KNOWING.search(answer):
        return False
    left = (one for one in sentences(_ACTION.sub(" ", answer)) if not _only_denies(one, known))
    new = frozenset[str]().union(*map(indivisible_terms, left)) - known
    return sum(word_weights(new, answer).values()) <= _MAX_NEW_WORDS


def _only_denies(sentence: str, known: frozenset[str]) -> bool:
    if _GUESSES.search(sentence) or not _NOT_KNOWING.search(sentence):
        return False
    if _denies_a_fact(sentence):
        return False
    return all(indivisible_terms(name) <= known for name in _NAME.findall(sentence))


def _denies_a_fact(text: str) -> bool:
    return bool(_NOT_KNOWING.search(text)) and not _KNOWLEDGE.search(text)


def split_unanswered(
    text: str, candidates: Sequence[Candidate]
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off questions with hardly any new word whose answer says "I do not know"."""
    if not any([only_asks(candidate.memory) for candidate in candidates]):
        return list(candidates), []
    known = non_answer_terms() | indivisible_terms(text)
    left: list[Candidate] = []
    dropped: list[Dropped] = []
    for candidate in candidates:
        if _is_unanswered(candidate.memory, known):
            found = Dropped(candidate=candidate, reason=DropReason.GATE, detail=_UNANSWERED_DETAIL)
            dropped.append(found)
        else:
            left.append(candidate)
    return left, dropped


def _is_unanswered(memory: Memory, known: frozenset[str]) -> bool:
    exchange = memory.exchange
    if exchange is None or not only_asks(memory):
        return False
    asked = indivisible_terms(exchange.user)
    if _may_contain_answer(exchange.user, asked - known):
        return False
    return is_non_answer(clean_answer(exchange.assistant), known | asked)


def _may_contain_answer(question: str, new: frozenset[str]) -> bool:
    """Returns whether the new words of a question may contain an answer."""
    weight = sum(word_weights(new, question).values())
    if _NAMES_WHAT_IT_ASKS.match(question):
        return len(new) > 1 and weight > _MAX_ASKED
    return weight > _MAX_NEW_WORDS


def asks_in_vain(memory: Memory) -> bool:
    """Returns whether an exchange only asks, and its answer only says "I do not know"."""
    exchange = memory.exchange
    if exchange is None or not only_asks(memory):
        return False
    known = non_answer_terms() | indivisible_terms(exchange.user)
    return is_non_answer(clean_answer(exchange.assistant), known)


def only_asks(memory: Memory) -> bool:
    """Returns whether the user's side of an exchange has nothing but questions."""
    return memory.exchange is not None and _has_only_questions(memory.exchange.user)


@memoize(chars=_CACHE_CHARS)
def _has_only_questions(text: str) -> bool:
    """Returns whether there are sentences, and each is a question."""
    return bool(text.strip()) and all(map(asks, sentences(text)))


def demote_repeats(text: str, ordered: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates with repeats of this message moved back.

    The first and the latest repeat stay; the latest may have another answer, but comes behind the
    best memory that is no repeat. Repeats without a new answer come last. In all of them the answer
    counts as the matching side.
    """
    question = _RepeatedQuestion(text)
    repeats = [candidate for candidate in ordered if question.is_like(candidate, _MAX_NEW_SHARE)]
    moved = _move_back(question, ordered, repeats) if repeats else list(ordered)
    return _with_other_memory_in_front(question, moved) if question.asks else moved


def _move_back(
    question: "_RepeatedQuestion", ordered: Sequence[Candidate], repeats: Sequence[Candidate]
) -> list[Candidate]:
    repeat_ids = {candidate.memory.id for candidate in repeats}
    known_terms = question.uninformative_words(
        candidate for candidate in ordered if candidate.memory.id not in repeat_ids
    )
    empty = [
        candidate
        for candidate in repeats
        if question.is_specific
        and _answer(candidate) <= known_terms | indivisible_terms(_question(candidate))
    ]
    empty_ids = {candidate.memory.id for candidate in empty}
    moved = _move_repeats_back(
        [candidate for candidate in ordered if candidate.memory.id not in empty_ids],
        repeat_ids - empty_ids,
    )
    return [
        replace(candidate, matching_side=_ANSWER)
        if candidate.memory.id in repeat_ids and _answer(candidate)
        else candidate
        for candidate in (*moved, *empty)
    ]


def _move_repeats_back(ordered: Sequence[Candidate], repeat_ids: Set[str]) -> list[Candidate]:
    repeats = [candidate for candidate in ordered if candidate.memory.id in repeat_ids]
    if len(repeats) < _KEPT_REPEATS:
        return list(ordered)
    latest = max(repeats, key=lambda candidate: candidate.memory.ts or 0.0)
    kept_ids = {repeats[0].memory.id, latest.memory.id}
    remaining = [
        candidate for candidate in ordered if candidate.memory.id not in repeat_ids - kept_ids
    ]
    if [candidate.memory.id in kept_ids for candidate in remaining[:3]] == [True, True, False]:
        remaining[1], remaining[2] = remaining[2], remaining[1]
    return [
        *remaining,
        *(candidate for candidate in repeats if candidate.memory.id not in kept_ids),
    ]


def _with_other_memory_in_front(
    question: "_RepeatedQuestion", ordered: list[Candidate]
) -> list[Candidate]:
    """Returns the candidates with at most two questions like this one before the best other memory.

    One word more makes no repeat, as it may be the answer; but what was asked often would else
    leave no tokens for what was told.
    """
    alike = (question.is_like(found, _MAX_NEW_SHARE_OF_LIKE) for found in ordered)
    other = next((index for index, is_alike in enumerate(alike) if not is_alike), 0)
    if other <= _KEPT_REPEATS or ordered[other].score < _MIN_SHARE * ordered[0].score:
        return ordered
    ordered.insert(_KEPT_REPEATS, ordered.pop(other))
    return ordered


def _question(candidate: Candidate) -> str:
    exchange = candidate.memory.exchange
    return exchange.user if exchange else ""


def _answer(candidate: Candidate) -> frozenset[str]:
    exchange = candidate.memory.exchange
    return indivisible_terms(clean_answer(exchange.assistant)) if exchange else frozenset()


class _RepeatedQuestion:
    """Recognises repeats of one message, whose words are parsed once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._shortest, self._longest = len(text) / _MAX_LENGTH_RATIO, len(text) * _MAX_LENGTH_RATIO
        self._words = set(terms(text))
        self._written = set(text.lower().split()) if text.isascii() else set[str]()
        self.asks = bool(_QUESTION_MARKS.search(text))

    @property
    def is_specific(self) -> bool:
        """Returns whether the message is a question or has several words, as a repeat needs."""
        return self.asks or len(self._words) > 1

    def uninformative_words(self, others: Iterable[Candidate]) -> frozenset[str]:
        """Returns the terms that make an answer say nothing new.

        These are the message's own, those of other memories about it, and phrases of not knowing.
        """
        term_sets = (indivisible_terms(candidate.memory.text) for candidate in others)
        about = (term_set for term_set in term_sets if not term_set.isdisjoint(self._words))
        return non_answer_terms().union(indivisible_terms(self._text), *about)

    def is_like(self, candidate: Candidate, max_new: float) -> bool:
        """Returns whether it asks the same, with at most a share `max_new` of other words."""
        exchange = candidate.memory.exchange
        text = exchange.user if exchange else ""
        if not self._shortest <= len(text) <= self._longest:
            return False
        if self.asks and not _QUESTION_MARKS.search(text):
            return False  # without function words an answer may look like the question
        if self._written and text.isascii():  # a script with blanks: cheap to split
            written = self._written.intersection(text.lower().split())
            if len(written) < _MIN_SHARED_WRITTEN * len(self._written):
                return False
        found = set(terms(text))
        shared = len(found.intersection(self._words))
        return (
            shared > 0
            and shared >= _MIN_SHARED * len(self._words)
            and len(found) - shared <= max_new * len(found)
        )

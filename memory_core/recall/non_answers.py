"""Recognises answers that only say "I do not know", in several languages."""

# ruff: noqa: RUF001

import re
from functools import cache

from ..text.common_words import word_weights
from ..text.search_terms import indivisible_terms
from ..text.sentences import each_sentence

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


@cache
def non_answer_terms() -> frozenset[str]:
    """Returns all terms of "I do not know" answers. An answer without others says nothing."""
    return indivisible_terms(_PHRASES)


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
_MAX_NEW = 0.9  # a single rare word, such as a name, is an answer


def is_non_answer(answer: str, known: frozenset[str]) -> bool:
    """Returns whether an answer has only `known` terms, or only says "I do not know".

    Ignores sentences that deny knowledge without a guess, and actions such as "*shrugs*". The
    rest may be common words: "Ask me again!"
    """
    if indivisible_terms(answer) <= known:
        return not _denies_a_fact(answer)
    if _DIGIT.search(answer) or not _NOT_KNOWING.search(answer):
        return False
    left = (one for one in each_sentence(_ACTION.sub(" ", answer)) if not _only_denies(one, known))
    new = frozenset[str]().union(*map(indivisible_terms, left)) - known
    return sum(word_weights(new, answer).values()) <= _MAX_NEW


def _only_denies(sentence: str, known: frozenset[str]) -> bool:
    if _GUESSES.search(sentence) or not _NOT_KNOWING.search(sentence):
        return False
    if _denies_a_fact(sentence):
        return False
    return all(indivisible_terms(name) <= known for name in _NAME.findall(sentence))


def _denies_a_fact(text: str) -> bool:
    return bool(_NOT_KNOWING.search(text)) and not _KNOWLEDGE.search(text)

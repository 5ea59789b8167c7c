"""Finds the statements in which people say something about themselves, or address the listener.

speaks_of_oneself() and what builds on it know English, German, French, Spanish and Chinese.
"""

import re
from collections.abc import Iterator

from .questions import asks, asks_in_any_words
from .sentences import is_question, sentences

_SHORTEST, _LONGEST = 8, 240  # characters of a statement
_SHORTEST_UNSPACED = 4
_READ_CHARS = 4_000
# Words that mean the speaker. Languages that leave the pronoun out have common verbs too.
_SPACED = (
    "i my me mine myself i'm i've i'd i'll we our we're "
    "ich mein meine meinen meinem meiner mich mir wir unser unsere "
    "je j'ai mon ma mes moi nous notre nos "
    "yo mi mis soy tengo vivo trabajo estoy nosotros nuestra nuestro "
    "eu meu minha meus minhas tenho moro trabalho sou "
    "io mio mia miei mie sono ho abito lavoro "
    "ik mijn mij wij ons onze "
    "ja mój moja moje mam jestem mieszkam "
    "я мой моя мое моё мои мою моей моего моему моим моих меня мне мы наш наша"
)
_WORDS = frozenset(_SPACED.split())
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")  # noqa: RUF001
_UNSPACED = re.compile("我|咱|私|僕|俺|わたし|あたし|うちの|自分の|저는|제가|나는|내가")
# Verbs that say "I" alone, in questions: "¿qué instrumento toco?", "на чём езжу?".
_SAYS_I = re.compile(
    r"\b(?:toco|juego|hago|voy|llamo|gano|tomo|bebo|estudio|aprendo|manejo|conduzco|leo|escucho|odio"
    r"|cumplo|colecciono|entreno|doy|uso|llevo|nací|compré|dije|conté|fui|viví|vivía|crié|mudé)\b"
    r"|\b\w+(?:аю|яю|ею)(?:сь)?\b|\b(?:езжу|хожу|живу|пью|ем|учу|вожу|люблю|хочу|жил|жила)\b",
    re.IGNORECASE,
)
# Spoken German leaves "ich" out: "bin 34 und wohn in Leipzig", "hab nen Hund".
_SOFT_GERMAN = (
    r"(?:(?:übrigens|jetzt|grad|gerade|schon|seit|auch|eh|echt|voll|so|ja|halt|noch|heute?|gestern"
    r"|morgen|immer|gern|nur|total)\s+)*"
)
_LEAVES_OUT_ICH = re.compile(
    r"(?:^\W*|[,.!;:]\s*|\b(?:übrigens|und|aber|achso?)\s+)(?:"
    rf"(?:bin|war|hab|habe|hatte|muss|kann|darf|mag|ess|esse|trink|trinke|vertrag|vertrage)\s+{_SOFT_GERMAN}"
    r"(?:der|die|das|den|dem|ein\w{0,2}|nen?|ner|nem|kein\w{0,2}|nicht|am|im|in|beim?|mit|zum|zur|von|aus"
    r"|als|allergisch|\d+)\b"
    rf"|(?:wohne?|arbeite?)\s+{_SOFT_GERMAN}(?:als|am|bei|im|in|mit|seit)\b"
    rf"|komme?\s+{_SOFT_GERMAN}aus\b|hei(?:ß|ss)e?\s+{_SOFT_GERMAN}[^\W\d_]+\W*$"
    r"|geh(?:e)?\s+gerne?\b|spiele?\s+(?:seit|gern|in)\b)",
    re.IGNORECASE,
)
# Russian leaves "я" out: "живу в казани", "вчера уволилась".
_LEAVES_OUT_YA = re.compile(
    r"(?:^\W*|[,.!;:]\s*|\b(?:и|но|а|кстати|короче)\s+)"  # noqa: RUF001
    r"(?:(?:щас|сейчас|теперь|вчера|сегодня|уже|давно|очень|вообще|опять|снова|кстати|не)\s+){0,2}"
    r"(?:живу|работаю|учусь|учу|люблю|обожаю|ненавижу|боюсь|ем|пью|хожу|езжу|играю|рисую|занимаюсь|пишу"
    r"|переезжаю|снимаю|болею|встречаюсь|замужем|женат|переехала?|уволил(?:ся|ась)|устроил(?:ся|ась)"
    r"|родил(?:ся|ась)|вырос(?:ла)?|записал(?:ся|ась)|поступила?|бросила?)\b",
    re.IGNORECASE,
)
# Questions for advice or ability are about the world: "how do I boil eggs", "should I go".
_ADVICE = re.compile(
    r"\bhow (?:do|can|could|should|would|to)\b"
    r"|\b(?:can|could|should|shall|may|might|must|would) (?:i|we)\b"
    r"|\b(?:kann|könnte|soll|sollte|darf|muss|müsste|würde) (?:ich|wir|man)\b"
    r"|\bwie (?:mach|koch|schreib|sag|komm|bekomm)\w* ich\b"
    r"|\b(?:puedo|podr[ií]a|debo|deber[ií]a|peux|pourrais|dois|devrais|posso|devo)\b"
    r"|\b(?:как мне|можно|стоит ли|надо ли|нужно ли)\b|怎么|怎麼|如何|应该|應該|该不该|可以|能不能"
    r"|べき|していい|てもいい|方がいい|ほうがいい",
    re.IGNORECASE,
)
_OBJECTS = frozenset(["me", "mich", "mir", "moi", "мне", "mij"])  # "tell me a joke"
_UNSPACED_OBJECT = re.compile("[给給帮幫诉訴教陪让讓替跟][我咱]|(?:私|僕|俺)に")
_IS_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Words of one speaker alone, as "we" may mean both; and words for the listener.
_SPEAKER = re.compile(
    r"\b(?:i|my|me|mine|myself|ich|mein(?:e[mnrs]?)?|mich|mir|je|moi|mes|yo|mis?|soy|tengo)\b"
    r"|\bj['’]|[我俺](?!们)",  # noqa: RUF001
    re.IGNORECASE,
)
_LISTENER = re.compile(
    r"\b(?:you|your|yours|yourself|du|dein(?:e[mnrs]?)?|dich|dir|tu|toi|tes|vous|votre|vos"
    r"|tú|tus|usted)\b|[你您]",
    re.IGNORECASE,
)


def own_statements(text: str) -> Iterator[str]:
    """Yields the sentences in the first person that are not questions, in their order."""
    for sentence in sentences(text[:_READ_CHARS]):
        if (
            _has_statement_length(sentence)
            and is_about_speaker(sentence)
            and not asks_in_any_words(sentence)
        ):
            yield sentence


def asks_about_speaker(text: str) -> bool:
    """Returns whether the text asks about its speaker: "what's my job", "我有宠物吗".

    A mere "tell me" does not count.
    """
    return any(
        (names_speaker(sentence) or _SAYS_I.search(sentence))
        and asks(sentence)
        and not _ADVICE.search(sentence)
        for sentence in sentences(text[:_READ_CHARS])
    )


def speaks_of_oneself(sentence: str) -> bool:
    """Returns whether the sentence has a word for "I", "my" or the like."""
    return bool(_SPEAKER.search(sentence))


def addresses_listener(sentence: str) -> bool:
    """Returns whether the sentence has a word for "you", "your" or the like."""
    return bool(_LISTENER.search(sentence))


def sentences_to_listener(message: str) -> list[str]:
    """Returns the sentences that address the listener, which may report the listener's actions."""
    return [sentence for sentence in sentences(message) if addresses_listener(sentence)]


def statements_of_oneself(message: str) -> list[str]:
    """Returns the statements of a message that do not address the listener, if any says "I".

    The others count as the speaker's, too: "Lost my keys. Found them in the car."
    """
    own = [one for one in sentences(message) if not addresses_listener(one)]
    stated = [one for one in own if not is_question(one)]
    return stated if any(map(speaks_of_oneself, stated)) else []


def names_speaker(sentence: str) -> bool:
    """Returns whether the sentence names the speaker, except as the listener in "tell me"."""
    return (
        bool(_UNSPACED.search(_UNSPACED_OBJECT.sub("", sentence)))
        or not (_WORDS - _OBJECTS).isdisjoint(_words(sentence))
        or _leaves_out_i(sentence)
    )


def _has_statement_length(sentence: str) -> bool:
    shortest = _SHORTEST_UNSPACED if _IS_UNSPACED.search(sentence) else _SHORTEST
    return shortest <= len(sentence) <= _LONGEST


def is_about_speaker(sentence: str) -> bool:
    """Returns whether the sentence or clause has a word for the speaker, or leaves it out."""
    if _UNSPACED.search(sentence) or _leaves_out_i(sentence):
        return True
    return not _WORDS.isdisjoint(_words(sentence))


def _leaves_out_i(sentence: str) -> bool:
    return bool(_LEAVES_OUT_ICH.search(sentence) or _LEAVES_OUT_YA.search(sentence))


def _words(sentence: str) -> list[str]:
    return _WORD.findall(sentence.casefold().replace("’", "'"))  # noqa: RUF001

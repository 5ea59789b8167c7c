"""Splits text into sentences, with or without blanks between them."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

_END = re.compile(  # the character comes first, for which the engine searches fast
    r"""[.!?…。！？｡\n](?:(?<=\n)"""  # noqa: RUF001
    r"""|(?<=[。！？｡])[。！？｡]*["'」』”’）]*"""  # noqa: RUF001
    r"""|(?<=[.!?…])(?<![.!?…][.!?…])[.!?…]*+["'”’)\]]*+(?=\s))"""  # noqa: RUF001
)
# An abbreviation, or the day in a German date: "vom 5. bis zum 9. Oktober", "am 5.12. um acht".
_NO_END = re.compile(
    r"(?:(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|vs|e\.g|i\.e|cf|No|[A-Z]"
    r"|ул|д|кв|корп|просп|пер|наб|обл|тел|тыс|т\.\s?[екн]|(?<!\d\s)г)"  # noqa: RUF001
    r"|(?P<date>(?<![\d.,])[0-3]?\d\.\s?[01]?\d"
    r"|(?<!\b[Ii]\s)\b(?i:am|zum|vom|dem|den|der|bis|ab)\s[0-3]?\d)"
    r"|(?P<ordinal>(?<![\d.,])\d{1,2}))\.$"
)
_AFTER_ORDINAL = re.compile(
    r"\s+(?:bis|und|oder|of|Jan(?:uar)?|Jän(?:ner)?|Feb(?:ruar)?|März|Apr(?:il)?|Mai|Juni?|Juli?"
    r"|Aug(?:ust)?|Sept?(?:ember)?|Okt(?:ober)?|Nov(?:ember)?|Dez(?:ember)?"
    r"|Klasse|Stock|Geburtstag)s?\b",
    re.IGNORECASE,
)
_AFTER_DATE = re.compile(r"\s+(?:[a-zäöü]|[01]?\d\.|\d{1,2}(?:[:.]\d\d)?\s?(?:Uhr|h)\b)")
_ASKS = re.compile(r"[?？][\"'”’」』”）)]*$")  # noqa: RUF001
# Questions without a question mark: "where did I put it"; then "你喜欢茶吗", "元気ですか".
_ASKS_PLAINLY = re.compile(
    r"""(?:what|where|when|who|why|how|which)(?:['’]?s\b|\s+(?:is|are|was|were|do|does|did|can|could
        |will|would|should|has|have|had))\b(?!\s+clear)
    |(?:do|does|did|can|could|will|would|is|are|was|were|should|have|has|shall|may)(?:n?['’]?t)?\s+
        (?:i|you|u|ya|we|he|she|it|they|my|your|the|there|that|this)\b
    |how\s+(?:much|many|old|long|often|far)\b.{0,40}\b(?:is|are|was|were|do|does|did|will)\b""",  # noqa: RUF001
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_ASKS_UNSPACED = re.compile(
    r".{0,200}(?:[吗嗎][。!！]*|(?:です|ます|ました|でした)か。?)\Z",  # noqa: RUF001
    re.DOTALL,
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
GAP = " … "
_LONGEST_GIST = 4000

Span = tuple[int, int]


def sentences(text: str) -> Iterator[str]:
    """Yields the stripped sentences in order. A line break also ends a sentence.

    Reads no further than is asked for.
    """
    for start, end in sentence_spans(text):
        yield text[start:end]


def is_question(sentence: str) -> bool:
    """Returns True for a question mark, or for the first or last words of a question."""
    return bool(
        _ASKS.search(sentence)
        or _ASKS_PLAINLY.match(sentence)
        or (not sentence.isascii() and _ASKS_UNSPACED.match(sentence))
    )


def remove_sentences(text: str, left_out: Collection[str]) -> str:
    """Returns the text without these sentences. Gaps show as "…", except at the beginning."""
    spans = [span for span in sentence_spans(text) if text[slice(*span)] not in left_out]
    return join_spans(text, spans)


def abridge(message: str) -> str:
    """Returns only the beginning and the end of a long message, where people state requests."""
    half = _LONGEST_GIST // 2
    return message if len(message) <= _LONGEST_GIST else f"{message[:half]}\n{message[-half:]}"


def letter_width(text: str) -> int:
    """Returns the number of letters; a character of Chinese, Japanese or Korean counts twice."""
    return len(text) + len(_WIDE.findall(text))


def sentence_spans(text: str) -> Iterator[Span]:
    """Yields the start and end of each stripped sentence."""
    start = 0
    for match in chain(_END.finditer(text), (None,)):
        end = match.end() if match else len(text)
        if (
            (match and match[0] == ".")
            and (stop := _NO_END.search(text, max(0, end - 8), end))
            and _goes_on(stop, text, end)
        ):
            continue  # the full stop of an abbreviation, a date or an ordinal
        piece = text[start:end]
        if stripped := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(stripped)
        start = end


def _goes_on(stop: re.Match[str], text: str, end: int) -> bool:
    """Returns whether the sentence continues after the full stop of an abbreviation or a date."""
    if stop["date"] and _AFTER_DATE.match(text, end):
        return True
    is_number = stop["date"] or stop["ordinal"]
    return not is_number or _AFTER_ORDINAL.match(text, end) is not None


def join_spans(text: str, spans: Iterable[Span]) -> str:
    """Joins the spans, with the text's own blanks between neighbours and "…" in gaps."""
    pieces: list[str] = []
    last = 0
    for start, end in spans:
        if pieces:
            between = text[last:start]
            pieces.append(GAP if between.strip() else between)
        pieces.append(text[start:end])
        last = end
    return "".join(pieces)

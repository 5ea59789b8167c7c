"""Summarises long conversations in portions: each prompt has the summary so far and a portion."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domain.errors import BadAnswer
from ..domain.records import Memory
from ..text.excerpts import excerpt
from ..text.prompt_files import PromptContract, quoted
from ..text.token_counter import beginnings, estimate_tokens
from .attribution import check_speakers
from .calendar_days import day_of
from .contract import JobModel
from .grounding import supported_summary
from .job_model import PromptedJob, answer_schema
from .speakers import SpeakerNames, quoted_exchange, speakers_of

PROMPT = PromptContract(
    name="session_summary",
    folder=Path(__file__).parent / "prompts",
    required=("exchanges",),
    optional=("so_far", "user", "character", "date", "max_letters"),
    json_keys=("summary", "keywords"),
)
_SCHEMA = answer_schema({
    "summary": {"type": "string"},
    "keywords": {"type": "array", "items": {"type": "string"}},
})  # fmt: skip
_PORTION_TOKENS = 2_100  # with the rules it fits a context of 4,096, in any language
_LINE_TOKENS = 1_900  # of one exchange, so that it fits a portion
_LONGEST_SIDE = 2_000
_MAX_KEYWORDS = 8
_LONGEST_KEYWORD = 40
_NOTHING = "\u2013"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSummary:
    """A checked summary, and keywords for search that occur in its source."""

    text: str
    keywords: tuple[str, ...] = ()

    @property
    def keyword_list(self) -> str:
        return "; ".join(self.keywords)


class ChunkedSummariser(PromptedJob):
    """Summarises memories in their order, at most `session_summary_max_letters` letters."""

    contract, schema = PROMPT, _SCHEMA

    def summarise(
        self, memories: Sequence[Memory], model: JobModel, *, speakers: SpeakerNames | None = None
    ) -> WrittenSummary:
        """Returns the summary, empty if nothing is worth remembering.

        `speakers` has the two names for summaries, which have no speakers of their own. Sentences
        with numbers and names that the memories lack are cut. Raises BadAnswer if nothing else is
        left, and if a speaker's statement is attributed to the other one.
        """
        so_far, read = WrittenSummary(text=""), list[Memory]()
        speakers = speakers or first_speakers(memories)
        for portion in _portions(memories):
            read += portion
            like = "\n".join(memory.text for memory in portion)
            answer = self._ask(model, self._fields(portion, so_far, speakers), like=like)
            written = self._checked(answer, _source(read, speakers), read)
            so_far = written if written.text else so_far
        return so_far

    def _fields(
        self, portion: Sequence[Memory], so_far: WrittenSummary, speakers: SpeakerNames
    ) -> dict[str, str]:
        limit = self._settings.session_summary_max_letters
        user, character = speakers.quoted()
        return {
            "user": user,
            "character": character,
            "date": day_of(portion[0].ts),
            "max_letters": str(limit),
            "so_far": quoted(so_far.text, limit=limit) if so_far.text else _NOTHING,
            "exchanges": "\n".join(map(_line, portion)),
        }

    def _checked(
        self, answer: Mapping[str, Any], source: str, read: Sequence[Memory]
    ) -> WrittenSummary:
        """Returns the summary in one line within its limit. Raises BadAnswer."""
        summary, keywords = answer["summary"], answer["keywords"]
        if not isinstance(summary, str) or not isinstance(keywords, list):
            raise BadAnswer('"summary" is no text, or "keywords" is no list')
        said = "\n".join(memory.text for memory in read)
        supported = supported_summary(summary, source=source, said=said)
        check_speakers(supported, [memory.exchange for memory in read if memory.exchange])
        text = excerpt(supported, self._settings.session_summary_max_letters)
        return WrittenSummary(text=text, keywords=_found_keywords(keywords, source))


def _portions(memories: Sequence[Memory]) -> Iterator[list[Memory]]:
    """Yields as many memories at a time as fit into one prompt."""
    portion: list[Memory] = []
    tokens = 0
    for memory in memories:
        length = estimate_tokens(_line(memory))
        if portion and tokens + length > _PORTION_TOKENS:
            yield portion
            portion, tokens = [], 0
        portion.append(memory)
        tokens += length
    if portion:
        yield portion


def _line(memory: Memory) -> str:
    exchange = memory.exchange
    if exchange is None:  # a summary, which is condensed further
        return quoted(memory.text, limit=_LONGEST_SIDE)
    texts = beginnings(exchange.user, exchange.assistant, _LINE_TOKENS)
    return quoted_exchange(exchange, [text[:_LONGEST_SIDE] for text in texts])


def first_speakers(memories: Sequence[Memory]) -> SpeakerNames:
    """Returns the speakers of the first exchange."""
    return speakers_of(next((memory.exchange for memory in memories if memory.exchange), None))


def _source(memories: Sequence[Memory], speakers: SpeakerNames) -> str:
    """Returns everything whose names and numbers a summary of these memories may repeat."""
    said: list[str] = [*speakers]
    for memory in memories:
        texts = [memory.text]
        if exchange := memory.exchange:
            texts = [exchange.user, exchange.assistant]
        said += [*speakers_of(memory.exchange), *texts, day_of(memory.ts)]
    return "\n".join([*said, ""])


def _found_keywords(keywords: Sequence[object], source: str) -> tuple[str, ...]:
    """Returns distinct keywords that occur in the source; brackets and semicolons end the list."""
    folded = source.casefold()
    texts = (" ".join(word.split()) for word in keywords if isinstance(word, str))
    found = dict.fromkeys(
        text
        for text in texts
        if text and len(text) <= _LONGEST_KEYWORD and not set(text) & set("[];")
        if text.casefold() in folded
    )
    return tuple(found)[:_MAX_KEYWORDS]

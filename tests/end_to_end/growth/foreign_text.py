"""Lists every function that receives foreign text, as a call with one text."""

import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from memory_core.admin.exporters import markdown
from memory_core.admin.importers import chatgpt, json_input, text_input, textgen, timestamps
from memory_core.config import json_file
from memory_core.config.layers import ConfigError
from memory_core.domain.errors import ImportFailed
from memory_core.domain.namespaces import decode, encode
from memory_core.domain.records import Exchange
from memory_core.domain.unicode import is_well_formed, well_formed
from memory_core.infra import json_codec
from memory_core.prompt import templates
from memory_core.prompt.quoted_sentences import NO_QUOTES
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall import cue, languages
from memory_core.recall.query import Query
from memory_core.storage.log.events import find_whole_lines
from memory_core.text import cleaning, csv_cells, llm_json, prompt_fence
from memory_core.text.cleaning import strip_recited_memories
from memory_core.text.commands import parser, this_chat_only
from memory_core.text.dates import find_dates
from memory_core.text.excerpts import excerpt
from memory_core.text.language import languages_of
from memory_core.text.llm_json import read_value
from memory_core.text.names import is_name, replace_macros
from memory_core.text.search_terms import indivisible_terms, terms
from memory_core.text.sentences import abridge, remove_sentences, sentences
from memory_core.text.token_counter import estimate_tokens
from memory_core.text.topics import topics
from memory_core.text.utterances import without_speaker_names
from memory_core.ui.demo import responder

Read = Callable[[str], object]

_NOW = datetime(2024, 5, 5, 12, tzinfo=UTC)
_NAMES = ("Ana", "Bo")
_SAID = NO_QUOTES.with_texts(["I was in Lisbon with Mara, and it rained."])


def _query(read: Callable[[Query], object]) -> Read:
    """Builds a query as recall does, from the beginning and the end of a message only."""
    return lambda text: read(Query(text=text, context=(text,), names=_NAMES, now=_NOW).prepared())


def _refused(read: Read, *faults: type[Exception]) -> Read:
    def call(text: str) -> object:
        with suppress(*faults):
            return read(text)
        return None

    return call


def _shown(text: str) -> object:
    exchange = Exchange(user="", assistant=text, user_name="Ana", channel="chat")
    return replace_macros(exchange)


FOREIGN: Mapping[str, Read] = {
    "cleaning.clean_answer": cleaning.clean_answer,
    "cleaning.clean_user_message": cleaning.clean_user_message,
    "prompt_fence.escape_control_tokens": prompt_fence.escape_control_tokens,
    "prompt_fence.fence": prompt_fence.fence,
    "prompt_fence.strip_fences": prompt_fence.strip_fences,
    "cleaning.strip_recited_memories": strip_recited_memories,
    "macros.replace_macros": _shown,
    "utterances.without_speaker_names": lambda text: without_speaker_names(text, "Mira", "Ana"),
    "search_terms.terms": terms,
    "topics.topics": topics,
    "language.languages_of": languages_of,
    "sentences.sentences": sentences,
    "sentences.without": lambda text: remove_sentences(text, {"a", "I was in Lisbon"}),
    "sentences.abridge": abridge,
    "excerpts.excerpt": lambda text: excerpt(text, 200),
    "excerpts.excerpt with words": lambda text: excerpt(text, 200, words=["lisbon", "我"]),
    "quoted_sentences.with_texts": lambda text: NO_QUOTES.with_texts([text]),
    "quoted_sentences.repeated_sentences": _SAID.repeated_sentences,
    "quoted_sentences.without_repeated": _SAID.without_repeated,
    "quoted_sentences.without_repeated of itself": lambda text: NO_QUOTES.with_texts(
        [text]
    ).without_repeated(text),
    "placeholder_names.is_name": is_name,
    "this_chat_only.strip_label": this_chat_only.strip_label,
    "this_chat_only.strip_scope": this_chat_only.strip_scope,
    "this_chat_only.SCOPE_PREFIX": this_chat_only.SCOPE_PREFIX.match,
    "parser.parse_command": parser.parse_command,
    "parser.parse_slash_command": parser.parse_slash_command,
    "parser.parse_slash_command of an argument": lambda text: parser.parse_slash_command(
        f"/forget {text}"
    ),
    "parser.parse_slash_command of a note": lambda text: parser.parse_slash_command(
        f"/remember {text}"
    ),
    "parser.is_command_message": parser.is_command_message,
    "parser.is_unstored_request of a note": lambda text: parser.is_unstored_request(
        f"remember that {text}"
    ),
    "parser.is_unstored_request": parser.is_unstored_request,
    "parser.is_unstored_request of a wish": lambda text: parser.is_unstored_request(
        f"(ooc: please don't save this: {text}"
    ),
    "parser.strip_command": parser.strip_command,
    "parser.refers_to_last": parser.refers_to_last,
    "parser.refers_to_all": parser.refers_to_all,
    "find_dates.may_contain_date": find_dates.may_contain_date,
    "find_dates.with_other_readings": lambda text: find_dates.with_other_readings(
        find_dates.find_dates(text, _NOW), _NOW
    ),
    "cue.cue": cue.cue,
    "languages.certain_languages": languages.certain_languages,
    "search_terms.indivisible_terms": indivisible_terms,
    "llm_json.find_object": _refused(
        lambda text: llm_json.find_object(text, having="keep"), ValueError
    ),
    "lenient_json.read_value": lambda text: read_value(text, 0),
    "query.words": _query(lambda query: (query.words, query.context_words)),
    "query.topics": _query(lambda query: query.topics),
    "query.names": _query(
        lambda query: (query.addressed_speaker, query.text_for_embedder, query.names_a_past_time)
    ),
    "cells.guarded": lambda text: csv_cells.unescape_formula(csv_cells.escape_formula(text)),
    "wellformed": lambda text: (is_well_formed(text), well_formed(text)),
    "tokens.estimate": estimate_tokens,
    "namespaces.encode": lambda text: decode(encode(text)),
    "namespaces.decode": decode,
    "templates.fill": lambda text: templates.fill_template(text, {"name1": "Ana"}),
    "templates.unknown_fields": lambda text: templates.unknown_fields(text, ["name1"]),
    "plain_json.dumped": lambda text: json_codec.load_json(json_codec.dump_json(text)),
    "plain_json.loaded": _refused(
        lambda text: json_codec.load_json(text.encode("utf-8", "replace")),
        ValueError,
        RecursionError,
    ),
    "config_file.parse": _refused(
        lambda text: json_file.parse(text.encode("utf-8", "replace")), ConfigError
    ),
    "importing.elements": _refused(
        lambda text: list(json_input.iter_array_objects([text], "file")), ImportFailed
    ),
    "importing.elements of an array": _refused(
        lambda text: list(json_input.iter_array_objects(io.StringIO(f"[{text}"), "file")),
        ImportFailed,
    ),
    "text_input.split_lines": lambda text: list(text_input.split_lines([text], "file")),
    "json_input.as_text": json_input.as_text,
    "timestamps.parse_timestamp": timestamps.parse_timestamp,
    "chatgpt._CITATION_MARK": lambda text: chatgpt._CITATION_MARK.sub("", text),
    "importing.textgen": lambda text: list(textgen._parse_scalars(text)),
    "responder._blocks": responder._blocks,
    "log.find_whole_lines": lambda text: find_whole_lines(text.encode("utf-8", "replace")),
    "exporting.markdown": lambda text: (
        markdown._escape_inline(text),
        markdown._to_blockquote(text),
    ),
    "embedders.fake": lambda text: FakeEmbedder().embed([text]),
}

"""The commands `search` and `answer`: searches memories as the chat does, and answers questions."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...admin.exporters.row_fields import memory_cells, memory_line
from ...domain.errors import EmbedderUnavailable
from ...domain.namespaces import Namespace
from ...memory.long_term_memory import LongTermMemory
from ...memory.questions import Answer, Question
from ...recall.query import explicit_query
from ...recall.results import Candidate, Recall, joined
from ...storage.contract import SearchFilter
from . import common
from .common import Commands, Terminal, add_command, add_namespace_arguments, existing_namespace
from .memory_rows import (
    MEMORY_COLUMNS,
    add_window_options,
    memory_fields,
    since_and_until,
)
from .rich_output import Rows


def add_search_commands(commands: Commands) -> None:
    search = add_command(
        commands,
        "search",
        "Show the memories that fit a message, the best first.",
        _search,
    )
    add_namespace_arguments(search)
    search.add_argument("text", help="The message or question, in quotation marks.")
    _add_other_users(search)
    search.add_argument(
        "--explain", action="store_true", help="Show scores, and what was left out and why."
    )
    add_window_options(search)
    answer = add_command(
        commands,
        "answer",
        "Answer a question from the memories, with the language model.",
        _answer,
        description="Answer a question from the memories. The language model (llm.base_url) gets "
        "summaries and notes first; if these are not enough, it gets the exchanges themselves. "
        "Without a model, only the memories are shown.",
    )
    add_namespace_arguments(answer)
    answer.add_argument("text", help="The question, in quotation marks.")
    _add_other_users(answer)
    answer.add_argument("--top-k", type=int, default=5, help="Memories to look for (default: 5).")
    add_window_options(answer)


def _add_other_users(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--also-user",
        action="append",
        default=[],
        metavar="USER",
        help="Search this user's memories of the character, too; can be repeated.",
    )


def _namespaces(args: argparse.Namespace) -> tuple[Namespace, ...]:
    """Returns the namespaces of all named users. Raises ConfigError for one without memories."""
    named = [args, *(argparse.Namespace(**{**vars(args), "user": u}) for u in args.also_user)]
    return tuple(dict.fromkeys(map(existing_namespace, named)))


def _search(args: argparse.Namespace, terminal: Terminal) -> int:
    namespaces = _namespaces(args)
    since, until = since_and_until(args)
    with _open(args, terminal) as memory:
        query = explicit_query(args.text, memory.now(), SearchFilter(since=since, until=until))
        recall = joined([memory.recall(namespace, query) for namespace in namespaces])
    for reason in recall.degraded_reasons:
        terminal.print_note(f"note: {reason}")
    terminal.show(
        _recall_fields(recall, explain=args.explain), _recall_rows(recall, explain=args.explain)
    )
    return 0


def _recall_rows(recall: Recall, *, explain: bool) -> Rows:
    # Scores and reasons are too long for a table, even on a terminal.
    cells = [] if explain else [memory_cells(kept.memory) for kept in recall.kept]
    lines = list(_recall_lines(recall, explain=explain))
    return Rows(columns=MEMORY_COLUMNS, cells=cells, lines=lines)


def _recall_lines(recall: Recall, *, explain: bool) -> Iterator[str]:
    for kept in recall.kept:
        yield memory_line(kept.memory) + (_scores(kept.candidate) if explain else "")
    if not recall.kept:
        yield "nothing fits"
    if explain:
        for drop in recall.dropped:
            reason = f"{drop.reason} ({drop.detail})" if drop.detail else str(drop.reason)
            line = memory_line(drop.candidate.memory)
            yield f"left out, {reason}: {line}{_scores(drop.candidate)}"


def _scores(candidate: Candidate) -> str:
    parts = ", ".join(f"{name} {value:.2f}" for name, value in candidate.parts.items())
    return f"  [{candidate.score:.2f}: {parts}]"


def _recall_fields(recall: Recall, *, explain: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "memories": [
            {**memory_fields(kept.memory), "score": kept.candidate.score, "form": kept.form.value}
            for kept in recall.kept
        ],
        "degraded": list(recall.degraded_reasons),
    }
    if explain:
        found["left_out"] = [
            {
                **memory_fields(drop.candidate.memory),
                "score": drop.candidate.score,
                "reason": drop.reason.value,
                "detail": drop.detail,
            }
            for drop in recall.dropped
        ]
    return found


def _answer(args: argparse.Namespace, terminal: Terminal) -> int:
    namespaces = _namespaces(args)
    since, until = since_and_until(args)
    with _open(args, terminal) as memory:
        question = Question(
            text=args.text, namespaces=namespaces, top_k=args.top_k, since=since, until=until
        )
        answer = memory.answer(question)
    terminal.show(_answer_fields(answer), "\n".join(_answer_lines(answer)))
    return 1 if answer.fault else 0


def _answer_lines(answer: Answer) -> Iterator[str]:
    yield answer.text or f"no answer: {answer.fault}"
    sources = answer.used or (() if answer.text else answer.sources)
    if sources:
        yield "from:" if answer.text else "the memories that fit:"
    yield from (memory_line(source.memory) for source in sources)


def _answer_fields(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.text,
        "stage": answer.stage.value,
        "fault": answer.fault,
        "used": [memory_fields(source.memory) for source in answer.used],
        "sources": [memory_fields(source.memory) for source in answer.sources],
    }


@contextmanager
def _open(args: argparse.Namespace, terminal: Terminal) -> Iterator[LongTermMemory]:
    """Opens the memory with its models, except those that are not on this machine."""
    models = common.build_models_offline()
    try:
        getattr(models.embedder, "prepare", lambda: None)()
    except EmbedderUnavailable as exc:
        terminal.print_note(f"note: search goes by words alone: {exc}")
    with common.open_memory(args, models=models) as memory:
        yield memory

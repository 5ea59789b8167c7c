"""The command `consolidate`: runs the language model's background work now, with progress."""

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...admin.names import display_name
from ...config.schema import Settings
from ...consolidation.assembly import build_runner
from ...consolidation.runner import MOST_FAILED_IN_A_ROW, Runner, Step
from ...consolidation.status import pace_of
from ...domain.errors import ConfigError, StorageLocked
from ...domain.namespaces import Namespace
from ...infra.deadlines import NEVER
from ...memory.factories import Models
from ...memory.long_term_memory import LongTermMemory
from ...storage.job_queue import CallUsage, JobCounts
from . import common
from .common import (
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    counted,
    existing_namespace,
)
from .rich_output import Progress, progress_on

_REPORT_EVERY_S = 5.0
_ALL = 1 << 30
_UNFIT = (
    f"stopped after {MOST_FAILED_IN_A_ROW} failed jobs in a row: the model may be too small or too "
    "slow for this work; the jobs stay in the queue"
)


def add_consolidate_command(commands: Commands) -> None:
    description = (
        "Let the language model do its background work now: summaries and other derived memories. "
        "Without USER and CHARACTER, of all characters. Close the chat program first."
    )
    parser = add_command(
        commands,
        "consolidate",
        "Let the language model do its background work now.",
        _run,
        description=description,
    )
    add_namespace_arguments(parser, is_optional=True)
    parser.add_argument("--limit", type=int, metavar="N", help="Do at most N jobs.")
    parser.add_argument(
        "--retry", action="store_true", help="Try again at once what failed before."
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="Make the summaries of sessions that have ended again, the latest first.",
    )
    parser.add_argument(
        "--max-count",
        type=_positive_int,
        metavar="N",
        default=None,
        help="With --overwrite: of at most N sessions of each character.",
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()
    models = _models(settings)
    if args.user and not args.character:
        raise ConfigError("name the character, too, or no user at all", key="character")
    if args.max_count is not None and not args.overwrite:
        raise ConfigError("--max-count needs --overwrite", key="max-count")
    only = existing_namespace(args) if args.user else None
    with (
        common.open_memory(args) as memory,
        progress_on(terminal, note_every_s=_REPORT_EVERY_S) as progress,
    ):
        home = common.installation()
        runner = build_runner(memory, settings, models, home=home, clock=time.time)
        work = _Work(memory, runner, terminal, args, progress)
        results = [work.run(only)] if only else list(work.run_all())
    _print(terminal, results)
    return 1 if any(result["failed"] for result in results) else 0


def _models(settings: Settings) -> Models:
    """Returns the models. Raises ConfigError if there is none for background work."""
    models = common.build_models()
    if models.prompts.problems:
        raise ConfigError("\n".join(models.prompts.problems), key="prompts")
    if models.background is None and settings.llm.kind != "auto":
        raise ConfigError("\n".join(models.problems) or "llm.kind is none", key="llm.kind")
    return models


def _positive_int(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is no number of sessions above 0")
    return int(text)


class _Work:
    """Runs the jobs of one namespace after another, within a common limit."""

    def __init__(
        self,
        memory: LongTermMemory,
        runner: Runner,
        terminal: Terminal,
        args: argparse.Namespace,
        progress: Progress,
    ) -> None:
        self._memory = memory
        self._runner = runner
        self._terminal = terminal
        self._retries: bool = args.retry
        self._overwritten: int = (args.max_count or _ALL) if args.overwrite else 0
        self._left: int | None = args.limit
        self._progress = progress
        self._failed_in_a_row = 0

    def run_all(self) -> Iterator[dict[str, Any]]:
        """Runs the due jobs of all namespaces. In a database, other programs share the work."""
        for space in self._memory.namespaces():
            try:
                yield self.run(space)
            except StorageLocked as exc:
                if self._memory.shared.is_in_files:
                    raise
                self._terminal.print_note(str(exc))

    def run(self, space: Namespace) -> dict[str, Any]:
        """Runs the due jobs of this namespace; returns the result's JSON object.

        With --retry those that failed are due, too, and with --overwrite the last sessions.
        """
        before = self._usage(space)
        if self._retries:
            with self._memory.shared.open_jobs(self._folder(space)) as jobs:
                jobs.retry_all()
        due = self._runner.scan(space, NEVER).due
        if self._overwritten:
            due += self._runner.requeue_sessions(space, limit=self._overwritten)
        name = display_name(space)
        if due:
            self._terminal.print_note(f"{name}: {counted(due, 'job')} due")
        outcomes = self._steps(space, name, due)
        return {
            "name": name,
            "done": outcomes[Step.DONE],
            "skipped": outcomes[Step.SKIPPED],
            "failed": outcomes[Step.FAILED],
            "waiting": asdict(self._counts(space)),
            "usage": _difference(before, self._usage(space)),
        }

    def _steps(self, space: Namespace, name: str, due: int) -> Counter[Step]:
        """Runs the due jobs, up to the limits."""
        outcomes: Counter[Step] = Counter()
        if not self._may_continue():
            return outcomes
        for step, found in self._runner.run_due(space, NEVER, due=due):
            outcomes[step] += 1
            self._count_failures(step)
            if self._left is not None and step is not Step.SKIPPED:
                self._left -= 1
            done = outcomes.total()
            self._progress.show(name, done, found, f"{name}: {done:,} of {found:,}")
            if not self._may_continue():
                break
        return outcomes

    def _may_continue(self) -> bool:
        return self._left != 0 and self._failed_in_a_row < MOST_FAILED_IN_A_ROW

    def _count_failures(self, step: Step) -> None:
        if step is Step.DONE:
            self._failed_in_a_row = 0
        elif step is Step.FAILED:
            self._failed_in_a_row += 1
            if self._failed_in_a_row == MOST_FAILED_IN_A_ROW:
                self._terminal.print_note(_UNFIT)

    def _counts(self, space: Namespace) -> JobCounts:
        with self._memory.shared.open_jobs(self._folder(space)) as jobs:
            return jobs.counts(time.time(), self._runner.worker_names)

    def _usage(self, space: Namespace) -> dict[str, CallUsage]:
        with self._memory.shared.open_jobs(self._folder(space)) as jobs:
            return jobs.usage()

    def _folder(self, space: Namespace) -> Path:
        return self._memory.resolve(space).folder(self._memory.root)


def _difference(
    before: dict[str, CallUsage], after: dict[str, CallUsage]
) -> dict[str, dict[str, int]]:
    """Returns worker → usage since `before`, for the workers that were busy."""
    return {
        worker: {
            name: value - asdict(before.get(worker, CallUsage()))[name]
            for name, value in asdict(used).items()
        }
        for worker, used in after.items()
        if used != before.get(worker)
    }


def _print(terminal: Terminal, results: Sequence[dict[str, Any]]) -> None:
    lines = [line for result in results for line in _lines(result)]
    text = "\n".join(lines or ["there are no memories"])
    terminal.show({"namespaces": list(results)}, text)


def _lines(result: dict[str, Any]) -> list[str]:
    waiting = result["waiting"]
    postponed = waiting["later"] + waiting["resting"]
    text = f"{result['name']}: done {result['done']:,}, failed {result['failed']:,}"
    text += f", still due {waiting['due']:,}" if waiting["due"] else ""
    text += f", put off {postponed:,}" if postponed else ""
    later = waiting["waiting"]
    text += f", waiting for the end of a session {later:,}" if later else ""
    text += f", nothing to do in {result['skipped']:,}" if result["skipped"] else ""
    reasons = [f"  put off: {reason}" for reason in waiting["reasons"]]
    usage_lines = [_usage_line(*pair) for pair in result["usage"].items()]
    return [text, *usage_lines, *_pace_lines(result), *reasons]


def _pace_lines(result: dict[str, Any]) -> list[str]:
    """Returns lines on an unfit model, and on the time for the jobs that are still due."""
    total = CallUsage()
    for used in result["usage"].values():
        total = total.plus(CallUsage(**used))
    pace = pace_of(total, result["waiting"]["due"])
    if pace is None:
        return []
    lines = []
    if pace.s_left:
        lines.append(f"  what is still due takes about {pace.s_left / 60:,.0f} minutes")
    if pace.is_unfit:
        lines.append(
            f"  {pace.failures:,} of {pace.calls:,} answers could not be used: the model may be "
            "too small for this work"
        )
    return lines


def _usage_line(worker: str, used: dict[str, int]) -> str:
    tokens = f"{used['prompt_tokens']:,} tokens read, {used['completion_tokens']:,} written"
    return f"  {worker}: {counted(used['calls'], 'call')}, {tokens}, {used['ms'] / 1000:.1f} s"

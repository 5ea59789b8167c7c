"""The one live memory of a process; the only place that starts long-lived threads."""

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from ..config import loader
from ..config.schema import Settings
from ..domain.errors import (
    EmbedderNotReady,
    LongTermMemoryError,
    OutsideServiceError,
    StorageError,
    StorageLocked,
    missing_package,
)
from ..domain.namespaces import Namespace
from ..infra.circuit_breaker import without_pause
from ..infra.deadlines import yield_to_prompts
from ..infra.scratch_folders import delete_leftovers
from ..infra.work_queues import ChatState, Job, RoundRobin
from ..providers.llm.base import LanguageModel
from ..recall.query import warm_up
from ..storage.pauses import ChatPauses
from .erasure import awaits_erasure
from .factories import Factories, Models, judge_problems
from .forgetting import Forgotten
from .installation import Installation
from .journal import EntryKind, Journal, log_forgotten, log_settings, log_start
from .long_term_memory import Change, LongTermMemory
from .model_loading import WORDS_ALONE, ModelLoader
from .namespace_memory import NamespaceMemory
from .remember_switch import RememberSwitch
from .retention import RetentionWorker
from .retention_policy import limits_from_settings
from .trace_history import Traces
from .write_listener import WriteListener
from .writer_thread import Writer

log = logging.getLogger("long_term_memory")

_RETRY_S = 30.0
_ROUND_S = 1.0  # texts of many chats that arrive within this time are embedded together
_MAX_READY_AT_START = 3
_PROCESSING_S = 1.0
_YIELD_S = 0.1  # to prompts, before each step


class Runtime:
    """Holds settings, memory and traces, and runs two threads.

    The writer runs submitted jobs, those of one namespace in order, and regular duties. The deriver
    embeds and erases in idle time. Work of minutes runs in_background().
    """

    def __init__(
        self, home: Installation, factories: Factories, *, clock: Callable[[], float] = time.time
    ) -> None:
        """`clock` returns the time of messages, in seconds since the epoch."""
        self.installation = home
        self._factories = factories
        self.clock = clock
        self.remember_switch = RememberSwitch(home.off_record, clock)
        self.settings, problems = home.settings()
        self._problems: dict[str, list[str]] = {}
        self._report_settings(problems)
        self.models = self.build_models(self.settings)
        self._report_models()
        self.journal = Journal(clock)
        self.journal.shows_texts = self.settings.console_texts
        self.memory = self._build_memory()
        self.pauses = ChatPauses(self.memory.root, self.memory.shared.files)
        self.traces = Traces(self.settings.trace_turns, lambda: self.memory.root)
        self._forget_listeners: list[Callable[[Forgotten], None]] = []
        self.retention_worker = RetentionWorker(touch=self.schedule, forgot=self.notify_forgotten)
        self._writer = Writer(self, self.traces.save)
        self._idle_duties: list[Job] = []
        self._reload_listeners: list[Callable[[], None]] = []
        self._round_robin = RoundRobin(later_s=_RETRY_S)
        self._stopping = threading.Event()
        self._wake_deriver = threading.Event()
        self._threads: list[threading.Thread] = []
        self.model_loader = ModelLoader(self.report, self.clear, ended=self._wake_deriver.set)
        self._background: threading.Thread | None = None
        self._beginning = threading.Lock()
        self._listener = WriteListener(
            lambda: self.memory, wrote=self.schedule, forgot=self.notify_forgotten
        )

    @property
    def llm(self) -> LanguageModel | None:
        return self.models.llm

    def start(self) -> None:
        """Starts the threads. Without them, the caller runs the work itself (run_pending)."""
        self._listener.start()
        write, derive = partial(self._writer.run, self._stopping), self._process_in_background
        for name, target in (("ltm-writer", write), ("ltm-deriver", derive)):
            thread = threading.Thread(target=target, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)
        log_start(self.settings, self.memory.root)
        for message in (*self._notes, *self._lasting_problems()):
            log.warning(message)

    def close(self) -> None:
        """Runs the waiting jobs and stops. Jobs that fail even now are lost, and reported."""
        self._stopping.set()
        self._wake_deriver.set()
        self._writer.jobs.wake()
        self._listener.close()
        self.model_loader.cancel_all()
        for thread in [*self._threads, *([self._background] if self._background else [])]:
            thread.join(timeout=10.0)
        self._writer.finish()
        self.memory.end()

    def submit(self, job: Job, namespace: Namespace | None = None) -> threading.Event:
        """Runs the job soon, after earlier ones. Reports a full queue instead of blocking.

        If it fails, later jobs of this namespace wait with it; other namespaces go on. Returns an
        event that is set once the job was tried.
        """
        owner = f" of {namespace.label}" if namespace else ""
        return self._writer.jobs.submit(job, namespace, label=f"the requests{owner}")

    def submit_state(self, state: ChatState, namespace: Namespace) -> None:
        """Stores a chat's state soon. A newer state is merged into the one that waits."""
        self._writer.jobs.submit_state(state, namespace)

    def in_background(self, name: str, work: Job) -> bool:
        """Runs long work in a thread of its own. Returns False, without running it, if one is busy.

        The work has to end soon once is_stopping().
        """
        with self._beginning:
            if self._background is not None and self._background.is_alive():
                return False
            self._background = threading.Thread(
                target=self._run_in_background, args=(work,), name=f"ltm-{name}", daemon=True
            )
            self._background.start()
            return True

    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    def _run_in_background(self, work: Job) -> None:
        try:
            work()
        except Exception as exc:  # noqa: BLE001  (as with every job)
            self.report_bug("a background job failed", exc)

    def run_and_wait(self, job: Job, timeout_s: float, namespace: Namespace | None = None) -> bool:
        """Submits a job with priority. Returns whether it was tried within `timeout_s` seconds.

        Without threads it runs at once. It stays in the queue after a timeout, or if it fails.
        """
        tried = self.submit(job, namespace)
        self._writer.jobs.prioritise(namespace)
        if not self._threads:
            self._writer.jobs.run_all()
        return tried.wait(timeout_s)

    def add_tick_duty(self, duty: Job) -> None:
        """Makes the writer run this about twice a second."""
        self._writer.duties.append(duty)

    def add_idle_duty(self, duty: Job) -> None:
        """Makes the deriver run this in each of its rounds, about twice a minute."""
        self._idle_duties.append(duty)

    def add_closing_duty(self, duty: Job) -> None:
        """Makes the writer run this last, when the program ends."""
        self._writer.closing_duties.append(duty)

    def schedule(self, namespace: Namespace) -> None:
        """Makes the deriver process this namespace soon."""
        self._round_robin.schedule(namespace)
        self._wake_deriver.set()

    def run_pending(self) -> None:
        """Runs all waiting jobs in the caller's thread, first those that failed before."""
        self._writer.jobs.run_all()

    def count_waiting(self) -> tuple[int, int]:
        """Returns the number of waiting jobs, and of those among them that failed before."""
        return self._writer.jobs.count_waiting()

    def lost_count(self) -> int:
        """Returns the number of messages and requests lost since the start."""
        return self._writer.jobs.lost_count

    def open_memory_at(self, root: Path) -> LongTermMemory:
        """Opens another memory with these settings and embedder, no other models and no guard."""
        models = replace(self.models, llm=None, judge=None, reranker=None)
        return self._factories.memory(self.settings.for_copies, models, root=root)

    def problems(self) -> list[str]:
        """Returns the current problems in plain words, for the banner."""
        loading = self.model_loader.loading_notes(self.memory.embedder)
        return list(dict.fromkeys([*loading, *self._lasting_problems()]))

    def _lasting_problems(self) -> list[str]:
        own = chain.from_iterable(list(self._problems.values()))
        found = [*own, *self.memory.problems(), *self.retention_worker.problems()]
        return list(dict.fromkeys([*found, *judge_problems(self.models)]))

    def report(self, part: str, problem: str) -> None:
        """Shows a problem until clear() is called for this part; logs it once."""
        self.report_all(part, [problem])

    def report_all(self, part: str, problems: Sequence[str]) -> None:
        """Replaces the problems shown for this part; logs the new ones."""
        known = set(map(without_pause, self._problems.get(part, [])))
        for problem in problems:
            if without_pause(problem) not in known:
                log.warning(problem)
        self._problems[part] = list(problems)

    def clear(self, part: str) -> None:
        self._problems.pop(part, None)

    def save_settings(self, changes: Mapping[str, object]) -> None:
        """Writes these settings into ltm_config.json and applies them.

        Raises ConfigError for an invalid one, before anything is written.
        """
        loader.save(self.installation.config_path, changes)
        self.reload_settings()

    def reload_settings(self) -> None:
        """Reads ltm_config.json again and applies it."""
        before = self.settings
        self.settings, problems = self.installation.settings()
        self._report_settings(problems)
        self.journal.shows_texts = self.settings.console_texts
        if before != self.settings:
            log_settings(self.settings)
        models_part = self._factories.models_part
        if models_part(before) != models_part(self.settings):
            self.models = self.build_models(self.settings)
        self._report_models()
        if self.installation.root(before) != self.installation.root(self.settings):
            old, self.memory = self.memory, self._build_memory()
            self._listener.announce()
            self.pauses = ChatPauses(self.memory.root, self.memory.shared.files)
            old.close()
        self._factories.reconfigure(self.memory, self.settings, self.models)
        self.traces.resize(self.settings.trace_turns)
        self._round_robin.schedule_all()
        self._wake_deriver.set()
        for listener in self._reload_listeners:
            listener()

    def on_reloaded(self, listener: Callable[[], None]) -> None:
        """Calls the listener each time the settings were read again."""
        self._reload_listeners.append(listener)

    def forget(
        self, namespace: Namespace, ids: Sequence[str], by: Change = NamespaceMemory.forget
    ) -> None:
        """Hides these memories and all with the same text, and drops the traces that show them."""
        known = self.memory.get_records(namespace, ids)
        hidden = self.memory.forget(namespace, ids, by)
        log_forgotten(namespace, len(hidden))
        self.notify_forgotten(Forgotten.of(namespace, hidden, known.values()))

    def forget_exactly(self, namespace: Namespace, ids: Sequence[str]) -> None:
        """Hides exactly these memories, with their traces; duplicates with the same text stay."""
        self.forget(namespace, ids, NamespaceMemory.forget_exactly)

    def on_forgotten(self, listener: Callable[[Forgotten], None]) -> None:
        """Calls the listener when memories are forgotten, in the thread that forgets them."""
        self._forget_listeners.append(listener)

    def notify_forgotten(self, forgotten: Forgotten) -> None:
        self.traces.redact(forgotten.namespace, forgotten.ids, forgotten.messages)
        self.journal.add(forgotten.namespace, EntryKind.FORGOT, len(forgotten.ids))
        for listener in self._forget_listeners:
            listener(forgotten)
        self.schedule(forgotten.namespace)
        if user := self.memory.resolve(forgotten.namespace).user:
            self.schedule(Namespace.shared(user))  # some of these may be shared ones

    def leave(self, namespace: Namespace) -> None:
        """Makes the deriver ignore this namespace until it is scheduled again."""
        self._round_robin.drop([namespace])

    def _report_settings(self, problems: Sequence[loader.Problem]) -> None:
        self._problems["settings"] = [one.message for one in problems if not one.is_note]
        self._notes = [one.message for one in problems if one.is_note]
        self.remember_switch.follow(self.settings, problems)

    def build_models(self, settings: Settings) -> Models:
        """Builds the models of these settings, which need not be saved. Loads nothing."""
        return self._factories.models(settings, self.installation.models_folder)

    def _report_models(self) -> None:
        unserved = self._factories.unserved(self.settings, self.models.llm)
        self._problems["models"] = [*self.models.problems, *unserved]

    def _build_memory(self) -> LongTermMemory:
        root = self.installation.root(self.settings)
        memory = self._factories.memory(self.settings, self.models, root=root)
        memory.guard.listen(self.journal.add_guarded)
        return memory

    def report_bug(self, event: str, exc: Exception) -> None:
        """Reports a bug with its traceback, but without its message, which may quote a chat."""
        message = f"{event}, please report it: {type(exc).__name__}"
        if self._problems.get("bug") != [message]:  # a duty would fail twice a second
            log.error("%s\n%s", message, "".join(traceback.format_tb(exc.__traceback__)))
        self._problems["bug"] = [message]

    def _process_in_background(self) -> None:
        warm_up()
        self._run_in_background(delete_leftovers)
        self._run_in_background(self._schedule_recent)
        while not self._stopping.is_set():
            has_due = self._round_robin.has_due()
            is_woken = self._wake_deriver.wait(timeout=0.0 if has_due else _RETRY_S)
            self._wake_deriver.clear()
            if is_woken or not has_due:
                self._run_in_background(self._load_models)
            round_ends = time.monotonic() + _ROUND_S
            has_more = [self._process_namespace(space) for space in self._round_robin.next()]
            self._run_in_background(self._measure_languages)
            self._run_in_background(self.enforce_retention)
            for duty in self._idle_duties:
                self._run_in_background(duty)
            if not any(has_more):
                self._stopping.wait(max(0.0, round_ends - time.monotonic()))

    def _schedule_recent(self) -> None:
        with suppress(StorageError):  # an unreadable namespace is reported when it is used
            for namespace in self.memory.shared.namespaces.recently_written(_MAX_READY_AT_START):
                self.schedule(namespace)

    def enforce_retention(self) -> None:
        """Forgets memories over a limit, until the deriver is needed for something else."""
        self.retention_worker.enforce(
            self.memory,
            limits_from_settings(self.settings.retention),
            self._round_robin.used_namespaces(),
            until=lambda: self._stopping.is_set() or self._wake_deriver.is_set(),
        )

    def _load_models(self) -> None:
        """Starts or checks the loading of models that run in this process."""
        models = self.memory.embedder, self.models.reranker, self.models.judge
        if self.model_loader.load_all(*models, waits=not self._threads):
            self._round_robin.schedule_all()

    def _measure_languages(self) -> None:
        """Measures the trust in the embedder for one queued language; the rest comes later."""
        with suppress(OutsideServiceError):  # _process_namespace() reports it
            if self.memory.languages.measure_next(self.memory.embedder):
                self._wake_deriver.set()

    def _process_namespace(self, namespace: Namespace) -> bool:
        """Does a second's worth of pending work. Returns whether more is left."""
        has_more = False
        try:
            if not self.memory.has_namespace(namespace):
                self._round_robin.drop([namespace])  # destroyed, or empty until now
            elif has_more := self._has_more_to_process(namespace):
                self._round_robin.schedule(namespace)
            elif awaits_erasure(self.memory.open_namespace, namespace):
                self._round_robin.schedule_later(namespace)  # the undo time is not over
            self.clear("deriving")
        except (EmbedderNotReady, StorageLocked):  # the loader or the writer reports it
            self._round_robin.schedule_later(namespace)
            self.clear("deriving")
        except (LongTermMemoryError, OSError) as exc:
            self._round_robin.schedule_later(namespace)
            self.report("deriving", f"{WORDS_ALONE}: {exc}")
        except ImportError as exc:
            self.report("deriving", missing_package(exc))
        except Exception as exc:  # noqa: BLE001  (one namespace must not stop the others)
            self.report_bug("a background job failed", exc)
        return has_more

    def _has_more_to_process(self, namespace: Namespace) -> bool:
        """Works until the time is up. Returns whether more is left."""
        until = time.monotonic() + _PROCESSING_S
        while not self._stopping.is_set():
            yield_to_prompts(_YIELD_S)
            is_more = self.memory.derive_pending(namespace) > 0
            if not is_more or time.monotonic() >= until:
                return is_more
        return False

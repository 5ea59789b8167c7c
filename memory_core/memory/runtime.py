"""The one live memory of a process, and the only place that starts threads."""

import atexit
import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..config import loader
from ..domain.errors import (
    EmbedderNotReady,
    LongTermMemoryError,
    OutsideServiceError,
    missing_package,
)
from ..domain.namespaces import Namespace
from ..infra.deadlines import yield_to_prompts
from ..infra.retry_queue import ChatState, Job
from ..infra.round_robin import RoundRobin
from ..providers.llm.base import LanguageModel
from ..providers.rerankers.base import ScoringReranker
from ..recall.query import warm_up
from ..storage.pauses import ChatPauses
from . import console
from .factories import Factories, Models
from .forgetting import Forgotten
from .installation import Installation as Installation
from .long_term_memory import LongTermMemory
from .model_loading import WORDS_ALONE, ModelLoader
from .retention import RetentionWorker
from .retention_policy import limits_from_settings
from .traces import Traces
from .writer_thread import Writer

log = logging.getLogger("long_term_memory")

_RETRY_S = 30.0
_ROUND_S = 1.0  # what many chats bring in that time is embedded together
_MAX_READY_AT_START = 3
_TURN_S = 1.0
_YIELD_S = 0.1  # to prompts, before each step


class Runtime:
    """Settings, memory, traces and the two threads behind them.

    The writer runs the jobs given to submit(), those of one namespace in order, and the regular
    duties; the deriver embeds and erases when nothing is waited for. Minutes go in_background().
    """

    def __init__(
        self, home: Installation, factories: Factories, *, clock: Callable[[], float] = time.time
    ) -> None:
        """`clock` gives the seconds since the epoch by which messages are asked and answered."""
        self.installation = home
        self._factories = factories
        self.clock = clock
        self.settings, problems = home.settings()
        self._problems: dict[str, list[str]] = {}
        self._report_settings(problems)
        self._models = self._build_models()
        self._report_models()
        self.memory = self._build_memory()
        self.pauses = ChatPauses(self.memory.root)
        self.traces = Traces(self.settings.trace_turns)
        self._when_forgotten: list[Callable[[Forgotten], None]] = [self.traces.drop_forgotten]
        self.retention_worker = RetentionWorker(touch=self.schedule, forgotten=self._tell_forgotten)
        self._writer = Writer(self)
        self._idle_duties: list[Job] = []
        self._when_reloaded: list[Callable[[], None]] = []
        self._round_robin = RoundRobin(later_s=_RETRY_S)
        self._stopping = threading.Event()
        self._wake_deriver = threading.Event()
        self._threads: list[threading.Thread] = []
        self._loader = ModelLoader(self.report, self.clear, ended=self._wake_deriver.set)
        self._background: threading.Thread | None = None
        self._beginning = threading.Lock()

    @property
    def llm(self) -> LanguageModel | None:
        return self._models.llm

    @property
    def reranker(self) -> ScoringReranker | None:
        return self._models.reranker

    def start(self) -> None:
        """Starts the threads; without them everything works by hand (run_pending, derive)."""
        for name, target in (
            ("ltm-writer", self._write),
            ("ltm-deriver", self._process_in_background),
        ):
            thread = threading.Thread(target=target, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)
        console.log_start(self.settings, self.memory.root)
        for told in (*self._notes, *self.problems()):
            log.warning(told)

    def close(self) -> None:
        """Writes what waits and stops; what cannot be written even now is lost, and told."""
        self._stopping.set()
        self._wake_deriver.set()
        for thread in [*self._threads, *([self._background] if self._background else [])]:
            thread.join(timeout=10.0)
        self._writer.finish()
        self.memory.close()

    def submit(self, job: Job, namespace: Namespace | None = None) -> None:
        """Runs the job soon, behind those given before; a full queue is told, never waited for.

        Where it fails, what is given later for this namespace waits with it, and nothing else.
        """
        whose = f" of {namespace.label}" if namespace else ""
        self._writer.jobs.submit(job, namespace, label=f"the requests{whose}")

    def submit_state(self, state: ChatState, namespace: Namespace) -> None:
        """The same for what a chat shows: a newer state is merged into the one that waits."""
        self._writer.jobs.submit_state(state, namespace)

    def in_background(self, name: str, work: Job) -> bool:
        """Runs this beside the chat; False, and nothing is done, while something else runs so.

        It has to end soon once is_stopping().
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

    def run_and_wait(self, job: Job, patience_s: float, namespace: Namespace | None = None) -> bool:
        """Has the writer do this, and tells whether it got to it in time; it is not taken back.

        Without threads it is done at once. A job that fails is tried again, as any other.
        """
        tried = threading.Event()

        def trying() -> None:
            try:
                job()
            finally:
                tried.set()

        self.submit(trying, namespace)
        self._writer.jobs.prioritise(namespace)
        if not self._threads:
            self.run_pending()
        return tried.wait(patience_s)

    def add_tick_duty(self, duty: Job) -> None:
        """Has the writer do this about twice a second."""
        self._writer.add_tick_duty(duty)

    def add_idle_duty(self, duty: Job) -> None:
        """Has the deriver do this in each of its rounds, about twice a minute."""
        self._idle_duties.append(duty)

    def add_closing_duty(self, duty: Job) -> None:
        """Has this done last of all, when the program ends."""
        self._writer.add_closing_duty(duty)

    def schedule(self, namespace: Namespace) -> None:
        """Has the deriver look after this namespace."""
        self._round_robin.schedule(namespace)
        self._wake_deriver.set()

    def run_pending(self) -> None:
        """All jobs that wait, now, in the caller's thread: first those that failed before."""
        self._writer.jobs.run_all()

    def count_waiting(self) -> tuple[int, int]:
        """How many jobs wait, and how many of those that failed before."""
        return self._writer.jobs.count_waiting()

    def lost_count(self) -> int:
        """How many messages and requests were given up since the start."""
        return self._writer.jobs.lost_count

    def memory_over(self, root: Path) -> LongTermMemory:
        """Another memory with the same settings and embedder; it asks nobody for a judgement."""
        models = replace(self._models, llm=None, reranker=None)
        return self._factories.memory(self.settings, models, root=root)

    def problems(self) -> list[str]:
        """What is wrong now, in plain words, for the banner."""
        found = [it for part in list(self._problems.values()) for it in part]
        return list(
            dict.fromkeys([*found, *self.memory.problems(), *self.retention_worker.problems()])
        )

    def report(self, part: str, problem: str) -> None:
        """Shows a problem until clear() for this part; logs it once."""
        self.report_all(part, [problem])

    def report_all(self, part: str, problems: Sequence[str]) -> None:
        """The same for several problems of this part, or none any more."""
        known = self._problems.get(part, [])
        for problem in problems:
            if problem not in known:
                log.warning(problem)
        self._problems[part] = list(problems)

    def clear(self, part: str) -> None:
        self._problems.pop(part, None)

    def save_settings(self, changes: Mapping[str, object]) -> None:
        """Writes these into ltm_config.json and works by them from now on.

        Raises ConfigError for a bad one, before anything is written.
        """
        loader.save(self.installation.config_path, changes)
        self.reload_settings()

    def reload_settings(self) -> None:
        """Reads ltm_config.json again."""
        before = self.settings
        self.settings, problems = self.installation.settings()
        self._report_settings(problems)
        if before != self.settings:
            console.log_settings(self.settings)
        models_part = self._factories.models_part
        if models_part(before) != models_part(self.settings):
            self._models = self._build_models()
        self._report_models()
        if self.installation.root(before) != self.installation.root(self.settings):
            old, self.memory = self.memory, self._build_memory()
            self.pauses = ChatPauses(self.memory.root)
            old.close()
        self._factories.reconfigure(self.memory, self.settings, self._models)
        self.traces.resize(self.settings.trace_turns)
        self._round_robin.schedule_all()
        self._wake_deriver.set()
        for act in self._when_reloaded:
            act()

    def when_reloaded(self, act: Callable[[], None]) -> None:
        """Has this done whenever the settings were read again."""
        self._when_reloaded.append(act)

    def forget(self, namespace: Namespace, ids: Sequence[str]) -> None:
        """Hides these memories, all of the same words, and the turns whose traces show them."""
        known = self.memory.get_records(namespace, ids)
        hidden = self.memory.forget(namespace, ids)
        console.log_forgotten(namespace, len(hidden))
        self._tell_forgotten(Forgotten.of(namespace, hidden, known.values()))

    def forget_exactly(self, namespace: Namespace, ids: Sequence[str]) -> None:
        """The same, but others of the same words stay."""
        known = self.memory.get_records(namespace, ids)
        self.memory.forget_exactly(namespace, ids)
        console.log_forgotten(namespace, len(ids))
        self._tell_forgotten(Forgotten.of(namespace, ids, known.values()))

    def on_forgotten(self, act: Callable[[Forgotten], None]) -> None:
        """Has this done whenever memories are forgotten, in the thread that forgets them."""
        self._when_forgotten.append(act)

    def _tell_forgotten(self, forgotten: Forgotten) -> None:
        for act in self._when_forgotten:
            act(forgotten)
        self.schedule(forgotten.namespace)

    def leave(self, namespace: Namespace) -> None:
        """Has the deriver leave this namespace alone until it is touched again."""
        self._round_robin.drop([namespace])

    def _report_settings(self, problems: Sequence[loader.Problem]) -> None:
        self._problems["settings"] = [it.message for it in problems if not it.is_note]
        self._notes = [it.message for it in problems if it.is_note]

    def _build_models(self) -> Models:
        cache = self.installation.folder / self.installation.data_folder / "models"
        return self._factories.models(self.settings, cache)

    def _report_models(self) -> None:
        unserved = self._factories.unserved(self.settings, self._models.llm)
        self._problems["models"] = [*self._models.problems, *unserved]

    def _build_memory(self) -> LongTermMemory:
        root = self.installation.root(self.settings)
        return self._factories.memory(self.settings, self._models, root=root)

    def _write(self) -> None:
        self._writer.run(self._stopping)

    def report_bug(self, what: str, exc: Exception) -> None:
        """Tells a fault of our own: where it was, but not its message, which may quote a chat."""
        told = f"{what}, please report it: {type(exc).__name__}"
        if self._problems.get("bug") != [told]:  # a duty would fail twice a second
            log.error("%s\n%s", told, "".join(traceback.format_tb(exc.__traceback__)))
        self._problems["bug"] = [told]

    def _process_in_background(self) -> None:
        warm_up()
        for namespace in self.memory.recently_written(_MAX_READY_AT_START):
            self.schedule(namespace)
        while not self._stopping.is_set():
            goes_on = self._round_robin.has_due()
            is_woken = self._wake_deriver.wait(timeout=0.0 if goes_on else _RETRY_S)
            self._wake_deriver.clear()
            if is_woken or not goes_on:
                self._load_models()
            round_ends = time.monotonic() + _ROUND_S
            has_more = [self._process_namespace(it) for it in self._round_robin.next()]
            self._run_in_background(self._measure_languages)
            self._run_in_background(self.enforce_retention)
            for duty in self._idle_duties:
                self._run_in_background(duty)
            if not any(has_more):
                self._stopping.wait(max(0.0, round_ends - time.monotonic()))

    def enforce_retention(self) -> None:
        """Forgets what is over a limit, until somebody wants the deriver for something else."""
        self.retention_worker.enforce(
            self.memory,
            limits_from_settings(self.settings.retention),
            self._round_robin.used_namespaces(),
            until=lambda: self._stopping.is_set() or self._wake_deriver.is_set(),
        )

    def _load_models(self) -> None:
        """Begins to load models that run in this process, or sees whether they are loaded."""
        by_hand, models = not self._threads, (self.memory.embedder, self._models.reranker)
        if self._loader.load_all(*models, waits=by_hand):
            self._round_robin.schedule_all()

    def _measure_languages(self) -> None:
        """Measures one language that the chats brought up; the rest in the next turns."""
        with suppress(OutsideServiceError):  # whoever embeds what waits reports it
            if self.memory.languages.measure_next(self.memory.embedder):
                self._wake_deriver.set()

    def _process_namespace(self, namespace: Namespace) -> bool:
        """A second's worth of what is to be done; whether the rest waits for the next turn."""
        has_more = False
        try:
            if not self.memory.resolve(namespace).folder(self.memory.root).is_dir():
                self._round_robin.drop(
                    [namespace]
                )  # destroyed meanwhile, or nothing was remembered
            elif has_more := self._has_more_to_process(namespace):
                self._round_robin.schedule(namespace)
            elif self.memory.forgotten(namespace):
                self._round_robin.schedule_later(namespace)  # the undo time runs
            self.clear("deriving")
        except EmbedderNotReady as exc:  # told in the log by whoever loads it
            self._round_robin.schedule_later(namespace)
            self._problems["deriving"] = [f"{WORDS_ALONE}: {exc}"]
        except (LongTermMemoryError, OSError) as exc:
            self._round_robin.schedule_later(namespace)
            self.report("deriving", f"{WORDS_ALONE}: {exc}")
        except ImportError as exc:
            self.report("deriving", missing_package(exc))
        except Exception as exc:  # noqa: BLE001  (nor one namespace the work for all)
            self.report_bug("a background job failed", exc)
        return has_more

    def _has_more_to_process(self, namespace: Namespace) -> bool:
        """Whether there is more to do when the time is up."""
        until = time.monotonic() + _TURN_S
        while not self._stopping.is_set():
            yield_to_prompts(_YIELD_S)
            is_more = self.memory.derive_pending(namespace) > 0
            if not is_more or time.monotonic() >= until:
                return is_more
        return False


_runtime: Runtime | None = None
_live_lock = threading.Lock()


def live_runtime(make: Callable[[], Runtime]) -> Runtime:
    """The process's one runtime, made at the first call: the host may load script.py again."""
    global _runtime
    with _live_lock:
        if _runtime is None:
            _runtime = make()
            _runtime.start()
            atexit.register(_runtime.close)
        return _runtime

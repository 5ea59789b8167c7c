"""Time limits for waiting on a lock, a thread or a rebuild.

A chat's prompt sets one, since it can go out without memories. Work begun for it goes on. Other
waits end at once when something more urgent comes.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from ..domain.errors import StorageBusy
from ..domain.namespaces import Namespace

T = TypeVar("T")
_POLL_S = 0.05


class Deadline:
    """A point in time that several steps share as their limit; an Interrupt from then on."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def restart(self) -> None:
        self._end = time.monotonic() + self._seconds

    @property
    def remaining_s(self) -> float:
        """The seconds left, at least a millisecond so that a finished answer still arrives."""
        return max(0.001, self._end - time.monotonic())

    def is_set(self) -> bool:
        """Returns whether the time is over, as an interrupt does."""
        return time.monotonic() >= self._end

    def wait(self, timeout: float) -> bool:
        time.sleep(min(timeout, self.remaining_s))
        return self.is_set()

    def check(self) -> None:
        """Raises TimeoutError once the time is over."""
        if self.is_set():
            raise TimeoutError(f"no result after {self._seconds:g} s")


def call_with_timeout(seconds: float, call: Callable[[], T]) -> T:
    """Returns the call's result or raises its error.

    Raises TimeoutError after `seconds`, or once the interrupt of interrupted_by() is set. The call
    runs in its own thread, since name look-ups, trickling headers and foreign code know no
    deadline. After a timeout it is abandoned, not stopped.
    """
    deadline = Deadline(seconds)
    running = start_in_thread(call)
    while not _is_done(running, min(_POLL_S, deadline.remaining_s)):
        deadline.check()
        if _interrupt.get().is_set():
            raise TimeoutError("nobody waits for the result any more")
    return running.result()


def start_in_thread(call: Callable[[], T]) -> Future[T]:
    """Runs the call in its own thread and returns the future of its result.

    The thread is a daemon: an abandoned call never delays the end of the process.
    """
    outcome: Future[T] = Future()
    _start_thread(call, outcome)
    return outcome


def _start_thread(call: Callable[[], T], outcome: Future[T]) -> None:
    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as exc:  # noqa: BLE001 - handed to the waiting thread as it is
            outcome.set_exception(exc)

    threading.Thread(target=run, name="ltm-within", daemon=True).start()


_BUSY = "the memories of {} are being opened or rebuilt just now"


class _ThreadLimits(threading.local):
    """The limits of the current thread."""

    deadline: Deadline | None = None
    database_deadline: Deadline | None = None
    checked: dict[int, object] | None = None  # by id(); holds the objects: no id is reused


_limits = _ThreadLimits()
_no_time_limits = threading.Condition()
_limited_count = 0
_last_limited = float("-inf")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limits the total waiting of this thread inside the block; then StorageBusy is raised."""
    outer = _limits.deadline
    _limits.deadline = Deadline(seconds)
    _count_limited(1)
    try:
        with cache_file_checks():
            yield
    finally:
        _count_limited(-1)
        _limits.deadline = outer


@contextmanager
def limit_database_wait(seconds: float) -> Iterator[None]:
    """Limits how long this thread waits for a database inside the block; then StorageFailed is
    raised. Unlike time_limit(), it leaves locks and rebuilds the time they need.
    """
    outer = _limits.database_deadline
    _limits.database_deadline = Deadline(seconds)
    try:
        yield
    finally:
        _limits.database_deadline = outer


def database_wait_s() -> float | None:
    """Returns the seconds that this thread may still wait for a database; None for no limit."""
    limits = (_limits.deadline, _limits.database_deadline)
    return min((limit.remaining_s for limit in limits if limit), default=None)


@contextmanager
def hold_lock(lock: threading.RLock, name: str) -> Iterator[None]:
    """Holds the lock inside the block. Raises StorageBusy after the thread's time limit."""
    deadline = _limits.deadline
    if not lock.acquire(timeout=deadline.remaining_s if deadline else -1):
        raise StorageBusy(_BUSY.format(name))
    try:
        yield
    finally:
        lock.release()


def yield_to_prompts(seconds: float) -> None:
    """Returns once no thread has a time limit, and after `seconds` in any case."""
    with _no_time_limits:
        _no_time_limits.wait_for(lambda: not _limited_count, seconds)


def seconds_since_prompt() -> float:
    """Returns the seconds since a thread last had a time limit; 0 while one has, inf for never."""
    with _no_time_limits:
        return 0.0 if _limited_count else time.monotonic() - _last_limited


def _count_limited(change: int) -> None:
    global _limited_count, _last_limited
    with _no_time_limits:
        _limited_count += change
        _last_limited = time.monotonic()
        if not _limited_count:
            _no_time_limits.notify_all()


def has_time_limit() -> bool:
    """Returns whether this thread is inside a time_limit() block."""
    return _limits.deadline is not None


@contextmanager
def cache_file_checks() -> Iterator[None]:
    """Makes this thread check each file of other programs only once inside the block."""
    outer = _limits.checked
    _limits.checked = {} if outer is None else outer
    try:
        yield
    finally:
        _limits.checked = outer


def was_checked(subject: object) -> bool:
    """Returns whether mark_checked() was called for this object under this thread's time limit or
    cache_file_checks(). Always False without either.

    A prompt checks once what other programs may have changed on disk, and then keeps to what it
    saw: on a busy machine each check costs far more than its own time.
    """
    return id(subject) in (_limits.checked or ())


def checked_once(subject: object, is_unchanged: Callable[[], bool]) -> bool:
    """Returns whether the object is unchanged, without another check after one that found it so."""
    if id(subject) in (_limits.checked or ()):
        return True
    found = is_unchanged()
    if found:
        mark_checked(subject)
    return found


def mark_checked(subject: object) -> None:
    """Remembers that the object was found unchanged.

    Forgets it when the time limit or cache_file_checks() ends.
    """
    if _limits.checked is not None:
        _limits.checked[id(subject)] = subject


def wait_for_change(changed: threading.Condition, namespace: Namespace) -> None:
    """Waits until `changed` is notified. Raises StorageBusy after the thread's time limit."""
    deadline = _limits.deadline
    if not changed.wait(deadline.remaining_s if deadline else None):
        busy = f"the memories of {namespace.label} are being moved, restored or deleted just now"
        raise StorageBusy(busy)


class SingleFlight:
    """Runs work in the background, once at a time for each name, however many wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Future[None]] = {}

    def run_once(self, name: str, work: Callable[[], None]) -> None:
        """Starts the work of this name unless it is running already, and waits for its end.

        Raises StorageBusy after the thread's time limit, and the work's own errors.
        """
        deadline = _limits.deadline
        with self._lock:
            is_first = name not in self._running
            outcome = self._running.setdefault(name, Future())
        if is_first:  # without the lock: starting a thread takes a while on a busy machine
            self._start(name, work, outcome)
        try:
            outcome.result(deadline.remaining_s if deadline else None)
        except TimeoutError as exc:
            raise StorageBusy(_BUSY.format(name)) from exc

    def _start(self, name: str, work: Callable[[], None], outcome: Future[None]) -> None:
        def run() -> None:
            try:
                work()
            finally:
                self._end(name)

        try:
            _start_thread(run, outcome)
        except RuntimeError as exc:  # the system refuses another thread
            self._end(name)
            outcome.set_exception(exc)

    def _end(self, name: str) -> None:
        with self._lock:
            del self._running[name]


class Interrupt(Protocol):
    """Says when to stop waiting: threading.Event has both methods."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float) -> bool:
        """Waits for at most `timeout` seconds. Returns whether to stop."""
        ...


NEVER: Interrupt = threading.Event()  # nobody sets it


_interrupt: ContextVar[Interrupt] = ContextVar("interrupt", default=NEVER)


@contextmanager
def interrupted_by(interrupt: Interrupt) -> Iterator[None]:
    """Lets this event end the waits for models inside the block, also in threads that copy its
    context, such as those of a server's requests.
    """
    token = _interrupt.set(interrupt)
    try:
        yield
    finally:
        _interrupt.reset(token)


def is_interrupted() -> bool:
    """Returns whether the interrupt of interrupted_by() is set, in its threads too."""
    return _interrupt.get().is_set()


class Interrupted(Exception):
    """The interrupt came before the result."""


def call_until(interrupt: Interrupt, call: Callable[[threading.Event], T]) -> T:
    """Returns the result of `call(abandoned)` or raises its error. Raises Interrupted.

    The call runs in its own thread. After an interrupt, this one or that of interrupted_by(), it
    goes on alone until it looks at `abandoned`, which is then set.
    """
    abandoned = threading.Event()
    running = start_in_thread(lambda: call(abandoned))
    while not _is_done(running, _POLL_S):
        if interrupt.is_set() or _interrupt.get().is_set():
            abandoned.set()
            raise Interrupted
    return running.result()


def _is_done(running: Future[T], seconds: float) -> bool:
    """Waits for the result, at most this long. Returns whether there is one, or an error."""
    try:
        running.exception(timeout=seconds)
    except TimeoutError:
        return False
    return True

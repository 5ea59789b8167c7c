"""Whether new messages are remembered, and since when they are not.

The time is in a file of the installation, so it survives restarts, and all of its programs see it.
It is on disk before the first message that it covers.
"""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ..config.layers import Problem
from ..config.schema import Settings
from ..domain.errors import StorageFailed
from ..infra import durable_files, regular_files
from ..infra.json_codec import UNUSABLE_JSON
from ..infra.regular_files import Stamp, file_stamp

IS_OFF = "remembering is switched off in the settings (ltm_writes.enabled): nothing was saved"


class RememberPhase(StrEnum):
    """What happens to new messages."""

    ON = "on"
    STARTING_OFF = "starting off"  # those from before the switch are still stored
    OFF = "off"
    ENDING_OFF = "ending off"  # those from before the switch are still excluded
    UNKNOWN = "unknown"  # nothing is stored or excluded until the settings can be read


@dataclass(frozen=True, slots=True, kw_only=True)
class OffPeriod:
    """Times in seconds since the epoch. `until` is None until Remember is on again.

    `is_certain` is False while it is unknown whether the user had switched it off.
    """

    since: float
    until: float | None = None
    is_certain: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchState:
    """`stores` and `excludes` say what happens to messages in this phase; both may be true, since
    messages from before and after the switch are treated differently. `is_off`: what is said now
    is excluded.
    """

    phase: RememberPhase
    period: OffPeriod | None = None
    stores: bool = True
    excludes: bool = True
    is_off: bool = False


def _state(phase: RememberPhase, period: OffPeriod | None = None) -> SwitchState:
    stores = phase not in (RememberPhase.OFF, RememberPhase.UNKNOWN)
    excludes = phase not in (RememberPhase.ON, RememberPhase.UNKNOWN)
    is_off = phase in (RememberPhase.OFF, RememberPhase.STARTING_OFF)
    return SwitchState(phase=phase, period=period, stores=stores, excludes=excludes, is_off=is_off)


class RememberSwitch:
    """The phase of new messages, as the settings want it.

    Programs that follow chats call record(). They complete each change of the phase with
    complete(), once messages from before it are stored or excluded. Safe for many threads.
    """

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._is_recording = False
        self._seen: Stamp | None = file_stamp(path)
        self._wants_on = self._is_known = True
        self.state = _state(RememberPhase.ON)
        self.problem = ""

    @property
    def is_changing(self) -> bool:
        return self.state.phase in (RememberPhase.STARTING_OFF, RememberPhase.ENDING_OFF)

    @property
    def off_since(self) -> float | None:
        """Returns since when nothing new is remembered, if that is so and the time is known."""
        period = self.state.period
        return period.since if period and self.state.is_off else None

    def follow(self, settings: Settings, problems: Sequence[Problem]) -> None:
        """Applies settings. If the disk fails, `problem` says so, and nothing is stored."""
        with self._lock:
            self._wants_on = settings.ltm_writes.enabled
            self._is_known = self._wants_on or not any(one.hides_settings for one in problems)
            self._seen = file_stamp(self._path)
            if self._is_recording:
                self.follow_record()
            else:
                self.state = self._unrecorded_state()

    def record(self) -> None:
        """Keeps off periods on disk from now on."""
        with self._lock:
            self._is_recording = True
            self.state = _state(RememberPhase.UNKNOWN)
            self.follow_record()

    def follow_record(self) -> None:
        """Compares the settings with the off period on disk."""
        with self._lock:
            try:
                self._seen = file_stamp(self._path)
                self._follow_record(_read(self._path))
                self.problem = ""
            except StorageFailed as exc:
                is_on = self._wants_on and self.state.phase is RememberPhase.ON
                self.state = self.state if is_on else self._unrecorded_state(RememberPhase.UNKNOWN)
                self.problem = str(exc)

    def was_switched_elsewhere(self) -> bool:
        """Returns whether another program has switched Remember since the last call of follow()."""
        return file_stamp(self._path) != self._seen

    def complete(self, change: SwitchState) -> None:
        """Ends this change of the phase, unless another followed it. Raises StorageFailed."""
        with self._lock:
            if self.state != change:
                return
            if self.state.phase is RememberPhase.STARTING_OFF:
                self.state = _state(RememberPhase.OFF, self.state.period)
            elif self.state.phase is RememberPhase.ENDING_OFF:
                self._write(None)
                self.state = _state(RememberPhase.ON)

    def _unrecorded_state(self, if_on: RememberPhase = RememberPhase.ON) -> SwitchState:
        if self._wants_on:
            return _state(if_on)
        return _state(RememberPhase.OFF if self._is_known else RememberPhase.UNKNOWN)

    def _follow_record(self, recorded: OffPeriod | None) -> None:
        before = self.state
        known = recorded or (before.period if before.excludes else None)
        if self._wants_on:
            self._switch_on(known)
            return
        period = known or OffPeriod(since=self._clock(), is_certain=self._is_known)
        period = replace(period, is_certain=period.is_certain or self._is_known, until=None)
        if period != recorded:
            self._write(period)
        if not period.is_certain:
            self.state = _state(RememberPhase.UNKNOWN, period)
        elif before.phase in (RememberPhase.ON, RememberPhase.STARTING_OFF):
            self.state = _state(RememberPhase.STARTING_OFF, period)
        else:
            self.state = _state(RememberPhase.OFF, period)

    def _switch_on(self, known: OffPeriod | None) -> None:
        if known is None or not known.is_certain:
            self._write(None)
            self.state = _state(RememberPhase.ON)
        elif self.state.phase is not RememberPhase.ENDING_OFF:
            if known.until is None:  # else it was recorded by another program, or before a crash
                known = replace(known, until=self._clock())
                self._write(known)
            self.state = _state(RememberPhase.ENDING_OFF, known)

    def _write(self, period: OffPeriod | None) -> None:
        if period is not None:
            durable_files.make_folder(self._path.parent)
            fields = {
                "since": period.since,
                "until": period.until,
                "certain": period.is_certain,
            }
            durable_files.replace(self._path, json.dumps(fields).encode())
        elif durable_files.exists(self._path):
            durable_files.remove_durably(self._path)
        self._seen = file_stamp(self._path)


def _read(path: Path) -> OffPeriod | None:
    data = regular_files.read_own_file(path)
    if data is None:
        return None
    try:
        saved = json.loads(data)
        until = saved.get("until")
        return OffPeriod(
            since=float(saved["since"]),
            until=None if until is None else float(until),
            is_certain=bool(saved["certain"]),
        )
    except UNUSABLE_JSON:
        return OffPeriod(since=_modified(path))


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError as exc:
        raise StorageFailed(f"{path} cannot be read: {exc.strerror}") from exc

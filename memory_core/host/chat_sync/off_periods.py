"""Keeps messages out of memory for good that are said while Remember is off.

As during a pause, keyed hashes identify them. The host's times say which other messages of a chat
are older; those are stored once Remember is on and the chat goes on.
"""

import time

from ...memory.remember_switch import SwitchState
from ...memory.runtime import Runtime
from ...prompt.window import ChatRow
from ...text.cleaning import clean_user_message
from ..chat.exchanges import to_exchanges
from ..chat.turn_request import TurnRequest
from .synchronizer import MAX_GENERATING_S, ChatSynchronizer
from .withheld import StoredChat

_PART = "remember switch"
_RETRY_S = 30.0  # after an error, such as a damaged file: each attempt looks at all chats


class OffPeriods:
    """Follows the switch: stores what was said before it, excludes what was said until it."""

    def __init__(self, runtime: Runtime, synchronizer: ChatSynchronizer) -> None:
        self._runtime = runtime
        self._switch = runtime.remember_switch
        self._synchronizer = synchronizer
        self._change: tuple[SwitchState, float] | None = None
        self._retry_at = 0.0
        self._switch.record()
        runtime.on_reloaded(self._follow_soon)
        runtime.add_tick_duty(self.poll)
        self._follow_soon()

    def poll(self) -> None:
        """Follows a switch by another program, and completes a change that was interrupted."""
        if self._switch.was_switched_elsewhere():
            self._runtime.reload_settings()
        elif self._switch.problem:
            self._switch.follow_record()
            self._follow_soon()
        self._complete()

    def exclude_question(self, request: TurnRequest) -> None:
        """Soon excludes the message of this turn, whatever its answer, if it is a new one."""
        if not request.raw_window.is_continuing and self.question(request):
            self._runtime.submit(lambda: self._exclude(request), request.namespace)

    def readmit_first_question(self, request: TurnRequest) -> None:
        """Soon readmits the message of this turn, which begins a chat that has no name yet.

        It may have begun another chat while Remember was off.
        """
        if question := clean_user_message(self.question(request)):
            pauses, owner = self._runtime.pauses, request.namespace
            self._runtime.submit(
                lambda: pauses.set_first_excluded(owner, question, wanted=False), owner
            )

    def question(self, request: TurnRequest) -> str:
        """Returns the message if it counts as said just now, else "".

        One whose answer is continued was said before, unless Remember is off by now.
        """
        keeps = request.raw_window.is_continuing and not self._switch.state.is_off
        return "" if request.is_tool_turn or keeps else request.raw_window.question

    def _exclude(self, request: TurnRequest) -> None:
        window, speakers = request.raw_window, request.speakers
        question = ChatRow(user=window.question, assistant="", user_meta=window.message_user_meta)
        earlier = to_exchanges(window.past_rows, speakers)
        shown = to_exchanges((*window.past_rows, question), speakers)
        if len(shown) == len(earlier):
            return  # it is a command
        if request.conversation:
            stored = StoredChat.of(self._runtime, request.namespace, request.conversation)
            stored.exclude_question(shown)
        elif not earlier:
            self._runtime.pauses.set_first_excluded(request.namespace, shown[0].user, wanted=True)

    def _follow_soon(self) -> None:
        if self._switch.problem:
            problem = f"it is not recorded that Remember was switched: {self._switch.problem}"
            self._runtime.report(_PART, problem)
        else:
            self._runtime.clear(_PART)
        self._retry_at = 0.0
        if self._switch.is_changing:
            self._runtime.run_and_wait(self._complete, 0.0)

    def _complete(self) -> None:
        """Stores what was said before the switch, or excludes it, in all chats."""
        if not self._switch.is_changing:
            self._change = None
            return
        if time.monotonic() < self._retry_at:
            return
        if self._change is None or self._change[0] != self._switch.state:
            self._change = self._switch.state, time.monotonic()
        change, since = self._change
        self._retry_at = time.monotonic() + _RETRY_S
        is_complete = self._synchronizer.sync_all()
        self._retry_at = 0.0
        if is_complete or time.monotonic() - since > 2 * MAX_GENERATING_S:  # a file is no chat
            self._switch.complete(change)

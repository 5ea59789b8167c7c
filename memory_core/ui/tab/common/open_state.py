"""What is switched off or paused for the open chat."""

from contextlib import suppress

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....memory.runtime import Runtime
from ....storage.pauses import PauseState
from . import status
from .frame import Selection
from .model_card import ModelStage, model_view


def open_state(runtime: Runtime, view: Selection) -> str:
    """Returns the key of the sentence on the state of memory, as `status.state_key`."""
    never = PauseState(is_writing_paused=is_never_remembered(runtime, view.chosen))
    return status.state_key(
        runtime.settings,
        by_words=model_view(runtime).stage is not ModelStage.READY,
        pause=pause_of_chat(runtime, view).joined(never),
        is_incognito=view.is_incognito,
    )


def pause_of_chat(runtime: Runtime, view: Selection) -> PauseState:
    """Returns the pauses of the open chat; none if they cannot be read, which the head reports."""
    with suppress(LongTermMemoryError):
        if view.chosen is not None and view.conversation:
            return runtime.pauses.get(view.chosen, view.conversation)
    return PauseState()


def is_never_remembered(runtime: Runtime, namespace: Namespace | None) -> bool:
    """Returns False if the mark cannot be read, which the head reports."""
    with suppress(LongTermMemoryError):
        return namespace is not None and runtime.pauses.is_never_remembered(namespace)
    return False

"""Identifies the message of a command, so that the command is executed once.

The page gives each message a time, which distinguishes it from one that replaced it, and identifies
it in a renamed or branched chat. The position in the chat identifies messages without a time, and
those whose time the host changes when their answer begins.
"""

from hashlib import blake2b

from ...text.commands.parser import CommandKind
from ..chat.exchanges import first_version_time
from ..chat.turn_request import TurnRequest

LookupKeys = tuple[str, ...]
_PAUSE_KINDS = (CommandKind.PAUSE, CommandKind.RESUME)


def lookup_keys(request: TurnRequest, recorded: LookupKeys) -> LookupKeys:
    """Returns those of record_keys() to look up; any of them marks the command as executed."""
    timed = () if request.raw_window.is_continuing else recorded[1:]
    return timed or recorded[:1]


def record_keys(request: TurnRequest) -> LookupKeys:
    """Returns the keys to record for an executed command: by position, then by time.

    None has the time without a chat file, where times change.
    """
    window = request.raw_window
    earlier = [row.question for row in window.past_rows if row.question]
    position = "\x1f".join((request.conversation, str(len(earlier)), window.question))
    meta = window.rows[-1].user_meta if window.is_continuing else window.message_user_meta
    ts = first_version_time(meta) if request.identity.chat_file else None
    if ts is None:
        return (position,)
    timed = f"{ts}\x1f{position}"
    if not earlier or _is_pause(request):
        return (position, timed)
    earlier_hash = blake2b("\x1f".join(earlier).encode("utf-8", "surrogatepass")).hexdigest()
    return (position, timed, f"{ts}\x1f{earlier_hash}\x1f{window.question}")


def _is_pause(request: TurnRequest) -> bool:
    """Returns whether the command is a pause or resume; these do not apply to branches."""
    return request.command is not None and request.command.kind in _PAUSE_KINDS

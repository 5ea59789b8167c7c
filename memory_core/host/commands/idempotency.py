"""Which message a command stands in, so that it is carried out once.

On the page a message has a time: what took the place of a removed message is another one, and in a
chat that was renamed or branched it is still the same. Where no time is known, and where the host
sets a message anew to begin the answer to it, the place in the chat has to do.
"""

from hashlib import blake2b

from ...text.commands.parser import CommandKind
from ..chat.exchanges import first_version_time
from ..chat.turn_request import TurnRequest

LookupKeys = tuple[str, ...]
_PAUSE_KINDS = (CommandKind.PAUSE, CommandKind.RESUME)


def lookup_keys(request: TurnRequest) -> LookupKeys:
    """By any of these it is known, if the command in it was carried out."""
    timed = () if request.raw_window.is_continuing else _time_keys(request)
    return timed or (_position_key(request),)


def record_keys(request: TurnRequest) -> LookupKeys:
    """What it is known by from now on."""
    return (_position_key(request), *_time_keys(request))


def _position_key(request: TurnRequest) -> str:
    return "\x1f".join(
        (request.conversation, str(len(_earlier_questions(request))), request.raw_window.question)
    )


def _time_keys(request: TurnRequest) -> LookupKeys:
    """Without a file, whoever sends the chat again sends a new time with it."""
    window, earlier = request.raw_window, _earlier_questions(request)
    meta = window.rows[-1].user_meta if window.is_continuing else window.message_user_meta
    ts = first_version_time(meta) if request.identity.chat_file else None
    if ts is None:
        return ()
    earlier_hash = blake2b("\x1f".join(earlier).encode("utf-8", "surrogatepass")).hexdigest()
    branch_keys = (f"{ts}\x1f{earlier_hash}\x1f{window.question}",)
    return (
        f"{ts}\x1f{_position_key(request)}",
        *(branch_keys if earlier and not _is_pause(request) else ()),
    )


def _is_pause(request: TurnRequest) -> bool:
    """A pause is of one chat, and its branch is another."""
    return request.command is not None and request.command.kind in _PAUSE_KINDS


def _earlier_questions(request: TurnRequest) -> list[str]:
    return [row.question for row in request.raw_window.past_rows if row.question]

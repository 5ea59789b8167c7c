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


def lookup_keys(asked: TurnRequest) -> LookupKeys:
    """By any of these it is known, if the command in it was carried out."""
    timed = () if asked.raw_window.is_continuing else _time_keys(asked)
    return timed or (_position_key(asked),)


def record_keys(asked: TurnRequest) -> LookupKeys:
    """What it is known by from now on."""
    return (_position_key(asked), *_time_keys(asked))


def _position_key(asked: TurnRequest) -> str:
    return "\x1f".join(
        (asked.conversation, str(len(_earlier_questions(asked))), asked.raw_window.question)
    )


def _time_keys(asked: TurnRequest) -> LookupKeys:
    """Without a file, whoever sends the chat again sends a new time with it."""
    heard, before = asked.raw_window, _earlier_questions(asked)
    meta = heard.rows[-1].user_meta if heard.is_continuing else heard.message_user_meta
    ts = first_version_time(meta) if asked.identity.chat_file else None
    if ts is None:
        return ()
    behind = blake2b("\x1f".join(before).encode("utf-8", "surrogatepass")).hexdigest()
    anywhere = (f"{ts}\x1f{behind}\x1f{heard.question}",)
    return (
        f"{ts}\x1f{_position_key(asked)}",
        *(anywhere if before and not _is_pause(asked) else ()),
    )


def _is_pause(asked: TurnRequest) -> bool:
    """A pause is of one chat, and its branch is another."""
    return asked.command is not None and asked.command.kind in _PAUSE_KINDS


def _earlier_questions(asked: TurnRequest) -> list[str]:
    return [row.question for row in asked.raw_window.past_rows if row.question]

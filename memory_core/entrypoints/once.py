"""Which message a command stands in, so that it is carried out once.

On the page a message has a time: what took the place of a removed message is another one, and in a
chat that was renamed or branched it is still the same. Where no time is known, and where the host
sets a message anew to begin the answer to it, the place in the chat has to do.
"""

from hashlib import blake2b

from ..commands import CommandKind
from .exchanges import said_at
from .turn_request import Asked

Names = tuple[str, ...]
_PAUSES = (CommandKind.PAUSE, CommandKind.RESUME)


def looked_for(asked: Asked) -> Names:
    """By any of these it is known, if the command in it was carried out."""
    timed = () if asked.heard.continuing else _timed(asked)
    return timed or (_place(asked),)


def all_names(asked: Asked) -> Names:
    """What it is known by from now on."""
    return (_place(asked), *_timed(asked))


def _place(asked: Asked) -> str:
    return "\x1f".join((asked.conversation, str(len(_before(asked))), asked.heard.question))


def _timed(asked: Asked) -> Names:
    """Without a file, whoever sends the chat again sends a new time with it."""
    heard, before = asked.heard, _before(asked)
    meta = heard.rows[-1].user_meta if heard.continuing else heard.message_user_meta
    ts = said_at(meta) if asked.where.chat_file else None
    if ts is None:
        return ()
    behind = blake2b("\x1f".join(before).encode("utf-8", "surrogatepass")).hexdigest()
    anywhere = (f"{ts}\x1f{behind}\x1f{heard.question}",)
    return (f"{ts}\x1f{_place(asked)}", *(anywhere if before and not _is_pause(asked) else ()))


def _is_pause(asked: Asked) -> bool:
    """A pause is of one chat, and its branch is another."""
    return asked.command is not None and asked.command.kind in _PAUSES


def _before(asked: Asked) -> list[str]:
    return [row.question for row in asked.heard.past if row.question]

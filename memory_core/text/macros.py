"""The user's name in the place of macros that a model wrote, as text-generation-webui shows it.

In the chat modes its page shows the name for {{user}}, <USER> and <user> in an answer; nothing in
instruct mode, in what a person wrote, nor for {{char}}. Its file keeps the macro, and so does the
transcript: a chat is known by what its file says, whatever the user is called by then.
"""

from dataclasses import replace

from ..domain.records import Exchange, Role, Turn

_MACROS = ("{{user}}", "<USER>", "<user>")
CHAT_CHANNELS = frozenset(["chat", "chat-instruct", "api-chat", "api-chat-instruct"])


def replace_macros(exchange: Exchange) -> Exchange:
    """The very same where no macro stands for a name."""
    name = exchange.user_name
    if not name or exchange.channel not in CHAT_CHANNELS:
        return exchange
    if not (exchange.turns or "<" in exchange.assistant or "{" in exchange.assistant):
        return exchange
    answer = _replace_in_text(exchange.assistant, name)
    turns = tuple(_replace_in_turn(it, name) for it in exchange.turns)
    if (answer, turns) == (exchange.assistant, exchange.turns):
        return exchange
    return replace(exchange, assistant=answer, turns=turns)


def _replace_in_turn(turn: Turn, name: str) -> Turn:
    return (
        replace(turn, text=_replace_in_text(turn.text, name))
        if turn.role is Role.ASSISTANT
        else turn
    )


def _replace_in_text(text: str, name: str) -> str:
    for macro in _MACROS:
        text = text.replace(macro, name)
    return text

"""Replaces name macros in answers with the user's name, as text-generation-webui shows them.

In the chat modes its page replaces {{user}}, <USER> and <user> in answers, but not in instruct
mode, not in a person's messages, and never {{char}}. The chat's file keeps the macro, and so does
the transcript, so that a chat stays recognisable after the user changes the name.
"""

from dataclasses import replace

from ..domain.records import Exchange, Role, Turn

_MACROS = ("{{user}}", "<USER>", "<user>")
CHAT_CHANNELS = frozenset(["chat", "chat-instruct", "api-chat", "api-chat-instruct"])


def replace_macros(exchange: Exchange) -> Exchange:
    """Returns the exchange with names for macros, or the same object if nothing changes."""
    name = exchange.user_name
    if not name or exchange.channel not in CHAT_CHANNELS:
        return exchange
    if not (exchange.turns or "<" in exchange.assistant or "{" in exchange.assistant):
        return exchange
    answer = _replace_in_text(exchange.assistant, name)
    turns = tuple(_replace_in_turn(turn, name) for turn in exchange.turns)
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

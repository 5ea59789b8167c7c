"""Groups single messages into exchanges: a user's message and its answers."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ...domain.records import Exchange, Role, Turn
from .metadata import merge_metadata

_ROLES = {
    Role.USER: ("user", "human", "you", "prompter"),
    Role.ASSISTANT: ("assistant", "ai", "bot", "model", "char", "character", "gpt", "chatgpt"),
    Role.SYSTEM: ("system", "developer"),
    Role.TOOL: ("tool", "function"),
}
_BY_NAME = {name: role for role, names in _ROLES.items() for name in names}


def role_of(name: str) -> Role | None:
    return _BY_NAME.get(name.strip().lower())


def to_chat_exchanges(turns: Iterable[Turn], channel: str) -> list[Exchange]:
    """Joins consecutive answers into one, as the host's chats do.

    Answers before the first user's message are an exchange without a question. Ignores messages of
    other roles.
    """
    return _group_exchanges(turns, channel, is_asked)


def is_asked(group: Sequence[Turn], turn: Turn) -> bool:
    return turn.role is Role.USER


def to_single_exchanges(turns: Iterable[Turn], channel: str) -> list[Exchange]:
    """Pairs a user's message only with an answer directly after it; other messages stay single."""

    def starts(group: Sequence[Turn], turn: Turn) -> bool:
        return turn.role is Role.USER or group[-1].role is Role.ASSISTANT

    return _group_exchanges(turns, channel, starts)


StartsExchange = Callable[[Sequence[Turn], Turn], bool]


def _group_exchanges(turns: Iterable[Turn], channel: str, starts: StartsExchange) -> list[Exchange]:
    said = (turn for turn in turns if turn.role in (Role.USER, Role.ASSISTANT) and turn.text)
    return [_to_exchange(group, channel) for group in group_turns(said, starts)]


def group_turns(turns: Iterable[Turn], starts: StartsExchange) -> Iterator[list[Turn]]:
    """Yields the turns of each exchange; `starts` tells whether a turn begins another one."""
    group: list[Turn] = []
    for turn in turns:
        if group and starts(group, turn):
            yield group
            group = []
        group.append(turn)
    if group:
        yield group


def _to_exchange(group: Sequence[Turn], channel: str) -> Exchange:
    asked = next((turn for turn in group if turn.role is Role.USER), None)
    answers = [turn for turn in group if turn.role is Role.ASSISTANT]
    return Exchange(
        user=asked.text if asked else "",
        assistant=_join_answers(answers),
        user_name=asked.name if asked else "",
        assistant_name=answers[0].name if answers else "",
        ts=next((turn.ts for turn in group if turn.ts is not None), None),
        channel=channel,
        metadata=merge_metadata(group),
        turns=tuple(group) if len(answers) > 1 else (),
    )


def _join_answers(answers: Sequence[Turn]) -> str:
    """Joins answers; names the speakers if there are several."""
    several = len({turn.name for turn in answers}) > 1
    said = (f"{turn.name}: {turn.text}" if several and turn.name else turn.text for turn in answers)
    return "\n\n".join(said)

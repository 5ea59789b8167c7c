"""Limits the number of a conversation's last exchanges in a prompt."""

from ...config.model_settings import HistoryStrategy
from ...config.schema import Settings
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...memory.derived_memories import exchanges_in, memorised_ids
from ...memory.long_term_memory import LongTermMemory

KEY = "history_message_strategy"
FROM_SETTINGS = "settings"

Strategy = str | int | None


def exchanges_to_show(
    memory: LongTermMemory,
    settings: Settings,
    owner: Namespace,
    conversation: str,
    strategy: Strategy,
) -> int:
    """Returns the number of exchanges to show.

    `strategy` may be that number, as in MemoryScope; None shows none. Raises ConfigError for other
    values.
    """
    chosen = settings.backend.history_message_strategy if strategy == FROM_SETTINGS else strategy
    if chosen is None:
        return 0
    if isinstance(chosen, int) and not isinstance(chosen, bool) and chosen >= 0:
        return chosen
    if chosen == HistoryStrategy.RECENT:
        configured = settings.ltm_context.recent_turns
        return settings.backend.recent_turns if configured is None else configured
    if chosen == HistoryStrategy.AUTO:
        return _not_yet_memorised(memory, settings, owner, conversation)
    raise ConfigError(
        f"{KEY} = {chosen!r}: allowed is auto, recent, None or a number of exchanges", key=KEY
    )


def _not_yet_memorised(
    memory: LongTermMemory, settings: Settings, owner: Namespace, conversation: str
) -> int:
    """Counts the exchanges after the last one that a derived memory was made of."""
    limit = exchanges_in(settings.backend.history_max_messages)
    said = memory.conversation(owner, conversation, limit) if limit else []
    sources = memorised_ids(memory, owner, [exchange.id for exchange in said])
    latest_first = enumerate(reversed(said))
    fresh = next((index for index, one in latest_first if one.id in sources), len(said))
    return min(fresh, exchanges_in(settings.backend.context_max_messages))

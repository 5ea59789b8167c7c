"""Replaces `<|memory|>` in notebook and default mode by memories that match the text."""

import time

from ..domain.errors import UnknownUser
from ..memory.runtime import Runtime
from ..prompt.plan import PromptInputs, PromptLayout, make_plan
from ..prompt.window import Window
from ..recall.query import Query, local_time
from ..text.token_counter import estimate_tokens
from .chat.codec import speaker_names
from .chat.host_protocol import Host, State
from .chat.turn_request import identify_chat

MEMORY_MARK = "<|memory|>"
_QUERY_CHARS = 600
_DEFAULT_LIMIT = 2048


def expand(text: str, state: State, runtime: Runtime, host: Host) -> str:
    """Recalls for the last few hundred characters of the text. Stores nothing."""
    try:
        identity = identify_chat(state, host, api_default_user=runtime.settings.api.default_user)
    except UnknownUser:
        return text.replace(MEMORY_MARK, "")
    incognito = identity.is_incognito and not runtime.settings.recall.in_incognito
    if incognito or not runtime.settings.recall.enabled:
        return text.replace(MEMORY_MARK, "")
    question = text.replace(MEMORY_MARK, " ")[-_QUERY_CHARS:].strip()
    names = speaker_names(state)
    window = Window(message=question, name1=names[0], name2=names[1])
    query = Query(text=question, names=names, now=local_time(time.time()), is_explicit_request=True)
    recall = runtime.memory.recall(identity.namespace, query)
    inputs = PromptInputs(
        recalled=recall.kept,
        settings=runtime.settings.ltm_context,
        read_settings=runtime.settings.ltm_reads,
        count=estimate_tokens,
        limit_tokens=int(state.get("truncation_length") or _DEFAULT_LIMIT),
        now=time.time(),
    )
    return text.replace(
        MEMORY_MARK, make_plan(window, inputs, layout=PromptLayout.ALL_IN_BLOCK).block
    )

"""`<|memory|>` in notebook and default mode: replaced by what fits the text around it."""

import time

from ..memory.runtime import Runtime
from ..prompt.plan import Material, Shape, make_plan
from ..prompt.window import Window
from ..recall.query import Query, at
from ..text.token_counter import EstimateCounter
from .chat.host_protocol import Host, State
from .chat.identity import locate

MARK = "<|memory|>"
_QUERY_CHARS = 600
_DEFAULT_LIMIT = 2048


def expand(text: str, state: State, runtime: Runtime, host: Host) -> str:
    """The last few hundred characters are what is recalled for. Nothing is stored."""
    where = locate(state, host, api_default_user=runtime.settings.api.default_user)
    incognito = where.incognito and not runtime.settings.recall.in_incognito
    if where.namespace is None or incognito or not runtime.settings.recall.enabled:
        return text.replace(MARK, "")
    question = text.replace(MARK, " ")[-_QUERY_CHARS:].strip()
    window = Window(
        message=question,
        name1=str(state.get("name1") or ""),
        name2=str(state.get("name2") or ""),
    )
    names = (window.name1, window.name2)
    query = Query(text=question, names=names, now=at(time.time()), is_wanted=True)
    recall = runtime.memory.recall(where.namespace, query)
    material = Material(
        kept=recall.kept,
        settings=runtime.settings.ltm_context,
        reads=runtime.settings.ltm_reads,
        count=EstimateCounter().count,
        limit_tokens=int(state.get("truncation_length") or _DEFAULT_LIMIT),
        now=time.time(),
    )
    return text.replace(MARK, make_plan(window, material, shape=Shape.ALL_IN_BLOCK).block)

"""The workers by name, the loading of the user's own, and the contracts of all prompts."""

from collections.abc import Sequence
from typing import cast

from ..config.consolidation_settings import AutoApprove
from ..config.schema import SUMMARISE, Settings
from ..domain.errors import ConfigError
from ..infra.plugins import build_plugin
from ..text.prompt_files import PromptBook
from . import (
    answers,
    chunked_summary,
    contradictions,
    diary_drafts,
    exchange_summary,
    insights,
    observations,
)
from .approvals import Approvals
from .contract import Worker
from .contradictions import Contradictions
from .exchange_summary import ExchangeSummaries
from .insights import Insights
from .observations import Observations
from .session_summaries import SessionSummaries
from .window_summaries import WindowSummaries

KEY = "consolidation.workers"
BUILT_IN = {worker.name: worker for worker in (
    Observations, Contradictions, Insights, ExchangeSummaries,
)}  # fmt: skip
PROMPTS = (
    observations.PROMPT,
    contradictions.PROMPT,
    insights.PROMPT,
    exchange_summary.PROMPT,
    chunked_summary.PROMPT,
    diary_drafts.PROMPT,
    answers.ANSWER,
)
_NAMES = (*BUILT_IN, SessionSummaries.name, WindowSummaries.name)


def build_workers(settings: Settings, prompts: PromptBook) -> Sequence[Worker]:
    """Returns the workers that the settings name, in their order. Raises ConfigError.

    Parts of long chats are summarised only if ltm_context.strategy puts them into the prompt.
    Approvals come last, if a rule is set.
    """
    named = (name.strip() for name in settings.consolidation.workers.split(","))
    names = [name for name in named if name and _is_needed(name, settings)]
    workers = [_worker(name, settings, prompts) for name in dict.fromkeys(names)]
    if settings.consolidation.auto_approve is not AutoApprove.OFF:
        workers.append(Approvals(settings=settings.consolidation))
    taken = [worker.name for worker in workers]
    if len(set(taken)) < len(taken):
        raise ConfigError(f"{KEY}: two workers have the same name: {', '.join(taken)}", key=KEY)
    return workers


def build_session_summaries(settings: Settings, prompts: PromptBook) -> SessionSummaries:
    pause_s = 60.0 * settings.recall.session_pause_min
    return SessionSummaries(settings=settings.consolidation, prompts=prompts, pause_s=pause_s)


def _is_needed(name: str, settings: Settings) -> bool:
    return name != WindowSummaries.name or settings.ltm_context.strategy in SUMMARISE


def _worker(name: str, settings: Settings, prompts: PromptBook) -> Worker:
    own = settings.consolidation
    if name in BUILT_IN:
        return BUILT_IN[name](settings=own, prompts=prompts)
    if name == WindowSummaries.name:
        return WindowSummaries(settings=own, prompts=prompts)
    if name == SessionSummaries.name:
        return build_session_summaries(settings, prompts)
    if ":" not in name:
        known = ", ".join(_NAMES)
        message = f"{KEY}: {name!r} is no worker; there are {known}, and package.module:Class"
        raise ConfigError(message, key=KEY)
    return cast(Worker, build_plugin(name, key=KEY, settings=own, protocol=Worker))

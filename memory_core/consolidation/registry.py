"""The workers by name, and the loading of the user's own."""

from collections.abc import Sequence
from typing import cast

from ..config.consolidation_settings import AutoApprove, ConsolidationSettings
from ..domain.errors import ConfigError
from ..infra.plugins import build_plugin
from ..text.prompt_files import PromptBook
from .approvals import Approvals
from .contract import Worker
from .contradictions import Contradictions
from .exchange_summary import ExchangeSummaries
from .insights import Insights
from .observations import Observations

KEY = "consolidation.workers"
BUILT_IN = {worker.name: worker for worker in (
    Observations, Contradictions, Insights, ExchangeSummaries,
)}  # fmt: skip


def build_workers(settings: ConsolidationSettings, prompts: PromptBook) -> Sequence[Worker]:
    """Returns the workers that the settings name, in their order. Raises ConfigError.

    Approvals come last, if a rule is set.
    """
    names = [name.strip() for name in settings.workers.split(",") if name.strip()]
    workers = [_worker(name, settings, prompts) for name in dict.fromkeys(names)]
    if settings.auto_approve is not AutoApprove.OFF:
        workers.append(Approvals(settings=settings))
    taken = [worker.name for worker in workers]
    if len(set(taken)) < len(taken):
        raise ConfigError(f"{KEY}: two workers have the same name: {', '.join(taken)}", key=KEY)
    return workers


def _worker(name: str, settings: ConsolidationSettings, prompts: PromptBook) -> Worker:
    if name in BUILT_IN:
        return BUILT_IN[name](settings=settings, prompts=prompts)
    if ":" not in name:
        known = ", ".join(BUILT_IN)
        message = f"{KEY}: {name!r} is no worker; there are {known}, and package.module:Class"
        raise ConfigError(message, key=KEY)
    return cast(Worker, build_plugin(name, key=KEY, settings=settings, protocol=Worker))

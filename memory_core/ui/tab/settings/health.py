"""The panel that runs the self-test and shows the state of memory in detail, as rows.

A shared page shows only the visitor's own."""

import logging
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import gradio as gr

from ....admin import self_test
from ....admin.administration import Administration
from ....admin.self_test import StepResult
from ....domain.errors import ConfigError, LongTermMemoryError, StorageError
from ....domain.namespaces import Namespace
from ....host.activity import SkipReason
from ....host.hooks import Hooks
from ....memory.language_trust import KNOWN_WELL
from ....memory.runtime import Runtime
from ....providers.allowed_hosts import check_endpoint
from ....providers.embedders.base import Embedder
from ....storage.disk_usage import format_size
from ....text.locales import Words
from ....text.problem_text import failure_text, problem_text
from ..common import retention_preview, status
from ..common.actions import drawn_anew
from ..common.gradio_compat import quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import bullets, pairs_table, paragraph
from ..common.model_card import ModelStage, model_view
from ..common.status import open_state
from ..transfer.back_up import automatic_backups
from ..transfer.backup_offer import offer_texts
from .work import consolidation_text

TableRow = list[str]

_NOT_READY = (ModelStage.LOADING, ModelStage.FAILED)

log = logging.getLogger("long_term_memory")


def rows(
    administration: Administration, namespace: Namespace | None, words: Words
) -> list[TableRow]:
    is_shared = administration.hooks.host.is_multi_user()
    found = (
        _own_rows(administration.hooks, namespace, words)
        if is_shared
        else _all_rows(administration, namespace, words)
    )
    return [[words[key], value] for key, value in found]


def _own_rows(hooks: Hooks, namespace: Namespace | None, words: Words) -> Iterator[tuple[str, str]]:
    if namespace is None:
        return
    activity = hooks.prompt_builder.activity
    yield from _off_row(hooks.runtime, words)
    yield "health_last_write", _format_time(_last_write(hooks.runtime, [namespace]), words)
    yield "health_last_read", _format_time(activity.last_recall(namespace), words)
    yield "health_vectors", _vectors(hooks.runtime, namespace, words)
    yield "health_skips", _skips(activity.skip_counts(namespace), words)
    yield "health_limits", retention_preview.limits_text(hooks.runtime, namespace, words)


def _all_rows(
    administration: Administration, namespace: Namespace | None, words: Words
) -> Iterator[tuple[str, str]]:
    hooks = administration.hooks
    runtime, activity = hooks.runtime, hooks.prompt_builder.activity
    yield from _prompt_hook(hooks, words)
    yield from _lacking_features(hooks, words)
    yield from _off_row(runtime, words)
    latest = runtime.memory.shared.namespaces.recently_written(1)
    yield "health_last_write", _format_time(_last_write(runtime, latest), words)
    yield "health_last_read", _format_time(activity.last_recall(), words)
    jobs, deferred = runtime.count_waiting()
    waiting = words("health_jobs_value", jobs=jobs, deferred=deferred)
    yield "health_jobs", waiting if jobs or deferred else words["health_none"]
    yield "health_lost", str(runtime.lost_count())
    count, most = runtime.memory.open_counts()
    yield "health_open", words("health_open_value", count=count, most=most)
    yield "health_vectors", _vectors(runtime, namespace, words)
    yield from _models(runtime, words)
    yield "health_work", consolidation_text(administration.consolidation, namespace, words)
    yield "health_skips", _skips(activity.all_skip_counts(), words)
    yield "health_guard", _guarded(runtime, words)
    yield "health_limits", retention_preview.limits_text(runtime, namespace, words)
    yield "health_folder", str(runtime.memory.root)
    yield "health_disk", _disk(runtime.memory.root, words)
    yield "health_copies", _backups(administration, words)


def _backups(administration: Administration, words: Words) -> str:
    try:
        text, _ = automatic_backups(administration, words)
        return "\n".join([text, *offer_texts(administration, words)])
    except StorageError as exc:
        return failure_text(exc, words)


def _prompt_hook(hooks: Hooks, words: Words) -> Iterator[tuple[str, str]]:
    """Yields the other extensions that build prompts, if there are any."""
    owner = getattr(hooks.host, "owner_before_us", None)
    if owner is None:
        return
    if before_us := owner():
        yield "health_hook", words("health_taken", name=before_us)
    behind: list[str] = getattr(hooks.host, "builders_behind_us", list)()
    if behind:
        yield "health_chained", words["list_comma"].join(behind)


def _last_write(runtime: Runtime, spaces: Sequence[Namespace]) -> float:
    memory = runtime.memory
    return max(
        (memory.shared.namespaces.last_written_at(memory.resolve(space)) for space in spaces),
        default=0.0,
    )


def _vectors(runtime: Runtime, namespace: Namespace | None, words: Words) -> str:
    if runtime.memory.embedder is None or namespace is None:
        return words["health_none"]
    return str(runtime.memory.counts(namespace)["lacking"])


def _models(runtime: Runtime, words: Words) -> Iterator[tuple[str, str]]:
    settings = runtime.settings
    embedder: Embedder | None = runtime.memory.embedder
    here = words["health_in_process"]
    embeds = words["health_not_ready"] if model_view(runtime).stage in _NOT_READY else here
    for key, model, address, otherwise in (
        ("health_embedder", embedder, settings.embedder.base_url, embeds),
        (
            "health_llm",
            runtime.models.judge or runtime.models.background,
            settings.llm.base_url,
            here,
        ),
        ("health_reranker", runtime.models.reranker, settings.reranker.base_url, here),
    ):
        where = _shown_address(address, words) if address else otherwise
        yield key, _model(model, where, words) if model or address else words["health_not_set"]
        if key == "health_embedder" and embedder is not None:
            known = runtime.memory.languages.measured_trust(embedder.fingerprint)
            yield "health_languages", _languages(known, words)


def _languages(known: Mapping[str, float], words: Words) -> str:
    """Returns a line per language: the trust in the embedder, and its effect on recall."""
    lines = [
        words(
            "health_language" if trust >= KNOWN_WELL else "health_language_little",
            language=words[f"language_{code}"],
            trust=trust,
        )
        for code, trust in sorted(known.items(), key=lambda pair: -pair[1])
    ]
    return "\n".join(lines) or words["health_languages_none"]


def _model(model: object, where: str, words: Words) -> str:
    """Returns a model's name, where it runs, and its last fault."""
    fault = str(getattr(model, "fault", ""))
    untried = words["health_untried"] if getattr(model, "is_untried", False) else ""
    message = words("health_fault", reason=problem_text(fault, words)) if fault else untried
    return " · ".join(filter(None, (_name(model, words), where, message)))


def _name(model: object, words: Words) -> str:
    """Returns the model's name; an embedder has a fingerprint too."""
    if hasattr(model, "fingerprint"):
        return status.embedder_name(cast(Embedder, model), words)
    return str(getattr(model, "name", ""))


def _shown_address(address: str, words: Words) -> str:
    """Returns the address, unless it is invalid: then it may hold a key and is not shown."""
    try:
        return check_endpoint(address, allow_remote=True, key="base_url").base_url
    except ConfigError:
        return words["health_bad_address"]


def _skips(counts: Mapping[SkipReason, int], words: Words) -> str:
    lines = [
        words("label_and_value", label=words[f"skip_{reason}"], value=counts[reason])
        for reason in SkipReason
        if counts.get(reason)
    ]
    return "\n".join(lines) or words["health_none"]


def _guarded(runtime: Runtime, words: Words) -> str:
    """Returns a line for each action and part that the guard found since the start."""
    lines = [
        words(
            "label_and_value",
            label=words["list_comma"].join([words[f"guard_{action}"], words[f"guard_{part}"]]),
            value=count,
        )
        for (action, part), count in sorted(runtime.memory.guard.counts().items())
    ]
    return "\n".join(lines) or words["health_none"]


def _disk(root: Path, words: Words) -> str:
    try:
        return words("health_disk_value", free=format_size(shutil.disk_usage(root).free))
    except OSError as exc:  # there is no folder yet
        return exc.strerror or str(exc)


def _lacking_features(hooks: Hooks, words: Words) -> Iterator[tuple[str, str]]:
    found: Mapping[str, bool] = getattr(hooks.host, "features", dict)()
    if lacking := [name for name, is_there in found.items() if not is_there]:
        yield "health_host_lacks", words["list_comma"].join(lacking)


def run_self_test(hooks: Hooks, words: Words) -> str:
    """Runs the self-test and returns the outcome of each step as HTML."""
    steps = self_test.run(hooks.runtime.memory.root, hooks.runtime.open_memory_at)
    faults = [step for step in steps if step.fault]
    for step in faults:
        log.warning("self-test, %s: %s", step.step, step.fault)
    hides = hooks.host.is_multi_user()
    head = words["test_failed" if faults else "test_passed"]
    return paragraph(head) + "".join(_step_html(step, words, hides=hides) for step in steps)


def _step_html(result: StepResult, words: Words, *, hides: bool) -> str:
    message = words("step_ms", step=words[f"step_{result.step}"], ms=result.ms)
    fault = words["test_told_in_log"] if result.fault and hides else result.fault
    return paragraph(f"{message} · {fault}" if fault else message)


def _off_row(runtime: Runtime, words: Words) -> Iterator[tuple[str, str]]:
    if text := status.off_since(runtime.remember_switch, words):
        yield "plain_remember", text


def _format_time(ts: float, words: Words) -> str:
    if not ts:
        return words["health_never"]
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ts))


class HealthPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._help = gr.HTML()
        self._test = header.button("health_test", "ltm-selftest")
        self._message = gr.HTML(elem_id="ltm-selftested")
        self._table = gr.HTML(elem_id="ltm-health")
        self.outputs = [self._help, self._table]

    def wire(self, refresh: Refresh) -> None:
        outputs = [self._message, self._table]
        self._header.on(self._test.click, self._test_now, outputs, **quiet())

    def show(self, view: Selection) -> Updates:
        return [paragraph(view.words["health_help"]), self._rows(view)]

    def _rows(self, view: Selection) -> str:
        """Returns the table, or a row with the problem if the state cannot be read now."""
        words = view.words
        try:
            found = rows(self._header.administration, view.namespace, words)
        except LongTermMemoryError as exc:
            is_shared = self._header.is_shared
            message = words["told_in_log"] if is_shared else failure_text(exc, words)
            found = [[words["problems"], message]]
        return drawn_anew(pairs_table(found, label=words["health_tab"]))

    def _test_now(self, view: Selection, given: InputValues) -> Iterator[Updates]:
        yield [paragraph(view.words["health_testing"]), gr.skip()]
        yield [run_self_test(self._header.hooks, view.words), self._rows(view)]


_WORKING = (status.ALL_WELL, status.BY_WORDS)


class HealthLinePanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._hooks = header.hooks
        self._html = gr.HTML(elem_id="ltm-health-line")
        self.outputs = [self._html]

    def show(self, view: Selection) -> Updates:
        return [health_line_html(self._hooks, view)]


def health_line_html(hooks: Hooks, view: Selection) -> str:
    """Returns the sentence; problems stand below it, each with its remedy."""
    words, found = view.words, status.problems(hooks, view.words)
    if found:
        return paragraph(words("health_problems", count=len(found))) + bullets(found)
    try:
        return paragraph(words["sentence_gap"].join(_sentences(hooks, view)))
    except LongTermMemoryError as exc:
        is_shared = hooks.host.is_multi_user()
        return paragraph(words["told_in_log"] if is_shared else failure_text(exc, words))


def _sentences(hooks: Hooks, view: Selection) -> Iterator[str]:
    runtime, words = hooks.runtime, view.words
    state = open_state(runtime, view)
    if state not in _WORKING:
        yield words[state]
        is_off = state.endswith("_off")
        if not state.startswith("health_incognito"):
            yield words["health_do_off" if is_off else "health_do_paused"]
        return
    count = runtime.memory.counts(view.namespace)["live"] if view.namespace else 0
    found_by = "words" if state == status.BY_WORDS else "meaning"
    yield words(f"health_line_{found_by}" if count else "health_none_yet", count=count)
    if model_view(runtime).stage is ModelStage.NONE:
        yield words["health_do_words"]

"""The state of memory in the header: problems, pauses, models in use, counts."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ....config.schema import Settings
from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....host.hooks import Hooks
from ....memory.embedding import EmbeddingProgress
from ....memory.model_loading import WORDS_ALONE
from ....memory.remember_switch import RememberSwitch
from ....memory.runtime import Runtime
from ....providers.embedders.base import Embedder
from ....storage.pauses import PauseState
from ....text.locales import Words
from ....text.problem_text import problem_text
from .header import Selection
from .markup import bullets, escaped, paragraph
from .model_card import ModelStage, model_view
from .wording import minute

ALL_WELL, BY_WORDS = "all_well", "health_words"
_NOT_PAUSED = PauseState()


def state_key(
    settings: Settings,
    *,
    by_words: bool,
    pause: PauseState = _NOT_PAUSED,
    is_incognito: bool = False,
) -> str:
    """Returns the key of the sentence on what is switched off, or on how memories are found.

    `pause` and `is_incognito` are those of the open chat.
    """
    writes, recalls = settings.ltm_writes.enabled, settings.recall.enabled
    if not (writes and recalls):
        return f"health_{'writing_' if recalls else ''}{'recall_' if writes else ''}off"
    if is_incognito:
        return f"health_incognito_{'writing_' if settings.recall.in_incognito else ''}off"
    if pause.is_paused:
        writes, recalls = not pause.is_writing_paused, not pause.is_recall_paused
        return f"health_{'writing_' if recalls else ''}{'recall_' if writes else ''}paused"
    return BY_WORDS if by_words else ALL_WELL


def problems(hooks: Hooks, words: Words) -> list[str]:
    """Returns the problems in plain words; a shared page gets none that names a person.

    Those of the embedder are left out, because they have their own card.
    """
    runtime = hooks.runtime
    embedder = runtime.memory.embedder
    on_card = runtime.model_loader.embedder_messages(embedder)
    found = [problem for problem in runtime.problems() if problem not in on_card]
    if getattr(embedder, "fault", ""):  # of a server that did not answer
        found = [problem for problem in found if not problem.startswith(WORDS_ALONE)]
    if hooks.host.is_multi_user():
        return [words["told_in_log"]] if found else []
    owner = getattr(hooks.host, "owner_before_us", None)
    before_us = owner() if owner else ""
    lines = [words("owner_before_us", name=before_us)] if before_us else []
    if hooks.skipped_calls:
        lines.append(words("skipped", count=hooks.skipped_calls))
    return lines + [problem_text(problem, words) for problem in found]


def off_since(switch: RememberSwitch, words: Words) -> str:
    """Returns since when Remember is off, and what that means; an empty text if it is on."""
    if switch.off_since is None:
        return ""
    return words("off_since", when=minute(switch.off_since))


def banner_html(
    found: Sequence[str],
    facts: Sequence[tuple[str, str]],
    words: Words,
    *,
    state: str = ALL_WELL,
    off: str = "",
) -> str:
    """Returns one sentence on the state of memory, with the facts folded. Problems are in sight.

    `state` is the key of the sentence if there are no problems. `off` is the result of off_since().
    """
    line = words("health_problems", count=len(found)) if found else words[state]
    is_restricted = state.endswith(("_off", "_paused"))
    shown = [words[state], *found] if found and is_restricted else found
    shown = [off, *shown] if off else shown
    rows = "".join(f"<dt>{escaped(key)}</dt><dd>{escaped(value)}</dd>" for key, value in facts)
    mood = "ltm-ill" if found or is_restricted else "ltm-well"
    return (
        f'<div class="ltm-health {mood}"><details><summary>'
        f'<span class="ltm-dot" aria-hidden="true"></span>{escaped(line)}</summary>'
        f"<dl>{rows}</dl></details>{bullets(shown)}</div>"
    )


def embedder_state(embedder: Embedder | None, words: Words) -> str:
    """Returns the model's name, or a note that recall uses words alone."""
    if embedder is None:
        return words("label_and_value", label=words["words_only"], value=words["no_embedder"])
    return embedder_name(embedder, words)


def embedder_name(embedder: Embedder, words: Words) -> str:
    """Returns the model's name; that of the built-in one is translated."""
    kind = embedder.fingerprint.partition(":")[0]
    return words.get(f"embedder_{kind}", embedder.name)


def progress_html(found: EmbeddingProgress | None, words: Words) -> str:
    """Returns the progress of embedding as a line, or nothing once it is complete."""
    if found is None:
        return ""
    key = "reembedding" if found.is_reembedding else "embedding"
    return paragraph(words(key, done=found.done, whole=found.total))


def fact_rows(
    counts: Mapping[str, int] | None, *, embedder: str, folder: Path | None, words: Words
) -> list[tuple[str, str]]:
    """Returns labelled values; `counts` is None if nothing is remembered yet."""
    pairs = [*_count_labels(counts, words)] if counts else []
    pairs += [(words["embedder"], embedder)]
    return pairs + ([(words["storage"], str(folder))] if folder else [])


def count_line(counts: Mapping[str, int] | None, words: Words, *, paused: str = "") -> str:
    """Returns the number of memories, and a note on pauses."""
    known = words("memories_count", count=counts["live"]) if counts else words["no_memories"]
    return " · ".join(filter(None, (known, paused and words("paused_now", what=paused))))


def _count_labels(counts: Mapping[str, int], words: Words) -> Iterable[tuple[str, str]]:
    yield words["forgotten_count"], str(counts["forgotten"])
    yield words["conversations"], str(counts["conversations"])
    if counts["vectors"]:
        share = counts["embedded"] / counts["vectors"]
        yield words["embedded"], words("of", share=share)


def open_state(runtime: Runtime, view: Selection) -> str:
    """Returns the key of the sentence on the state of memory, as `state_key`."""
    never = PauseState(is_writing_paused=is_never_remembered(runtime, view.chosen))
    return state_key(
        runtime.settings,
        by_words=model_view(runtime).stage is not ModelStage.READY,
        pause=pause_of_chat(runtime, view).joined(never),
        is_incognito=view.is_incognito,
    )


def pause_of_chat(runtime: Runtime, view: Selection) -> PauseState:
    """Returns the pauses of the open chat; none if they cannot be read, which the head reports."""
    with suppress(LongTermMemoryError):
        if view.chosen is not None and view.conversation:
            return runtime.pauses.get(view.chosen, view.conversation)
    return PauseState()


def is_never_remembered(runtime: Runtime, namespace: Namespace | None) -> bool:
    """Returns False if the mark cannot be read, which the head reports."""
    with suppress(LongTermMemoryError):
        return namespace is not None and runtime.pauses.is_never_remembered(namespace)
    return False

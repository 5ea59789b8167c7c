"""Saves plain choices at once, with Undo beside the message."""

from collections.abc import Mapping

from ....config.fields import nested
from ....config.schema import Settings
from ....domain.errors import ConfigError, LongTermMemoryError
from ....memory.factories import Models
from ....memory.model_loading import WORDS_ALONE
from ....memory.runtime import Runtime
from ....text.locales import Words
from ....text.problem_text import problem_text
from ..common.actions import button_html
from ..common.markup import escaped, failure, paragraph
from .basic_choices import values_before

UNDO = "undo_setting"
_NO_LLM = "no language model"  # begins the problem of a model that cannot be set up


def save(runtime: Runtime, changes: Mapping[str, object]) -> dict[str, object]:
    """Saves the changes and returns the values that undo them. Raises LongTermMemoryError."""
    before = values_before(changes, runtime.settings)
    runtime.save_settings(changes)
    return before


def undo(
    runtime: Runtime, before: Mapping[str, object], words: Words
) -> tuple[Mapping[str, object], str]:
    """Saves the values that undo a change; returns those to undo still, and a message as HTML."""
    if not before:
        return {}, ""
    try:
        runtime.save_settings(before)
    except LongTermMemoryError as exc:
        return before, failure(exc, words)
    return {}, paragraph(words["setting_undone"])


def saved_html(words: Words, *, field_id: str) -> str:
    """Returns the message after a change, with its Undo."""
    button = button_html(field_id, UNDO, words["undo_setting"])
    return f'<p class="ltm-row" role="status">{escaped(words["saved_plain"])} {button}</p>'


def refuse_problems(models: Models) -> None:
    """Raises ConfigError if the embedder could not be set up."""
    for problem in models.problems:
        if problem.startswith(WORDS_ALONE):
            raise ConfigError(problem.removeprefix(f"{WORDS_ALONE}: "))


def missing_model(runtime: Runtime, changes: Mapping[str, object], words: Words) -> str:
    """Returns why these settings leave background work without a language model, else ""."""
    models = runtime.build_models(with_changes(runtime.settings, changes))
    if models.background is not None:
        return ""
    found = [problem for problem in models.problems if problem.startswith(_NO_LLM)]
    reason = found[0].removeprefix(f"{_NO_LLM}: ") if found else ""
    return problem_text(reason, words) if reason else words["plain_facts_no_address"]


def with_changes(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Returns settings with these values by dotted key, unsaved. Raises ValueError."""
    values = settings.model_dump(mode="json")
    for name, value in nested(changes).items():
        values[name] = values[name] | value if isinstance(value, dict) else value
    return Settings.model_validate(values)

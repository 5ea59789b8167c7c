"""Saves plain choices at once, with Undo beside the message."""

from collections.abc import Mapping

from ....config.fields import nested
from ....config.schema import Settings
from ....domain.errors import ConfigError
from ....memory.factories import Models
from ....memory.model_loading import WORDS_ALONE
from ....memory.runtime import Runtime
from ....text.locales import Words
from ..common.actions import button_html
from ..common.status import escaped
from .basic_choices import values_before

UNDO = "undo_setting"


def save(runtime: Runtime, changes: Mapping[str, object]) -> dict[str, object]:
    """Saves the changes and returns the values that undo them. Raises LongTermMemoryError."""
    before = values_before(changes, runtime.settings)
    runtime.save_settings(changes)
    return before


def saved_html(words: Words, *, field_id: str) -> str:
    """Returns the message after a change, with its Undo."""
    button = button_html(field_id, UNDO, words["undo_setting"])
    return f'<p class="ltm-row" role="status">{escaped(words["saved_plain"])} {button}</p>'


def refuse_problems(models: Models) -> None:
    """Raises ConfigError if the embedder could not be set up."""
    for problem in models.problems:
        if problem.startswith(WORDS_ALONE):
            raise ConfigError(problem.removeprefix(f"{WORDS_ALONE}: "))


def with_changes(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Returns settings with these values by dotted key, unsaved. Raises ValueError."""
    values = settings.model_dump(mode="json")
    for name, value in nested(changes).items():
        values[name] = values[name] | value if isinstance(value, dict) else value
    return Settings.model_validate(values)

"""Finds out how a character's suggested questions are searched: by words, model, or vectors."""

from enum import StrEnum

from ...memory.runtime import Runtime
from ..tab.common.model_card import ModelStage, model_view
from ..tab.settings.basic_choices import ModelChoice, model_choice
from .session import Character
from .shipped_vectors import ShippedVectors


class SearchMethod(StrEnum):
    """The way in which suggested questions are searched; typed text has no shipped vectors."""

    WORDS = "by_words"
    MEANING = "by_meaning"
    SHIPPED_VECTORS = "suggestions_by_meaning"


def search_method(runtime: Runtime, character: Character) -> SearchMethod:
    """Returns the method by which this character's suggested questions are searched now."""
    if model_view(runtime).stage is not ModelStage.READY:
        return SearchMethod.WORDS
    if model_choice(runtime.settings) is not ModelChoice.DEMO:
        return SearchMethod.MEANING
    has_vector, asked = ShippedVectors().has, character.questions
    is_shipped = bool(asked) and all(map(has_vector, asked))
    return SearchMethod.SHIPPED_VECTORS if is_shipped else SearchMethod.WORDS

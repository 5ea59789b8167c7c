"""The card that offers, once, to let a language model write down facts in the background."""

from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ..common.actions import ActionField
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import card, failure, paragraph, row
from . import basic_choices, saving
from .basic_choices import Choice, FactsChoice

_ACCEPT, _DECLINE = "accept_facts", "decline_facts"
_MIN_MEMORIES = 30  # with fewer, questions in other words seldom miss one


class FactsOffer(Panel):
    """Shown while nobody has decided whether a language model may write, and one could.

    Both answers are saved as settings, so that the card never comes back.
    """

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._runtime = header.runtime
        self._actions = ActionField("ltm-facts-offer-action")
        self._card = gr.HTML(elem_id="ltm-facts-offer")
        self._outcome = gr.HTML(elem_id="ltm-facts-offer-outcome")
        self.outputs: list[Any] = [self._card]

    def wire(self, refresh: Refresh) -> None:
        refresh.after(self._actions.wire(self._header, self._act, [self._card, self._outcome]))

    def show(self, view: Selection) -> Updates:
        return [self._html(view)]

    def _html(self, view: Selection) -> str:
        if not self._is_due(view):
            return ""
        words = view.words
        llm = self._runtime.settings.llm
        text = words(
            f"offer_facts_{self._offered()}",
            minutes=basic_choices.whole_or_exact(llm.idle_minutes),
            address=llm.base_url,
        )
        accept = self._actions.button(_ACCEPT, words["offer_facts_accept"])
        decline = self._actions.button(_DECLINE, words["offer_facts_decline"])
        return card(words["offer_facts"], paragraph(text), row(accept, decline))

    def _is_due(self, view: Selection) -> bool:
        settings, memory = self._runtime.settings, self._runtime.memory
        is_decided = "enabled" in settings.consolidation.model_fields_set
        if is_decided or view.namespace is None or self._header.is_shared:
            return False
        if memory.counts(view.namespace)["live"] < _MIN_MEMORIES:
            return False
        changes = basic_choices.changes_of(Choice.FACTS, self._offered())
        model = self._runtime.build_models(saving.with_changes(settings, changes)).background
        return model is not None and bool(getattr(model, "is_loaded", True))

    def _offered(self) -> FactsChoice:
        return FactsChoice.SERVER if self._runtime.settings.llm.base_url else FactsChoice.HOST

    def _act(self, view: Selection, given: InputValues) -> Updates:
        action = self._actions.read(given)
        names = (_ACCEPT, _DECLINE)
        if action is None or action.name not in names or not self._is_due(view):
            return [gr.skip(), gr.skip()]
        option = self._offered() if action.name == _ACCEPT else FactsChoice.OFF
        try:
            saving.save(self._runtime, basic_choices.changes_of(Choice.FACTS, option))
        except LongTermMemoryError as exc:
            return [gr.skip(), failure(exc, view.words)]
        if action.name == _DECLINE:
            return ["", ""]
        return ["", paragraph(view.words["offer_facts_accepted"])]

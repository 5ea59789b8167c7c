"""The panel that chooses and tries the embedding model."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....memory.model_loading import try_embedder
from ....memory.runtime import Runtime
from ....providers.embedders.base import Embedder
from ....text.locales import Words
from ....text.problem_text import problem_text
from ..common.actions import ActionField
from ..common.gradio_compat import quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph
from ..common.model_card import ModelStage, model_view
from ..common.model_panel import retry
from . import basic_choices, saving
from .basic_choices import Choice, ModelChoice
from .settings_fields import setting_value

_FORM_KEYS = ("embedder.base_url", "embedder.model", "allow_remote")


class ModelPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._runtime = header.runtime
        put = header.labels.bind
        self._actions = ActionField("ltm-embedder-action")
        self._before = gr.State({})
        self._saved = gr.State(None)  # the saved settings that the widgets were last given
        self._choice = gr.Radio([], elem_id="ltm-plain-model", elem_classes="ltm-plain")
        with gr.Group(visible=False) as self._form:
            with gr.Row():
                address = gr.Textbox(max_lines=1, elem_id="ltm-embedder-address")
                self._address = put(address, "label", "model_address")
                name = gr.Textbox(max_lines=1, elem_id="ltm-embedder-name")
                self._name = put(name, "label", "model_name")
                key = gr.Textbox(max_lines=1, type="password", elem_id="ltm-embedder-key")
                self._key = put(key, "label", "model_key")
            self._remote = put(gr.Checkbox(elem_id="ltm-embedder-remote"), "label", "model_remote")
        with gr.Row():
            small = partial(header.button, scale=0, min_width=140)
            self._test = small("model_test", "ltm-embedder-test")
            self._again = small("model_retry", "ltm-embedder-retry", is_visible=False)
            self._use = small("model_use", "ltm-embedder-use", variant="primary", is_visible=False)
        self._message = gr.HTML(elem_id="ltm-embedder-said")
        self._fields = [self._address, self._name, self._key, self._remote]
        self.outputs = [self._choice, self._form, *self._fields]
        self.outputs += [self._test, self._again, self._use, self._saved]
        header.remember(self._saved)

    def wire(self, refresh: Refresh) -> None:
        on, given = self._header.on, (self._choice, self._before, *self._fields)
        saved = [self._before, self._message, self._form, self._test, self._use]
        chosen = on(self._choice.input, self._choose, saved, *given, **quiet())
        used = on(self._use.click, self._use_server, saved, *given)
        undone = self._actions.wire(self._header, self._undo, saved, self._before)
        on(self._test.click, self._try_model, self._message, *given)
        again = on(self._again.click, self._retry, self._message)
        for done in (undone, again):
            refresh.after(done)
        for done in (chosen, used):
            shown = on(done.then, self._show_choice, self.outputs, *given, **quiet())
            refresh.after(shown)  # again, since a model may be ready in between

    def show(self, view: Selection) -> Updates:
        """Updates the widgets; the last message stays.

        A refresh keeps what is chosen or typed until the saved settings change.
        """
        settings = self._runtime.settings
        option = basic_choices.model_choice(settings)
        saved = (option, *(setting_value(settings, key) for key in _FORM_KEYS))
        is_failed = model_view(self._runtime).stage is ModelStage.FAILED
        again, radio = gr.update(visible=is_failed), self._radio(option, view.words)
        if view.is_refresh and view.page.get(self._saved) == saved:
            form = [gr.skip() for _ in (self._form, *self._fields, self._test)]
            return [gr.update(**radio), *form, again, gr.skip(), saved]
        is_server = option is ModelChoice.SERVER
        return [
            gr.update(value=option, **radio),
            gr.update(visible=is_server),
            *self._form_values(is_server=is_server),
            gr.update(visible=option is not ModelChoice.WORDS),
            again,
            gr.update(visible=is_server and not self._is_fixed()),
            saved,
        ]

    def _form_values(self, *, is_server: bool) -> Updates:
        found, may_change = self._runtime.settings, not self._is_fixed()
        model = found.embedder.model if is_server else ""
        values = (found.embedder.base_url, model, "", found.allow_remote)
        return [gr.update(value=value, interactive=may_change) for value in values]

    def _show_choice(self, view: Selection, given: InputValues) -> Updates:
        """Shows the saved state; the form of a server stays until its values are saved."""
        if given[self._choice] == ModelChoice.SERVER and not given[self._before]:
            return [gr.skip() for _ in self.outputs]
        return self.show(view)

    def _radio(self, option: ModelChoice, words: Words) -> dict[str, Any]:
        """Returns the properties of the radio buttons other than their value."""
        offered = basic_choices.options(Choice.MODEL)
        if option not in offered:
            offered.append(option)
        elsewhere = basic_choices.overriding_sources(Choice.MODEL, self._runtime.installation)
        info = [
            basic_choices.effect(Choice.MODEL, self._runtime.settings, words),
            words(f"model_state_{model_view(self._runtime).state}"),
        ]
        info += [words("elsewhere", where=words["list_comma"].join(elsewhere))] if elsewhere else []
        return {
            "choices": [(words[f"plain_model_{name}"], name) for name in offered],
            "label": words["plain_model"],
            "info": words["sentence_gap"].join(info),
            "interactive": not self._is_fixed(),
        }

    def _is_fixed(self) -> bool:
        if self._header.is_shared:
            return True
        return bool(basic_choices.overriding_sources(Choice.MODEL, self._runtime.installation))

    def _choose(self, view: Selection, given: InputValues) -> Updates:
        """Saves the choice; for a server, only shows its form."""
        words, option = view.words, given[self._choice]
        if option == ModelChoice.SERVER:
            opened = gr.update(visible=True)
            return [{}, paragraph(words["model_fill_in"]), opened, opened, opened]
        is_known = option in basic_choices.options(Choice.MODEL)
        # Gradio 4 also reports values that the page itself has set.
        if not is_known or option == basic_choices.model_choice(self._runtime.settings):
            return [gr.skip(), gr.skip(), *_unchanged()]
        return self._save(dict(basic_choices.changes_of(Choice.MODEL, option)), words)

    def _use_server(self, view: Selection, given: InputValues) -> Updates:
        return self._save(self._server_settings(given), view.words)

    def _server_settings(self, given: InputValues) -> dict[str, object]:
        """Returns the settings of the form; an empty key keeps the current one."""
        key = str(given[self._key] or "").strip()
        return {
            "embedder.kind": "openai",
            "embedder.base_url": str(given[self._address] or "").strip(),
            "embedder.model": str(given[self._name] or "").strip(),
            "allow_remote": bool(given[self._remote]),
            **({"embedder.api_key": key} if key else {}),
        }

    def _save(self, changes: dict[str, object], words: Words) -> Updates:
        if self._is_fixed():
            return [{}, paragraph(words["shared_page"]), *_unchanged()]
        try:
            self._check(changes)
            before = saving.save(self._runtime, changes)
        except (LongTermMemoryError, ValueError) as exc:
            text = words("setting_refused", reason=problem_text(str(exc), words))
            return [{}, paragraph(text), *_unchanged()]
        said = saving.saved_html(words, field_id=self._actions.elem_id)
        return [before, said, *_unchanged()]

    def _check(self, changes: dict[str, object]) -> None:
        """Raises ConfigError if the models of these settings cannot be set up."""
        settings = saving.with_changes(self._runtime.settings, changes)
        saving.refuse_problems(self._runtime.build_models(settings))

    def _undo(self, view: Selection, given: InputValues) -> Updates:
        words = view.words
        before = {} if self._is_fixed() else given[self._before]
        return [*saving.undo(self._runtime, before, words), *_unchanged()]

    def _try_model(self, view: Selection, given: InputValues) -> Iterator[str]:
        words = view.words
        if self._header.is_shared:
            yield paragraph(words["shared_page"])
            return
        yield paragraph(words["model_testing"])
        yield paragraph(self._trial(given, words))

    def _trial(self, given: InputValues, words: Words) -> str:
        try:
            if given[self._choice] != ModelChoice.SERVER:
                return try_current_model(self._runtime, words)
            settings = saving.with_changes(self._runtime.settings, self._server_settings(given))
            if settings == self._runtime.settings:
                return try_current_model(self._runtime, words)
            models = self._runtime.build_models(settings)
            saving.refuse_problems(models)
            return _try(models.embedder, words)
        except (LongTermMemoryError, ValueError) as exc:
            return words("model_test_failed", reason=problem_text(str(exc), words))

    def _retry(self, view: Selection, given: InputValues) -> Iterator[str]:
        for state in retry(self._runtime):
            yield paragraph(view.words(f"model_state_{state.stage}"))


def try_current_model(runtime: Runtime, words: Words) -> str:
    """Returns the result of a trial of the current model, without waiting for a download."""
    if model_view(runtime).stage is ModelStage.LOADING:
        return words["model_state_loading"]
    return _try(runtime.memory.embedder, words)


def _try(embedder: Embedder | None, words: Words) -> str:
    if embedder is None:
        return words["model_state_none"]
    found = try_embedder(embedder)
    key = "model_test_passed" if found.understands else "model_test_poor"
    return words(key, ms=f"{found.ms:.0f}", dim=found.dim)


def _unchanged() -> Updates:
    """Returns updates that leave the form, Test and Use as they are."""
    return [gr.skip() for _ in range(3)]

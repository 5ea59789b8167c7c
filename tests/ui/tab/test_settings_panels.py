"""Panels of the settings show only what can be used."""

import asyncio
from functools import partial
from types import SimpleNamespace

import gradio as gr
import pytest

from memory_core.admin.administration import Administration
from memory_core.admin.names import add_alias
from memory_core.config.schema import Settings
from memory_core.domain.namespaces import Namespace
from memory_core.storage.pauses import PauseState
from memory_core.ui.tab.common.header import Labels, Selection, TabHeader
from memory_core.ui.tab.settings import settings_fields
from memory_core.ui.tab.settings.advanced import AdvancedPanel
from memory_core.ui.tab.settings.danger import DangerPanel
from memory_core.ui.tab.settings.names import NamesPanel
from memory_core.ui.tab.settings.pauses import PausesPanel
from memory_core.ui.tab.settings.plain import FACTS, RECALLED, PlainPanel
from memory_core.ui.tab.settings.work import WorkPanel
from tests.host.plain_host import PlainHost, hooks_in

MIRA, MINA = Namespace("default", "Mira"), Namespace("default", "Mina")


def visibilities(hooks, panel_class):
    """Returns what the panel says about each part that may be hidden, in their order."""
    parts = asyncio.run(_parts(hooks, panel_class))
    return [update["visible"] for part, update in parts if isinstance(part, gr.Column)]


async def _parts(hooks, panel_class):
    """Builds the panel in a running loop: Gradio would make one of its own and leave it open."""
    with gr.Blocks():
        header = TabHeader(Administration(hooks), Labels("en"))
        panel = panel_class(header)
    updates = panel.show(Selection(language="en", chosen=MIRA, visible=(MIRA,)))
    return list(zip(panel.outputs, updates, strict=True))


@pytest.mark.parametrize(("when", "is_shown"), [("at_once", False), ("next_session", True)])
def test_reload_is_offered_where_new_memories_wait_for_a_session(tmp_path, when, is_shown):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path), {"recall": {"visible": when}})
    assert visibilities(hooks, DangerPanel) == [is_shown]


def test_other_names_are_shown_once_there_are_some(tmp_path):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    assert visibilities(hooks, NamesPanel) == [False]
    add_alias(hooks.runtime.memory, MINA, MIRA)
    assert visibilities(hooks, NamesPanel) == [True]


def test_resuming_all_chats_is_offered_once_one_is_paused(tmp_path):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    offered = []
    for is_paused in (False, True):
        pause = PauseState(is_recall_paused=is_paused)
        hooks.runtime.pauses.set_pause(MIRA, "monday", pause)
        parts = asyncio.run(_parts(hooks, PausesPanel))
        offered += [update["visible"] for part, update in parts if isinstance(part, gr.Button)]
    assert offered == [False, True]


@pytest.mark.parametrize("is_shared", [False, True])
def test_choices_on_a_page_of_several_people_are_fixed_and_say_so_once(tmp_path, is_shared):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    hooks.host.multi_user = is_shared
    parts = asyncio.run(_parts(hooks, partial(PlainPanel, group="recalled", choices=RECALLED)))
    radios = [update for _, update in parts]
    assert [radio["interactive"] for radio in radios] == [not is_shared] * len(RECALLED)
    told = ["Several people share this page" in radio["info"] for radio in radios]
    assert told == [is_shared, False, False]


@pytest.mark.parametrize("is_shared", [False, True])
def test_work_is_begun_and_paused_only_where_one_person_sees_the_page(tmp_path, is_shared):
    settings = {"consolidation": {"enabled": True}, "llm": {"base_url": "http://127.0.0.1:9/v1"}}
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path), settings)
    hooks.host.multi_user = is_shared
    _, now, pause = (update for _, update in asyncio.run(_parts(hooks, WorkPanel)))
    assert (now["visible"], pause["visible"]) == (not is_shared, not is_shared)


HOST_IS_CHOSEN = {"consolidation": {"enabled": True}, "llm": {"kind": "host"}}


@pytest.mark.parametrize(
    ("host_model", "config", "is_offered"),
    [
        (None, {}, False),
        (SimpleNamespace(is_loaded=True), {}, True),
        (None, HOST_IS_CHOSEN, True),  # what is chosen is shown, even if it cannot work
    ],
)
def test_model_of_the_host_is_offered_only_where_there_is_a_host(
    tmp_path, host_model, config, is_offered
):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path), config, host_model=host_model)
    [(_, radio)] = asyncio.run(_parts(hooks, partial(PlainPanel, group="facts", choices=FACTS)))
    names = [name for name, _ in radio["choices"]]
    assert names == [*(["The model loaded here"] if is_offered else []), "My own server", "No"]


async def _advanced_panel(hooks):
    with gr.Blocks():
        return AdvancedPanel(TabHeader(Administration(hooks), Labels("en")))


def test_refused_save_replaces_the_reason_that_a_setting_showed_before(tmp_path):
    panel = asyncio.run(_advanced_panel(hooks_in(tmp_path, PlainHost(tmp_path))))
    key = "ltm_context.max_tokens"
    index = [field.key for field in panel._fields].index(key)
    values = settings_fields.widget_values(Settings(), panel._fields)
    sent = {field.key: value for field, value in zip(panel._fields, values, strict=True)}
    given = dict(zip(panel._widgets, values, strict=True))
    given |= {panel._sent: sent, panel._warned_changes: {}, panel._refused: (key,)}
    given[panel._widgets[index]] = None
    view = Selection(language="en", chosen=MIRA, visible=(MIRA,))
    updates = dict(zip(panel.outputs, panel._save_changes(view, given), strict=True))
    assert "This cannot be empty" in updates[panel._widgets[index]]["info"]
    assert updates[panel._refused] == (key,)

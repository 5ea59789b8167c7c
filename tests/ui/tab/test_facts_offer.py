"""Tests of the card that offers to let a language model write down facts."""

import asyncio
import json
from types import SimpleNamespace

import gradio as gr
import pytest

from memory_core.admin.administration import Administration
from memory_core.domain.namespaces import Namespace
from memory_core.ui.tab.common.header import Labels, Refresh, Selection, TabHeader
from memory_core.ui.tab.common.visible_namespaces import namespace_key
from memory_core.ui.tab.settings.facts_offer import FactsOffer
from tests.builders import said
from tests.host.plain_host import PlainHost, hooks_in

MIRA = Namespace("default", "Mira")
SERVER = {"llm": {"base_url": "http://127.0.0.1:9/v1"}}


@pytest.fixture
def make_offer(tmp_path):
    def make(config=SERVER, memories=30, is_shared=False, host_model=None):
        hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path), config, host_model=host_model)
        hooks.host.multi_user = is_shared
        for number in range(memories):
            hooks.runtime.memory.remember(MIRA, "chat", said(f"Fact number {number}"))
        return asyncio.run(_built(hooks))

    return make


async def _built(hooks):
    """Builds the panel in a running loop: Gradio would make one of its own and leave it open."""
    with gr.Blocks():
        header = TabHeader(Administration(hooks), Labels("en"))
        panel = FactsOffer(header)
        panel.wire(Refresh(show=lambda *_: [], inputs=header.inputs(), outputs=[]))
    return SimpleNamespace(header=header, panel=panel, hooks=hooks)


def card(offer):
    [html] = offer.panel.show(Selection(language="en", chosen=MIRA, visible=(MIRA,)))
    return html


def click(offer, name):
    header = offer.header
    given = {part: getattr(part, "value", None) for part in header.inputs()}
    given[header.namespace_choice] = namespace_key(MIRA)
    given[header.language] = "en"
    given[offer.panel._actions.box] = json.dumps({"name": name, "values": {}, "ticked": []})
    return offer.panel._act(header.read_selection(given, gr.Request()), given)


def test_offer_names_the_server_once_there_are_thirty_memories(make_offer):
    assert "http://127.0.0.1:9/v1" in card(make_offer())


def test_offer_of_the_hosts_model_tells_when_it_begins(make_offer):
    shown = card(make_offer(config={}, host_model=SimpleNamespace(is_loaded=True)))
    assert "The loaded model can write down facts" in shown
    assert "10 minutes" in shown


@pytest.mark.parametrize(
    "other",
    [
        {"memories": 29},
        {"is_shared": True},
        {"config": {}},  # neither a server nor a host with models
        {"config": {}, "host_model": SimpleNamespace(is_loaded=False)},
        {"config": {**SERVER, "consolidation": {"enabled": False}}},
        {"config": {**SERVER, "consolidation": {"enabled": True}}},
    ],
)
def test_offer_is_hidden_where_it_is_of_no_use_or_decided(make_offer, other):
    assert card(make_offer(**other)) == ""


def test_accepting_the_offer_switches_the_work_on_and_hides_the_card(make_offer):
    offer = make_offer()
    updates = click(offer, "accept_facts")
    assert updates[0] == ""
    assert "It is on." in updates[1]
    assert offer.hooks.runtime.settings.consolidation.enabled
    assert card(offer) == ""


def test_declining_the_offer_is_saved_and_hides_the_card_for_good(make_offer):
    offer = make_offer()
    assert click(offer, "decline_facts") == ["", ""]
    assert not offer.hooks.runtime.settings.consolidation.enabled
    saved = json.loads(offer.hooks.runtime.installation.config_path.read_text())
    assert saved["consolidation"] == {"enabled": False}
    assert card(offer) == ""

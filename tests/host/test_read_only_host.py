"""Unknown hosts: memories are recalled, nothing is stored, and a problem is reported."""

import copy
from dataclasses import dataclass
from typing import Any

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from tests.host.plain_host import PlainHost, api_state, history_of, hooks_in, page_state

MIRA = Namespace("default", "Mira")
ANA = Namespace("api:ana", "Mira")
FACT = Exchange(user="My sister Helena keeps bees in Porto", assistant="Nice!", ts=1_790_000_000.0)
QUESTION = "What does Helena keep in Porto?"
TURNS = {"turns": [{"by": "user", "text": "hi"}, {"by": "model", "text": "hello"}]}


@dataclass
class OtherHost(PlainHost):
    """A host whose chats are lists of turns; a `reason` declares it unknown at once."""

    reason: str = ""

    def unknown(self) -> str:
        return self.reason

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        if "turns" not in history:
            return super().build_prompt(user_input, state, history=history, continuing=continuing)
        lines = [f"{turn['by']}: {turn['text']}" for turn in history["turns"]]
        return "\n".join([state["context"], *lines, f"user: {user_input}"])


@pytest.fixture
def host(tmp_path):
    return OtherHost(tmp_path)


@pytest.fixture
def hooks(tmp_path, host):
    hooks = hooks_in(tmp_path / "home", host)
    for namespace in (MIRA, ANA):
        hooks.runtime.memory.remember(namespace, page_state()["unique_id"], FACT)
    return hooks


def say(hooks, text, state, history, **others):
    """Runs a whole turn by the hooks, including all writing."""
    prompt = hooks.custom_generate_chat_prompt(text, state, history=history, **others)
    hooks.output_modifier("Bees.", state, is_chat=True)
    hooks.runtime.run_pending()
    hooks.synchronizer.poll()
    return prompt


def live(hooks, namespace):
    return hooks.runtime.memory.counts(namespace)["live"]


@pytest.mark.parametrize(("state", "namespace"), [(page_state, MIRA), (api_state, ANA)])
def test_chat_of_unknown_structure_gets_memories_and_is_not_stored(hooks, state, namespace):
    history = copy.deepcopy(TURNS)
    prompt = say(hooks, QUESTION, state(), history)
    assert "keeps bees" in prompt
    assert "user: hi\nmodel: hello\n" in prompt
    assert history == TURNS
    assert live(hooks, namespace) == 1
    assert any("none of its messages are saved" in problem for problem in hooks.runtime.problems())


def test_chats_of_known_structure_are_stored_again_without_a_report(hooks):
    say(hooks, QUESTION, api_state(), TURNS)
    say(hooks, QUESTION, api_state(), history_of(("hi", "hello")))
    assert live(hooks, ANA) == 3
    assert hooks.runtime.problems() == []


def test_chat_of_unknown_mode_gets_memories_and_is_not_stored(hooks):
    prompt = say(hooks, QUESTION, api_state(mode="story"), history_of(("hi", "hello")))
    assert "keeps bees" in prompt
    assert live(hooks, ANA) == 1


def test_continuing_an_unreadable_chat_leaves_its_prompt_unchanged(hooks):
    prompt = say(hooks, QUESTION, api_state(), TURNS, _continue=True)
    assert prompt.endswith("hello\nuser: " + QUESTION)
    assert live(hooks, ANA) == 1


def test_unknown_host_is_not_stored_even_if_its_chats_look_familiar(hooks, host):
    host.reason = "this host saves its chats elsewhere"
    prompt = say(hooks, QUESTION, api_state(), history_of(("hi", "hello")))
    assert "keeps bees" in prompt
    assert live(hooks, ANA) == 1
    (problem,) = hooks.runtime.problems()
    assert problem.startswith(host.reason)


@pytest.mark.parametrize(
    ("text", "state", "others"),
    [
        (QUESTION, page_state(), {"also_return_rows": True}),
        ([{"role": "user", "content": QUESTION}], page_state(), {}),
        (QUESTION, None, {}),
    ],
)
def test_unknown_hook_arguments_leave_the_prompt_to_the_host(hooks, text, state, others):
    prompt = hooks.custom_generate_chat_prompt(text, state, history=history_of(), **others)
    assert prompt is None
    (problem,) = hooks.runtime.problems()
    assert problem.startswith("no memories reach this host's prompts")


def test_empty_extra_hook_arguments_do_not_matter(hooks):
    prompt = say(hooks, QUESTION, api_state(), history_of(), also_return_rows=False)
    assert "keeps bees" in prompt
    assert live(hooks, ANA) == 2

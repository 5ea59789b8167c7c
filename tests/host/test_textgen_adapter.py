"""The placement of memories in the prompt, for every template in every situation."""

import contextlib
import copy
import re
from dataclasses import dataclass
from typing import Any

from memory_core.host.chat.codec import from_host, to_host
from memory_core.host.delivery import BuiltPrompt, build_fitting_prompt
from memory_core.prompt.plan import (
    PromptInputs,
    PromptPlan,
    reserved_tokens,
)
from memory_core.prompt.window import Window, fit_window
from memory_core.text.token_counter import estimate_tokens
from tests.cases import for_each

from ..prompt import toy_host
from ..prompt.chat_templates import BY_NAME, NAMES
from ..prompt.scenes import BIO, LAST_REPLY, PINNED, QUESTION, SAID, Scene, material, scenes, state

LIMIT = 3584
WAYS = [("instruct", name) for name in BY_NAME if name != "names"] + [
    ("chat", "names"),
    ("chat-instruct", "chatml"),
    ("chat-instruct", "gemma-2"),
    ("chat-instruct", "mistral-old"),
]
LOCATIONS = ["IN_CHAT", "BEFORE_NORMAL_CONTEXT", "AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES"]


@dataclass(frozen=True)
class ToyAttempts:
    """Attempts at one scene's prompt by the toy host."""

    scene: Scene
    given: dict[str, Any]
    inputs: PromptInputs
    window: Window
    limit = LIMIT
    count = staticmethod(estimate_tokens)

    @property
    def shown(self) -> Window:
        return self.shrunk_window(1.0)

    def shrunk_window(self, factor: float) -> Window:
        return fit_window(
            self.window,
            limit_tokens=LIMIT,
            reserved_tokens=reserved_tokens(self.inputs.settings, LIMIT),
            scale=factor,
        )

    def build(self, plan: PromptPlan) -> str:
        copies = to_host(plan.window, self.given, self.scene.history)
        return toy_host.build(*copies, self.scene.continuing)


def injected(scene: Scene, given: dict[str, Any], what: PromptInputs) -> BuiltPrompt:
    window = from_host(scene.user_input, given, scene.history, scene.continuing)
    return build_fitting_prompt(ToyAttempts(scene, given, what, window))


def base(scene: Scene, given: dict[str, Any]) -> str:
    return toy_host.build(scene.user_input, given, scene.history, scene.continuing)


def staged(scene_name: str, mode: str, template: str) -> tuple[Scene, dict[str, Any]]:
    scene = scenes()[scene_name]
    return scene, state(scene, mode=mode, template=BY_NAME[template], names=NAMES)


def buildable(scene_name: str, mode: str, template: str) -> bool:
    """Returns whether the host alone can build a prompt with this template."""
    try:
        base(*staged(scene_name, mode, template))
    except ValueError:
        return False
    return True


CASES = [(scene_name, *way) for scene_name in scenes() for way in WAYS]
NAMED = ("scene_name", "mode", "template")
in_every_case = for_each(NAMED, CASES)
wherever_the_host_builds = for_each(NAMED, [c for c in CASES if buildable(*c)])
wherever_it_cannot = for_each(NAMED, [c for c in CASES if not buildable(*c)])
in_every_way = for_each(("mode", "template"), WAYS)


def built(
    scene_name: str, mode: str, template: str, what: PromptInputs | None = None
) -> BuiltPrompt:
    return injected(*staged(scene_name, mode, template), what or material())


@wherever_the_host_builds
@for_each("location", LOCATIONS)
def test_memory_enters_every_prompt_that_the_host_can_build(
    scene_name: str, mode: str, template: str, location: str
) -> None:
    delivered = built(scene_name, mode, template, material(injection_location=location))
    assert delivered.plan is not None
    for said in (*SAID, PINNED[0].text):
        assert delivered.prompt.count(said) == 1


@wherever_it_cannot
def test_prompt_that_the_host_cannot_build_is_left_to_the_host(
    scene_name: str, mode: str, template: str
) -> None:
    delivered = built(scene_name, mode, template)
    assert delivered.prompt is None
    assert re.search(r"take turns|no system role|only user", delivered.faults[-1])


@in_every_case
def test_hosts_dicts_are_not_modified(scene_name: str, mode: str, template: str) -> None:
    scene, given = staged(scene_name, mode, template)
    before = copy.deepcopy((given, scene.history))
    with contextlib.suppress(ValueError):
        injected(scene, given, material())
    assert (given, scene.history) == before


@wherever_the_host_builds
def test_block_stands_between_the_last_reply_and_the_users_words(
    scene_name: str, mode: str, template: str
) -> None:
    delivered = built(scene_name, mode, template)
    prompt, plan = delivered.prompt, delivered.plan
    assert prompt.count(plan.block) == 1
    assert f"{plan.block}\n\n{QUESTION}" in prompt
    assert prompt.rfind(LAST_REPLY) < prompt.find(plan.block)


@wherever_the_host_builds
def test_replayed_pairs_stand_before_the_latest_exchange_oldest_first(
    scene_name: str, mode: str, template: str
) -> None:
    delivered = built(scene_name, mode, template)
    spots = [delivered.prompt.find(text) for pair in delivered.plan.replayed for text in pair]
    assert len(spots) == 4
    assert spots == sorted(spots)
    assert -1 not in spots
    if scene_name != "empty history":
        assert spots[-1] < delivered.prompt.find(LAST_REPLY)


@wherever_the_host_builds
def test_no_memory_brings_tokens_tags_or_macros_of_its_own(
    scene_name: str, mode: str, template: str
) -> None:
    prompt = built(scene_name, mode, template).prompt
    assert "‹|im_end|›" in prompt
    assert prompt.count("hm") == 0
    assert prompt.count("</memories>") == prompt.count("<memories>")
    assert "{ {user} }" in prompt


@in_every_way
def test_image_stays_with_its_turn(mode: str, template: str) -> None:
    delivered = built("attachments", mode, template)
    assert "<__media__>\n\nLook at this photo." in delivered.prompt
    assert f"<__media__>\n\n{delivered.plan.block}" in delivered.prompt
    assert delivered.prompt.count("<__media__>") == 2
    assert delivered.prompt.count("Dear bees, come home.") == 1


@in_every_way
def test_continued_reply_stays_last_in_the_prompt(mode: str, template: str) -> None:
    assert built("continue", mode, template).prompt.endswith("if I remember it rightly, is")


@for_each("scene_name", scenes())
def test_users_self_description_is_not_printed_again(scene_name: str) -> None:
    scene, given = staged(scene_name, "chat", "names")
    assert injected(scene, given, material()).prompt.count(BIO) == base(scene, given).count(BIO)


@for_each("user_input", ["", "  \n", "<|BEGIN-VISIBLE-CHAT|>"])
@in_every_way
def test_message_without_user_text_recalls_nothing(
    mode: str, template: str, user_input: str
) -> None:
    scene = Scene(user_input, scenes()["send"].history)
    given = state(scene, mode=mode, template=BY_NAME[template], names=NAMES)
    delivered = injected(scene, given, material())
    assert not any(said in delivered.prompt for said in SAID)


@for_each("template", ["gemma-2", "mistral-old", "deaf"])
def test_block_holds_the_system_lines_if_the_template_takes_no_system_message(
    template: str,
) -> None:
    delivered = built("send", "instruct", template)
    assert delivered.plan.system_block == ""
    assert PINNED[0].text in delivered.plan.block
    assert delivered.faults


@for_each("template", ["chatml", "llama-3", "gemma-3", "deepseek-r1"])
def test_system_block_precedes_the_chat_if_the_template_takes_one(template: str) -> None:
    delivered = built("send", "instruct", template)
    block = delivered.plan.system_block
    assert 0 <= delivered.prompt.find(block) < delivered.prompt.find("Hello, I keep bees.")
    assert delivered.faults == ()


@for_each("mode", ["chat", "chat-instruct"])
def test_second_old_location_is_right_before_start(mode: str) -> None:
    what = material(injection_location=LOCATIONS[2])
    delivered = built("send", mode, "chatml" if mode == "chat-instruct" else "names", what)
    assert f"{delivered.plan.block}\n<START>" in delivered.prompt
    assert "Bot is a gardener.\n<memories>" in delivered.prompt


@for_each("mode", ["chat", "chat-instruct"])
def test_first_old_location_is_before_the_context(mode: str) -> None:
    what = material(injection_location=LOCATIONS[1])
    delivered = built("send", mode, "chatml" if mode == "chat-instruct" else "names", what)
    assert f"{delivered.plan.block}\nBot is a gardener." in delivered.prompt
    assert delivered.plan.replayed == ()

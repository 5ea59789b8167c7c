"""Old facts, asked for in long messages whose other sentences repeat earlier ones."""

import pytest

from tests.host.plain_host import PlainHost, history_of, hooks_in, page_state

NAMES = ("canal", "lantern", "garden", "violin", "pepper", "marble", "kitchen", "timber", "saddle")
CHATTER = (
    "We walked along the {} for an hour and then turned back. It was colder than last week. "
    "Somebody had left a chair there, and nobody knew whose it was."
)
REASON = (
    " I would like to know since on the way to the station my uncle asked all of us about it, "
    "and of course nobody could say a word. He leaves again soon. Think about it for a moment."
)
ZH_CHATTER = "我们沿着{}走了一个小时，然后又回来了。天气比上个星期冷。有人把椅子忘在那里。"
ZH_REASON = (
    "我想知道，因为在去车站的路上叔叔问了我们大家，当然谁也答不上来。他马上又要走了。请慢慢想。"
)


class Talker:
    """One long chat in a small window; every message is stored at once."""

    def __init__(self, folder, tokens_per_char):
        self.hooks = hooks_in(folder, PlainHost(folder, tokens_per_char=tokens_per_char))
        self.rows = []

    def say(self, text):
        history = history_of(*self.rows)
        state = page_state(
            unique_id=None, user="ana", history=history, truncation_length=2048, max_new_tokens=24
        )
        del state["unique_id"]
        prompt = self.hooks.custom_generate_chat_prompt(text, state, history=history)
        self.hooks.output_modifier(answer := f"Noted, {len(self.rows)}.", state, is_chat=True)
        self.hooks.runtime.run_pending()
        self.rows.append((text, answer))
        return prompt


@pytest.fixture(
    params=[0.25, pytest.param(0.6, marks=pytest.mark.slow)], ids=["plain tokens", "dense tokens"]
)
def talker(tmp_path, request):
    return Talker(tmp_path, request.param)


def test_question_among_other_sentences_recalls_its_answer(talker):
    talker.say("The boat in our shed is called Halcyon.")
    for turn in range(30):
        talker.say(CHATTER.format(NAMES[turn % len(NAMES)]) + f" Day {turn}.")
    talker.say("How many steps has the tower?" + REASON)
    for turn in range(30, 50):
        talker.say(CHATTER.format(NAMES[turn % len(NAMES)]) + f" Day {turn}.")
    prompt = talker.say("What is the name of the boat in our shed?" + REASON)
    assert "Halcyon" in prompt


def test_chinese_question_among_other_sentences_recalls_its_answer(talker):
    talker.say("仓库里的那条船叫海燕。")
    for turn in range(60):
        talker.say(ZH_CHATTER.format(f"运河{turn}"))
    talker.say("塔有多少级台阶？" + ZH_REASON)
    for turn in range(60, 80):
        talker.say(ZH_CHATTER.format(f"运河{turn}"))
    assert "海燕" in talker.say("仓库里的那条船叫什么名字？" + ZH_REASON)

"""Commands to the memory are distinguished from ordinary conversation."""

import time

import pytest

from memory_core.text.commands.parser import (
    CommandKind,
    PauseTarget,
    is_command_message,
    parse_command,
    parse_slash_command,
    pause_target,
    refers_to_all,
    refers_to_last,
    strip_command,
)
from tests.cases import for_each
from tests.in_time import within

REMEMBERED = {
    "/remember my cat is Tom": "my cat is Tom",
    "/remember that my cat is Tom": "my cat is Tom",
    "/Remember: my cat is Tom": "my cat is Tom",
    "  /remember my cat is Tom\nand my dog is Rex": "my cat is Tom\nand my dog is Rex",
    "／remember my cat is Tom": "my cat is Tom",
    "/记住 我的猫叫汤姆": "我的猫叫汤姆",
    "/记住我的猫叫汤姆": "我的猫叫汤姆",
    "/記住：我對花生過敏": "我對花生過敏",
    "/remember 我的猫叫汤姆": "我的猫叫汤姆",
    "Remember that I am allergic to nuts.": "I am allergic to nuts.",
    "remember that my sister lives in Porto": "my sister lives in Porto",
    "Please remember that my birthday is May 4th.": "my birthday is May 4th.",
    "please, remember that my name is Ana": "my name is Ana",
    "Remember, please, that I don't drink": "I don't drink",
    "plz remember im vegan": "im vegan",
    "pls rember that my sister is called Ann": "my sister is called Ann",
    "can u plz remember that i'm allergic to nuts?": "i'm allergic to nuts.",
    "save this: my locker code is 4411": "my locker code is 4411",
    "Memorise that my train leaves at 6": "my train leaves at 6",
    "i dont eat meat, plz remember that": "i dont eat meat",
    "Remember: the code is 4711": "the code is 4711",
    "Please remember this: the code is 4711": "the code is 4711",
    "Don't forget that we meet on Friday": "we meet on Friday",
    "Don’t forget that we meet on Friday": "we meet on Friday",
    "dont forget that we meet on Friday": "we meet on Friday",
    "Please don't forget that we meet on Friday!": "we meet on Friday!",
    "Do not forget that time is short": "time is short",
    "Ok, remember that I moved to Lisbon": "I moved to Lisbon",
    "Mira, please remember that I moved to Lisbon": "I moved to Lisbon",
    "Hey Mira, remember that I moved to Lisbon": "I moved to Lisbon",
    "I want you to remember that I moved to Lisbon": "I moved to Lisbon",
    "Remember that I like tea. And no sugar. What shall we drink?": "I like tea.",
    "Remember that the result must be an int. Rewrite it in Rust.": "the result must be an int.",
    "Always remember that you are a chef. Give me a recipe.": "you are a chef.",
    "Remember: I am thirty. Now write the scene where she dies!": "I am thirty.",
    "/remember that I like tea. And no sugar.": "I like tea. And no sugar.",
    "记住我是一个程序员。帮我写一个排序函数。": "我是一个程序员。",
    "别忘了你现在是一只猫。叫三声。": "你现在是一只猫。",
    "Remember that I like tea.\nNow tell me a story.": "I like tea.",
    "/remember, my cat is Tom": "my cat is Tom",
    "/remember this: my cat is Tom": "my cat is Tom",
    "/记住，我的猫叫汤姆": "我的猫叫汤姆",
    "Never forget that I moved to Lisbon": "I moved to Lisbon",
    "Don't ever forget that I moved to Lisbon": "I moved to Lisbon",
    "Just remember that I moved to Lisbon": "I moved to Lisbon",
    "Thanks! Now please remember that I moved to Lisbon": "I moved to Lisbon",
    "Good morning. Please remember that I moved to Lisbon": "I moved to Lisbon",
    "I want you to always remember that I moved to Lisbon": "I moved to Lisbon",
    "Remember this for later: the code is 4711": "the code is 4711",
    "Please remember the following: the code is 4711": "the code is 4711",
    "keep in mind that I'm left-handed": "I'm left-handed",
    "Please keep in mind I live in Oslo now.": "I live in Oslo now.",
    "make a note: dentist on Friday": "dentist on Friday",
    "take note that the key is under the pot": "the key is under the pot",
    "For future reference, I don't eat pork": "I don't eat pork",
    "Remember that my dog at home is ill": "my dog at home is ill",
    "Remember that the party at Ana's is on Friday": "the party at Ana's is on Friday",
    "Remember that Monday morning we leave": "Monday morning we leave",
    "Remember that one of my boys is ill": "one of my boys is ill",
    "Remember that I am thirty, ok?": "I am thirty",
    "Remember that I am thirty, please": "I am thirty",
    'Remember that I said "I do" on May 4th': 'I said "I do" on May 4th',
    "please remember I'm vegan": "I'm vegan",
    "Remember, I'm vegan": "I'm vegan",
    "dont forget im vegan": "im vegan",
    "Remember my birthday is May 4th.": "my birthday is May 4th.",
    "Don't forget I'm allergic to nuts": "I'm allergic to nuts",
    "Don’t forget I don’t drink. What shall we order?": "I don’t drink.",
    "I want you to remember my name is Ana": "my name is Ana",
    "Hey Mira, please remember my little sister lives in Porto": "my little sister lives in Porto",
    "Remember, in this chat only, I am Bo": "I am Bo",
    "could you please remember that I'm vegan": "I'm vegan",
    "Mira, can you please remember that I moved to Rome?": "I moved to Rome.",
    "Can you please remember my dog is called Biscuit? What shall we eat?": (
        "my dog is called Biscuit."
    ),
    "记住哦，我对花生过敏": "我对花生过敏",
    "记住我属龙": "我属龙",
    "记住这个密码是4711": "这个密码是4711",
    "请记得我对花生过敏": "我对花生过敏",
    "你要记得我对花生过敏": "我对花生过敏",
    "请记着我对花生过敏": "我对花生过敏",
    "帮我记一下，我对花生过敏": "我对花生过敏",
    "記得，請記住我對花生過敏": "我對花生過敏",
    "记住我对花生过敏，好吗？": "我对花生过敏",
    "记住！我对花生过敏。": "我对花生过敏。",
    "请记住我的生日是五月四日": "我的生日是五月四日",
    "请记住：密码是4711": "密码是4711",
    "请你记住我叫安娜": "我叫安娜",
    "你要记住，我不吃辣": "我不吃辣",
    "帮我记住明天九点开会": "明天九点开会",
    "帮我记住一下，明天九点开会": "明天九点开会",
    "别忘了我不喝咖啡": "我不喝咖啡",
    "别忘了，周五我们见面": "周五我们见面",
    "请别忘记我妹妹住在波尔图": "我妹妹住在波尔图",
    "不要忘了我喜欢绿茶。今天喝什么？": "我喜欢绿茶。",
    "米拉，请记住我搬到了里斯本": "我搬到了里斯本",
    "別忘了我住在台北": "我住在台北",
    "add to memory: my locker is 14": "my locker is 14",
    "put in your memory that my locker is 14": "my locker is 14",
    "存到记忆里：我的柜子是14号": "我的柜子是14号",
}

MERE_TALK = [
    "remember when we went to Porto?",
    "Remember when we went to Porto",
    "Do you remember that we went to Porto?",
    "do you remember that day",
    "Do you still remember that I like tea?",
    "I remember that you like tea",
    "I don't remember that you like tea",
    "I can't remember that name",
    "You remember that I like tea, right?",
    "Can you remember that I like tea?",
    "She said to remember that life is short",
    "Remember that time we went to Porto?",
    "Remember that time we went to Porto",
    "Remember that day in Porto",
    "Remember that old song about rain",
    "Remember that I told you about Porto?",
    "Remember that?",
    "Remember that.",
    "Remember that one",
    "Remember that big fight we had in March",
    "Remember that weird old man at the station",
    "Remember that trip to Rome we took last year",
    "Remember that letter I wrote",
    "Remember that time when...",
    "Remember that feeling when you first saw the sea",
    "Remember that's my favourite song",
    "Remember that I told you about Porto, right?",
    "I can't remember that",
    "Could you remember that I like tea?",
    "Don't forget that",
    "> remember that I like tea",
    "*I look at you* Remember that I love you",
    "Remember me",
    "Remember to smile",
    "Don't forget to smile",
    "Don't forget me",
    "Don't forget that song",
    "Remembering that day is hard",
    '"Remember that I love you," she said.',
    "*remember that day*",
    "You should remember that I like tea",
    "What do you remember about me?",
    "I forget that all the time",
    "Forget it",
    "Forget about the bees",
    "Can you remember that my dog is called Biscuit?",
    "Can you remember my dog is called Biscuit?",
    "Remember I'm vegan?",
    "Remember my birthday",
    "Remember my friend who is a pilot",
    "Remember my sister's wedding in Porto",
    "Remember I told you about Porto",
    "Remember we went to Porto",
    "Remember, I was saying that life is short",
    "Don't forget I love you",
    "Don't forget my birthday",
    "Can you please remember what I said?",
    "do you remember I'm vegan",
    "I remember I am vegan",
    "/Off topic: I like cats",
    "/off topic",
    "记得吗",
    "记得我喜欢喝茶",
    "你一定记得我们去过波尔图",
    "你要记得我啊",
    "还记得那次旅行吗",
    "记住那天",
    "别忘了那次旅行",
    "别忘了吃药",
    "别忘了我的生日",
    "记住我说的话",
    "不要忘记我们的约定",
    "记住单词的方法有哪些",
    "别忘了我是谁",
    "我记下了",
    "记下来",
    "“记住我叫安娜”她说",
    "/记忆力不好怎么办",
    "/off.txt is empty",
    "记住了吗",
    "记住了吗？",
    "记住了，我叫安娜",
    "你记住了没有",
    "记住没",
    "你还记得我的名字吗",
    "你还记得我们去过波尔图吗？",
    "你记得我对花生过敏吗",
    "记得我们去波尔图的时候",
    "我记住你的名字了",
    "我会记住这一天的",
    "记住的东西太多了",
    "记住单词真难",
    "记住我",
    "别忘了我",
    "别忘了我哦",
    "别忘了我们！",
    "别忘了吗",
    "记住我的名字很容易",
    "请记住我的名字好吗？",
    "我别忘了带伞",
    "忘了它吧",
    "/offer me a deal",
    "/off-topic, but I like tea",
    "/remembering things",
    "/forgetful me",
    "/memories/of/a/path",
    "/imagine a cat",
    "/pause the film, please",
    "/pause for dramatic effect",
    "/resume: see attachment",
    "/usr/bin/off",
    "and/or remember",
    "Can you remember that day in Paris?",
    "can u remember what i said about my sister",
    "Can you remember my name?",
    "save this file for me",
    "store this in the fridge",
    "memorising is hard: I forget all",
    "could you remember to call mom?",
    "see /remember for details",
    "5/off",
    "off",
    "/",
    "",
    "/记住了吗",
]


@for_each(("text", "statement"), REMEMBERED.items())
def test_a_plain_request_gives_the_statement_to_remember(text, statement):
    command = parse_command(text)
    assert command is not None
    assert (command.kind, command.argument) == (CommandKind.REMEMBER, statement)


@for_each("text", MERE_TALK)
def test_ordinary_conversation_is_no_command(text):
    assert parse_command(text) is None
    assert strip_command(text) == text


@for_each(
    ("text", "kind", "argument"),
    [
        ("/off I have a secret", CommandKind.OFF_THE_RECORD, "I have a secret"),
        ("/off\nI have a secret", CommandKind.OFF_THE_RECORD, "I have a secret"),
        ("/OFF I have a secret", CommandKind.OFF_THE_RECORD, "I have a secret"),
        (" /off", CommandKind.OFF_THE_RECORD, ""),
        ("/不记录 我有一个秘密", CommandKind.OFF_THE_RECORD, "我有一个秘密"),
        ("/forget the bees", CommandKind.FORGET, "the bees"),
        ("/forget that I like bees", CommandKind.FORGET, "I like bees"),
        ("/forget about the bees", CommandKind.FORGET, "the bees"),
        ("/forget that", CommandKind.FORGET, "that"),
        ("/memories?", CommandKind.LIST_MEMORIES, ""),
        ("/memories about bees", CommandKind.LIST_MEMORIES, "bees"),
        ("/off, I have a secret", CommandKind.OFF_THE_RECORD, "I have a secret"),
        ("/pause.", CommandKind.PAUSE, ""),
        ("/forget last", CommandKind.FORGET, "last"),
        ("/forget 2", CommandKind.FORGET, "2"),
        ("/忘记 蜜蜂", CommandKind.FORGET, "蜜蜂"),
        ("/memories", CommandKind.LIST_MEMORIES, ""),
        ("/memories bees", CommandKind.LIST_MEMORIES, "bees"),
        ("/记忆", CommandKind.LIST_MEMORIES, ""),
        ("/pause", CommandKind.PAUSE, ""),
        ("/pause recall", CommandKind.PAUSE, "recall"),
        ("/resume", CommandKind.RESUME, ""),
        ("/暂停", CommandKind.PAUSE, ""),
        ("/help", CommandKind.HELP, ""),
        ("/Commands?", CommandKind.HELP, ""),
        ("/帮助", CommandKind.HELP, ""),
    ],
)
def test_slash_commands_are_parsed(text, kind, argument):
    command = parse_command(text)
    assert command is not None
    assert (command.kind, command.argument) == (kind, argument)
    assert command.model_text.strip()
    assert not command.model_text.lstrip().startswith("/")


def test_the_model_reads_the_sentence_without_the_command():
    assert strip_command("/off I have a secret") == "I have a secret"
    assert strip_command("/remember that I like tea") == "I like tea"
    assert strip_command("/memories bees") == "What do you remember about this: bees"
    assert strip_command("/记忆") == "你记得什么？"


def test_the_model_reads_a_plain_request_unchanged():
    command = parse_command("Please remember that I like tea")
    assert command is not None
    assert command.model_text == "Please remember that I like tea"
    assert parse_slash_command("Please remember that I like tea") is None


def test_only_messages_with_slash_commands_are_commands():
    texts = ["hi", "/off x", "/remember y", "Remember that I like tea", "/memories", "/dance"]
    rest = [text for text in texts if not is_command_message(text)]
    assert rest == ["hi", "Remember that I like tea", "/dance"]


@for_each(
    ("text", "what"),
    [
        ("/pause", PauseTarget.WRITING),
        ("/pause writing", PauseTarget.WRITING),
        ("/pause Recall", PauseTarget.RECALL),
        ("/暂停 回忆", PauseTarget.RECALL),
        ("/resume", PauseTarget.BOTH),
        ("/resume writing", PauseTarget.WRITING),
        ("/pause writing, please.", PauseTarget.WRITING),
        ("/pause please", PauseTarget.WRITING),
        ("/pause for 10 minutes", PauseTarget.WRITING),
        ("/pause recall pls", PauseTarget.RECALL),
        ("/暂停一下", PauseTarget.WRITING),
        ("/pause all", PauseTarget.BOTH),
        ("/pause memory", PauseTarget.BOTH),
        ("/resume both", PauseTarget.BOTH),
        ("/暂停 全部", PauseTarget.BOTH),
    ],
)
def test_pause_and_resume_name_their_target(text, what):
    command = parse_slash_command(text)
    assert command is not None
    assert pause_target(command) is what


def test_the_last_memory_is_recognised_in_both_languages():
    assert refers_to_last(" Last ")
    assert refers_to_last("上一条")
    assert refers_to_last("it, please!")
    assert refers_to_last("这条吧")
    assert refers_to_last("my last message")
    assert refers_to_last("the last exchange.")
    assert refers_to_last("上一条消息")
    assert not refers_to_last("the last supper")
    for words in ("das letzte", "lo último", "le dernier", "Последнее", "最後", "最後のやつ"):
        assert refers_to_last(words)
    assert not refers_to_last("that dog")


def test_all_memories_are_recognised_in_both_languages():
    assert refers_to_all("Everything.")
    assert refers_to_all("全部")
    for words in ("alles", "Todo", "tout", "всё", "все", "すべて"):
        assert refers_to_all(words)
    assert not refers_to_all("alles mit Tom")
    assert not refers_to_all("all my dogs")
    assert not refers_to_all("")


def test_a_long_message_is_parsed_fast():
    assert parse_command("remember " * 50_000) is None
    assert parse_command("/" * 100_000) is None


@pytest.mark.parametrize("piece", ["x", "On 12 March 2024 we met. "])
def test_a_pasted_book_is_parsed_fast(piece):
    book = piece * (1_000_000 // len(piece))
    with within(2, time.process_time):
        for number in range(5):
            assert parse_command(f"Look, {number}: {book}") is None
    asked = parse_command(f"Remember that my dog is Rex. {book}")
    unstored = parse_command(f"{book}. Please don't remember this.")
    assert (asked.kind, asked.argument) == (CommandKind.REMEMBER, "my dog is Rex.")
    assert unstored.kind is CommandKind.OFF_THE_RECORD


@pytest.mark.parametrize(
    "asked",
    ["remember", "remember please", "remember,", "ok remember", "remember my", "could you please"],
)
@pytest.mark.parametrize("blank", [" ", "\n", ", ", " please", " please "])
def test_many_blanks_after_the_request_are_parsed_fast(asked, blank):
    with within(2, time.process_time):
        assert parse_command(f"{asked}{blank * 20_000}x") is None

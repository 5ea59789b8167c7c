"""The Chinese patterns of "remember that …" in plain words."""

# ruff: noqa: RUF001  (Chinese punctuation)

import re

ASK = re.compile(
    r"""\s*
    (?:[\w]{1,8}\s*[，,！!、：:]\s*)?                                  # a name, or "by the way"
    (?P<lead>(?:请|請|拜托|拜託|麻烦|麻煩)?(?:你|您)?(?:一定|务必|務必)?(?:要|得)?
      (?:帮我|幫我|给我|給我|替我)?)
    (?:记住|記住|(?:别|別|不要|不许|不許|千万别|千萬別)(?:忘了|忘记|忘記)
      |(?:把?(?:[这這][个個]|下面的?[话話]?))?(?:写|寫|存|加|放|[记記])(?:进|進|到|入)
        (?:[你您]的?)?(?:[记記][忆憶])(?:里面?|裡面?|中|库|庫)?(?=[\s，,：:])
      |(?P<soft>[记記](?:得|着|著|下来|下來|下)|(?=[记記]一下)[记記]))
    (?P<after>一下|[了没沒不过過的得吗嗎]?)[啦哦喔噢啊呀哈]?
    [\s，,：:、！!。~～]*
    """,
    re.VERBOSE,
)
# Without one of these, 记得 may only mean: surely you remember.
_INSISTS = re.compile(r"[请請拜麻务務要得帮幫给給替]")
_ASKS_BACK = re.compile(
    r"""(?:吗|嗎|呢|没有|沒有|没|沒|谁|誰|有哪些|在哪[里裡儿兒]?|为什么|為什麼|多少
      |是(?:什么|什麼|啥)(?:意思)?|怎么办|怎麼辦|怎么样|怎麼樣)[。！!.\s]*$""",
    re.VERBOSE,
)
# Phrases that point at something, such as "那次旅行" (that trip).
_REFERENCE = re.compile(
    r"""(?:[这這那]一?(?:次|天|年|晚|夜|件|段|场|場|句|刻|些|首|部)[^是有要会會不只限：:，,]*
      |(?:我|你|您|他|她|我们|我們|你们|你們)(?:[说說讲講](?:过|過)?)?
        的(?:名字|生日|话|話|约定|約定|样子|樣子|好))[哦啊呀吧呢啦喔噢嘛。！!.~～\s]*$""",
    re.VERBOSE,
)
_SUBJECT = re.compile(r"[我你您他她它咱]")
_MIN_STATEMENT_CHARS = 4  # a shorter text about nobody is a task
_JUDGEMENT = re.compile(r"[很真太好不](?:难|難|容易|简单|簡單)")
PARTICLES = "哦啊呀吧呢啦喔噢嘛。！!.~～ "
_NOBODY = frozenset(
    ("我", "我们", "我們", "他", "她", "它", "他们", "她们", "这", "那", "这个", "那个")
)
HAN = re.compile(r"[\u3400-\u9fff]")


def is_request(match: re.Match[str], statement: str) -> bool:
    """Returns whether ASK found a request, with a statement after it."""
    if match["after"] not in ("", "一下"):
        return False
    is_soft = match["soft"] and not _INSISTS.search(match["lead"])
    return not is_soft and is_statement(statement)


def is_statement(argument: str) -> bool:
    """Returns True for a statement worth remembering, False for questions and references."""
    bare = argument.strip(PARTICLES)
    if len(bare) < 2 or bare in _NOBODY or _REFERENCE.match(bare):
        return False
    if _ASKS_BACK.search(argument) or _JUDGEMENT.search(argument):
        return False
    is_short = len(bare) < _MIN_STATEMENT_CHARS and bool(HAN.search(bare))
    return not is_short or _SUBJECT.search(bare) is not None

"""Restores the English keys of a model's JSON where it translated or capitalised them."""

import re

_CHINESE = {
    "摘要": "summary", "总结": "summary", "關鍵詞": "keywords", "关键词": "keywords",
    "关键字": "keywords", "事实": "facts", "内容": "text", "文本": "text", "关于": "about",
    "对象": "about", "属性": "key", "键": "key", "值": "value", "状态": "status", "时间": "when",
    "日期": "when", "见解": "insights", "洞察": "insights", "来源": "from", "依据": "from",
    "重复": "repeats", "取代": "replaces", "替换": "replaces", "否认": "denies", "不确定": "unsure",
    "回答": "answer", "答案": "answer", "足够": "enough", "日记": "page",
}  # fmt: skip
_ENGLISH = {*_CHINESE.values(), "used", "keep_ids", "top_ids", "reasons"}
_ALL = {**{name: name for name in _ENGLISH}, **_CHINESE}
_KEY = re.compile(
    rf"([\"'“])({'|'.join(sorted(_ALL, key=len, reverse=True))})([\"'”]\s*[:：])",  # noqa: RUF001
    re.IGNORECASE,
)
_FIRST_QUOTE = re.compile(r"\{\s*([\"'“])")


def with_english_keys(answer: str) -> str:
    """Returns the answer with the keys that the prompts ask for. Values stay as they are.

    All keys stand in quotation marks like the first one; others belong to a value.
    """
    first = _FIRST_QUOTE.search(answer)
    marks = first[1] if first else "\"'“"
    return _KEY.sub(
        lambda key: f"{key[1]}{_ALL[key[2].lower()]}{key[3]}" if key[1] in marks else key[0], answer
    )

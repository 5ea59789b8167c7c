"""The JSON of small models is read although they write it in their own way."""

import pytest

from memory_core.text.llm_json import find_list, find_object
from tests.cases import for_each

WANTED = {"summary": "Ana rows.", "keywords": ["row"]}


@for_each(
    "answer",
    [
        'Sure! Here is the JSON:\n```json\n{"summary": "Ana rows.", "keywords": ["row"]}\n```',
        "{'summary': 'Ana rows.', 'keywords': ['row',],}",
        "{'summary': 'Ana rows.', 'keywords': ('row',)}",
        '{"result": {"summary": "Ana rows.", "keywords": ["row"]}}',
        '{"Summary": "Ana rows.", "KEYWORDS": ["row"]}',
        '{"摘要": "Ana rows.", "关键词"：["row"]}',
        '"{\\"summary\\": \\"Ana rows.\\", \\"keywords\\": [\\"row\\"]}"',
    ],
    ids=["fence", "quotes", "tuple", "nested", "capitals", "chinese", "encoded twice"],
)
def test_json_object_is_found_in_any_form(answer: str) -> None:
    assert find_object(answer, having="summary") == WANTED


def test_python_constants_count_as_json_values() -> None:
    found = find_object("{'answer': None, 'enough': False}", having="answer")
    assert found == {"answer": None, "enough": False}


def test_key_names_inside_a_text_stay() -> None:
    found = find_object('{"summary": "Ana says: \\"摘要\\" is a word."}', having="summary")
    assert found == {"summary": 'Ana says: "摘要" is a word.'}


@for_each("said", ["表上有“时间”：三点。", "她写了，“答案”：四十二。"])
def test_quotations_that_look_like_keys_stay(said: str) -> None:
    assert find_object(f'{{"摘要": "{said}"}}', having="summary") == {"summary": said}


def test_list_without_its_object_is_found() -> None:
    assert find_list('Here: [{"text": "Ana rows."}]') == [{"text": "Ana rows."}]


def test_answer_without_a_list_of_objects_is_an_error() -> None:
    with pytest.raises(ValueError, match="no list"):
        find_list("[1] is all I know")

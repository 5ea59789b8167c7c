"""Actions that the page sends from our own buttons."""

import json

from memory_core.ui.tab.common.actions import Action, button_html, parse_action
from tests.cases import for_each


def sent(**changes: object) -> str:
    whole: dict[str, object] = {"name": "forget", "values": {"id": "m1"}, "ticked": ["m2"]}
    return json.dumps(whole | changes)


def test_parse_action_reads_name_values_and_ticked_boxes() -> None:
    assert parse_action(sent()) == Action(name="forget", values={"id": "m1"}, ticked=("m2",))


@for_each(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "forget",
        sent(values=None),
        sent(values=[1]),
        sent(ticked=7),
        "[" * 9999,
    ],
)
def test_parse_action_refuses_anything_else(text: str) -> None:
    assert parse_action(text) is None


def test_parse_action_limits_the_length_of_values() -> None:
    action = parse_action(sent(values={"text": "x" * 1_000_000}))
    assert action is not None
    assert len(action.values["text"]) == 100_000


def test_button_escapes_labels_and_values() -> None:
    button = button_html("ltm-x", "pin", "<b>Pin</b>", memory_id='"><script>', aria_label="Pin “x”")
    assert "<script>" not in button
    assert "<b>" not in button
    assert 'data-memory-id="&quot;&gt;&lt;script&gt;"' in button
    assert 'aria-label="Pin “x”"' in button

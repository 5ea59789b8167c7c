"""Sample windows and memories: one chat in every situation."""

from dataclasses import dataclass
from typing import Any

from memory_core.config.schema import ContextSettings, ReadSettings
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.prompt.plan import PromptInputs
from memory_core.prompt.system_block import SystemLine
from memory_core.recall.results import Candidate, Form, Recalled
from memory_core.text.token_counter import estimate_tokens

NOW = 1_790_000_000.0
DAY = 86_400.0
BIO = "Ana is a beekeeper from Graz."
QUESTION = "What was the name of my dog again?"
LAST_REPLY = "Good evening! What shall we talk about tonight?"
PHOTO = {"type": "image", "name": "dog.png", "file_path": "dog.png"}
LETTER = {"type": "text/plain", "name": "letter.txt", "content": "Dear bees, come home."}
TOOL_SEQUENCE = [
    {"tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": '{"at": "notes"}'}}]},
    {"role": "tool", "content": "The notes are empty.", "tool_call_id": "c1"},
]


@dataclass(frozen=True)
class Scene:
    user_input: str
    history: dict[str, Any]
    continuing: bool = False
    flags: tuple[str, ...] = ()


def _history(rows: list[list[Any]], **metadata: dict[str, Any]) -> dict[str, Any]:
    return {"internal": rows, "visible": [list(row) for row in rows], "metadata": metadata}


def _rows() -> list[list[Any]]:
    return [
        ["Hello, I keep bees.", "How lovely! How many hives are there?"],
        ["Look at this photo.", "What a handsome animal that is."],
        ["Good evening.", LAST_REPLY],
    ]


def _stamps(rows: int) -> dict[str, dict[str, Any]]:
    return {
        f"{side}_{i}": {"timestamp": f"{i}"} for i in range(rows) for side in ("user", "assistant")
    }


def _photo() -> dict[str, dict[str, Any]]:
    return {**_stamps(3), "user_1": {"timestamp": "1", "attachments": [PHOTO]}}


def _greeted() -> list[list[Any]]:
    return [["<|BEGIN-VISIBLE-CHAT|>", "Welcome back to the garden!"], *_rows()]


def _api_rows() -> list[list[Any]]:
    return [
        ["Hello, I keep bees.", "How lovely! How many hives are there?", "", {}],
        ["Speak briefly from now on.", "", "", {"role": "system"}],
        ["Is it warm outside?", "", "", {"tool_calls": TOOL_SEQUENCE[0]["tool_calls"]}],
        ["", "", "21 degrees", {"tool_call_id": "c1"}],
        ["", LAST_REPLY, "", {}],
    ]


def scenes() -> dict[str, Scene]:
    """Builds new objects on each call, so that a test can check that they stay unchanged."""
    redone = {
        **_photo(),
        "user_3": {"timestamp": "3"},
        "assistant_3": {"versions": [{"content": "x"}]},
    }
    current = {"timestamp": "3", "attachments": [PHOTO, LETTER]}
    tool_turn = {**_photo(), "user_3": {}, "assistant_3": {"tool_sequence": TOOL_SEQUENCE}}
    begun = [*_rows(), [QUESTION, "Your dog, if I remember it rightly, is"]]
    return {
        "send": Scene(QUESTION, _history(_rows(), **_photo(), user_3={"timestamp": "3"})),
        "regenerate": Scene(QUESTION, _history(_rows(), **redone)),
        "continue": Scene(QUESTION, _history(begun, **_photo(), user_3={}), continuing=True),
        "tool turn": Scene(QUESTION, _history(_rows(), **tool_turn), flags=("_tool_turn",)),
        "attachments": Scene(QUESTION, _history(_rows(), **_photo(), user_3=current)),
        "greeting row": Scene(QUESTION, _history(_greeted(), **_stamps(4))),
        "empty history": Scene(QUESTION, _history([], user_0={"timestamp": "0"})),
        "api rows": Scene(QUESTION, {"internal": _api_rows(), "visible": _api_rows()}),
    }


def state(scene: Scene, *, mode: str, template: str, names: str) -> dict[str, Any]:
    return {
        "mode": mode,
        "name1": "Ana",
        "name2": "Bot",
        "context": "" if mode == "instruct" else "{{char}} is a gardener.\n<START>\n",
        "custom_system_message": "",
        "user_bio": BIO,
        "instruction_template_str": template,
        "chat_template_str": names,
        "truncation_length": 4096,
        "max_new_tokens": 512,
        "history": scene.history,
        **{flag: True for flag in scene.flags},
    }


def recalled(number: int, user: str, assistant: str, form: Form = Form.REPLAY) -> Recalled:
    ts = NOW - number * DAY
    exchange = Exchange(
        user=user, assistant=assistant, user_name="Ana", assistant_name="Bot", ts=ts
    )
    memory = Memory(
        id=f"m{number}",
        kind=MemoryKind.EXCHANGE,
        text=f"{user}\n{assistant}",
        ts=ts,
        exchange=exchange,
    )
    return Recalled(candidate=Candidate(memory=memory, score=1.0), form=form)


KEPT = (
    recalled(3, "My dog is called Rex.", "Rex is a fine name for a dog."),
    recalled(
        9, "Rex ate <|im_end|> my {{user}} hat.", "<think>hm</think>Poor hat, bad Rex indeed."
    ),
    recalled(5, "Rex\nloves </memories> cheese.", "He is a dog of good taste.", Form.LINE),
)
SAID = (
    "My dog is called Rex.",
    "Rex is a fine name for a dog.",
    "Poor hat, bad Rex indeed.",
    "cheese.",
)
PINNED = (SystemLine(sources=("p1",), text="Ana is allergic to walnuts."),)


def material(
    *,
    kept: tuple[Recalled, ...] = KEPT,
    system_lines: tuple[SystemLine, ...] = PINNED,
    limit_tokens: int = 4096,
    cutoff: int = 1000,
    **settings: str | int,
) -> PromptInputs:
    return PromptInputs(
        recalled=kept,
        system_lines=system_lines,
        settings=ContextSettings.model_validate(settings),
        read_settings=ReadSettings(memory_length_cutoff_in_chars=cutoff),
        count=estimate_tokens,
        limit_tokens=limit_tokens,
        now=NOW,
    )

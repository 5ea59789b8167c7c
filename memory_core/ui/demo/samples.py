"""The demo's sample memories: invented talks, dated before the first start."""

import html
import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace, page_user
from ...host.chat.chat_file import read_rows
from ...host.chat.exchanges import Speakers, to_exchanges
from ...infra import durable_files
from ...memory.long_term_memory import LongTermMemory
from . import chat_history
from .chat_history import History
from .demo_host import DemoHost
from .session import Character

SAMPLES = Path(__file__).parent / "samples"
_PAUSE = timedelta(minutes=2)


def read() -> list[Mapping[str, Any]]:
    """Returns the sample characters with their talks."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SAMPLES.glob("*.json"))]


def character_of(sample: Mapping[str, Any]) -> Character:
    return Character(
        name=sample["name"],
        context=sample["context"],
        greeting=sample["greeting"],
        questions=tuple(sample["questions"]),
        language=sample["language"],
    )


def install(
    sample: Mapping[str, Any], host: DemoHost, memory: LongTermMemory, *, now: datetime
) -> None:
    """Writes the talks as chat files and remembers them, unless this was done before.

    The folder is renamed to its final name last, so an interrupted run starts again.
    """
    final = host.chats(sample["user"], sample["name"])
    if final.exists():
        return
    folder = final.with_name(f"{final.name}.new")
    shutil.rmtree(folder, ignore_errors=True)
    for talk in sample["conversations"]:
        began = _start_time(talk, now)
        path = folder / f"{chat_history.unique_id(began)}.json"
        chat_history.write(path, _history(talk["exchanges"], began))
        _remember(path, sample, memory)
    folder.rename(final)
    durable_files.sync_folder(final.parent)


def _start_time(talk: Mapping[str, Any], now: datetime) -> datetime:
    clock = datetime.strptime(talk["time"], "%H:%M").time()
    return datetime.combine((now - timedelta(days=talk["days_ago"])).date(), clock)


def _history(said: Sequence[Sequence[str]], began: datetime) -> History:
    history = chat_history.empty_history()
    for place, (user, assistant) in enumerate(said):
        now = began + place * _PAUSE
        asked = chat_history.with_question(history, user, now)
        history = chat_history.with_answer(asked, assistant, html.escape(assistant), now)
    return history


def _remember(path: Path, sample: Mapping[str, Any], memory: LongTermMemory) -> None:
    """Compares the chat file with the log, as the synchronizer does for an active chat."""
    namespace = Namespace(page_user(sample["user"]), sample["name"])
    cast = Speakers(user_name=sample["user"], assistant_name=sample["name"], channel="chat")
    memory.reconcile(namespace, path.stem, to_exchanges(read_rows(path), cast), whole=True)

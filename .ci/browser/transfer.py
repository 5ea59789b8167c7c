"""Steps in the tab *Import and back up*: a ChatGPT export, a wrong file, backups."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from .visit import DESK, PHONE, Step, Visit, require

_TOPICS = ("the cello", "my sister's wedding in Porto", "a rye bread", "the leaking tap", "Go")
_SHOTS = "transfer"


def opens(visit: Visit) -> None:
    visit.inner_tab("Import and back up")
    visit.says("ltm-host-chats", "Import all past chats")
    visit.shot(_SHOTS)


def refuses_a_wrong_file(visit: Visit) -> None:
    """What is wrong stands there until somebody has read it."""
    path = visit.folder / "holiday.png"
    path.write_bytes(b"\x89PNG no chat")
    drop(visit, path)
    visit.says("ltm-intake", "holiday.png: files of this kind cannot be imported.")
    told, drop_zone = visit.at("ltm-intake").bounding_box(), visit.at("ltm-drop").bounding_box()
    is_above = told is not None and drop_zone is not None and told["y"] < drop_zone["y"]
    require(is_above, "the answer to a drop stands below, where few look")
    visit.shot("transfer-wrong-file")
    visit.press("Done")
    visit.lacks("ltm-intake", "holiday")


def brings_in_chatgpt(visit: Visit) -> None:
    """Three clicks from the file to the memories: choose it, look, import."""
    drop(visit, chatgpt_export(visit.folder / "chatgpt-export.zip", chats=40, exchanges=5))
    visit.says("ltm-intake", "200 messages with their answers in 40 chats.")
    expect(visit.at("ltm-whose")).to_have_value("Mira")
    visit.shot("transfer-found")
    visit.press("Import")
    visit.says("ltm-intake", "Mira has 200 new memories")
    visit.shot("transfer-imported")


def takes_it_back(visit: Visit) -> None:
    visit.click(visit.page.get_by_text("Undo this import …"))
    visit.shot("transfer-undo")
    visit.press("Yes, remove them")
    visit.says("ltm-intake", "The import is undone: 200 memories were removed.")
    visit.press("Done")
    logs = [path.read_text("utf-8") for path in visit.folder.rglob("conversations/*.jsonl")]
    require(not any("leaking tap" in log for log in logs), "an undone import is still on disk")


def backs_up_and_looks_inside(visit: Visit) -> None:
    """One click for a backup of everything; dropped again, it says what it would do."""
    everything = download(visit, "ltm-backup-all", visit.folder / "everything.zip")
    visit.says("ltm-exported", "The file holds")
    drop(visit, chatgpt_export(visit.folder / "more.zip", chats=2, exchanges=2))
    visit.says("ltm-intake", "4 messages")
    visit.press("Import")
    visit.says("ltm-intake", "Mira has 4 new memories")
    drop(visit, everything)
    visit.says("ltm-intake", "Everything in it is here already.")
    visit.click(visit.page.get_by_text("Replace everything instead …"))
    visit.says("ltm-intake", "Removes the 4 memories that are only here")
    visit.click(visit.page.get_by_text("What would be removed (4)"))
    visit.shot("transfer-backup")
    visit.at("ltm-replace").fill("yes")
    visit.press("Replace")
    visit.says("ltm-intake", "Nothing was replaced.")
    visit.at("ltm-replace").fill("replace")
    visit.press("Replace")
    visit.says("ltm-intake", "The earlier memories are in")
    visit.shot("transfer-restored")
    visit.press("Done")
    for backup in (visit.folder / "backups").glob("*.zip"):
        backup.unlink()  # a later step counts its own


def carries_a_character(visit: Visit) -> None:
    path = download(visit, "ltm-carry", visit.folder / "Mira.memories.zip")
    with zipfile.ZipFile(path) as archive:
        require("manifest.json" in archive.namelist(), "no memories of one character")
    path.write_bytes(path.read_bytes()[:-400])
    drop(visit, path)
    visit.says("ltm-intake", "That could not be imported")
    visit.shot("transfer-damaged")
    visit.press("Done")


def brings_in_the_hosts_chats(visit: Visit) -> None:
    """One click brings all of them in, and they can be told from the rest."""
    visit.press("Import all past chats")
    visit.says("ltm-intake", "no saved chats of text-generation-webui")
    chats = visit.folder / "logs" / "chat" / "Rei"
    chats.mkdir(parents=True)
    rows = [["My bike is called Rocinante.", "A fine name."]]
    saved = json.dumps({"internal": rows, "visible": rows})
    (chats / "20240101-10-00-00.json").write_text(saved, "utf-8")
    visit.press("Import all past chats")
    visit.says("ltm-intake", "Rei has 1 new memory")
    visit.shot("transfer-host")
    visit.press("Done")


def fits_a_phone_too(visit: Visit) -> None:
    drop(visit, chatgpt_export(visit.folder / "phone.zip", chats=3, exchanges=3))
    visit.says("ltm-intake", "9 messages")
    visit.page.set_viewport_size(PHONE)
    wide = visit.page.evaluate("() => document.documentElement.scrollWidth > window.innerWidth")
    require(not wide, "the tab is wider than a phone")
    visit.shot("transfer-phone")
    visit.page.set_viewport_size(DESK)
    visit.press("Not now")


def drop(visit: Visit, *paths: Path) -> None:
    visit.settles()
    visit.at("ltm-drop").locator("input[type=file]").set_input_files([str(p) for p in paths])


def download(visit: Visit, button: str, path: Path) -> Path:
    """Clicks the button and keeps the file that the page downloads."""
    visit.settles()
    with visit.page.expect_download() as found:
        visit.at(button).click()
    name = found.value.suggested_filename
    require(re.fullmatch(r"\w+-\d{8}-.+|.+\.memories\.zip", name) is not None, f"named {name}")
    found.value.save_as(path)
    return path


def chatgpt_export(path: Path, *, chats: int, exchanges: int) -> Path:
    """Writes a zip as ChatGPT sends it, in which nobody is named."""
    talks = [_talk(number, exchanges) for number in range(chats)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(talks))
        archive.writestr("user.json", json.dumps({"id": "user-1", "email": "alex@example.org"}))
        archive.writestr("chat.html", "<html></html>")
    return path


def _talk(number: int, exchanges: int) -> dict[str, Any]:
    began, topic = 1_690_000_000.0 + number * 90_000, _TOPICS[number % len(_TOPICS)]
    nodes: dict[str, Any] = {"root": {"id": "root", "parent": None, "message": None}}
    for turn in range(2 * exchanges):
        words = (f"What about {topic}, part {turn}?", f"On {topic}: here is part {turn}.")
        nodes[f"n{turn}"] = {
            "id": f"n{turn}",
            "parent": f"n{turn - 1}" if turn else "root",
            "message": {
                "author": {"role": ("user", "assistant")[turn % 2]},
                "create_time": began + 60 * turn,
                "content": {"content_type": "text", "parts": [f"{words[turn % 2]} ({number})"]},
            },
        }
    told = {"title": topic, "create_time": began, "mapping": nodes}
    return told | {"current_node": f"n{2 * exchanges - 1}", "conversation_id": f"talk-{number}"}


STEPS: tuple[Step, ...] = (
    opens,
    refuses_a_wrong_file,
    brings_in_chatgpt,
    takes_it_back,
    backs_up_and_looks_inside,
    carries_a_character,
    brings_in_the_hosts_chats,
    fits_a_phone_too,
)

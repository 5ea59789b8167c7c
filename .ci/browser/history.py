"""Steps in the tab *Memories* over a made-up history of two years: many at once, filters, map."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from playwright.sync_api import expect

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.ui.demo.program import Program

from .demo import tab_of
from .memories import FOLLOWS, LIST_ID, card, press, search
from .visit import Step, Visit, require

WHO = "Nora"
COUNT = 300
_DAY = 86_400.0
_DAYS = 700
_CHATS = ("20260503-14-05-09", "20260921-08-30-00", "Our garden plans")
_PLACES = ("the harbour", "the market", "the old mill", "the library", "the station")
_SAID = (
    ("My sister Clara plays the cello in Porto.", "Clara must practise a lot."),
    ("I am allergic to walnuts, so no walnut cake for me.", "I will remember: no walnuts."),
    ("I work as a night nurse in the children's hospital.", "That sounds tiring."),
    ("My cat Biscuit fell off the balcony but she is fine.", "Good that Biscuit is well."),
    ("Biscuit my cat is afraid of the vacuum cleaner.", "Many cats are."),
    ("We moved to a flat near the river in May.", "How do you like the new flat?"),
    ("I want to travel to Japan in spring.", "The cherry blossoms are lovely then."),
    ("I drink my coffee without sugar.", "Just like the Italians."),
    ("I am learning to play the guitar.", "Which song do you practise?"),
    ("Should I paint the kitchen green or yellow?", "Yellow makes it warm.\n\nGreen calms."),
    ("我对芒果过敏,一吃就起疹子。", "记住了,不推荐芒果。"),
    ("Remind me how the <b>story</b> of the dragon ended?", "The dragon kept the sword & left."),
)
_SETTINGS = {"embedder": {"kind": "browser.word_counts:WordCounts"}}


@contextmanager
def tab_over_a_history(folder: Path) -> Iterator[str]:
    """The tab over 300 exchanges of two years and a note, with a model for meaning."""
    (folder / "ltm_config.json").write_text(json.dumps(_SETTINGS), encoding="utf-8")
    program = Program(folder, {})
    memory, space = program.runtime.memory, Namespace("Alex", "Nora")
    draw, now = random.Random(7), datetime.now().timestamp()  # noqa: S311  (no secret)
    for number in range(COUNT):
        user, answer = _SAID[number] if number < len(_SAID) else draw.choice(_SAID)
        if number >= len(_SAID):
            user = f"{user} I thought of it at {draw.choice(_PLACES)} today, entry {number}."
        ts = now - draw.random() * _DAYS * _DAY
        said = Exchange(user=user, assistant=answer, user_name="Alex", assistant_name="Nora", ts=ts)
        memory.remember(space, _CHATS[number % len(_CHATS)], said)
    memory.add_note(space, "Alex prefers short answers.", kind=MemoryKind.KNOWLEDGE, pinned=False)
    while memory.derive_pending(space):
        pass
    with tab_of(program) as address:
        yield address


def opens(visit: Visit) -> None:
    visit.outer_tab(1)
    visit.choose("ltm-who", WHO)
    visit.tab("Memories")
    visit.says("ltm-browser", "About me")
    visit.says("ltm-browser", f"{COUNT + 1} memories")
    visit.shot("opened")
    visit.press("Show", within=visit.at("ltm-browser"))
    visit.says("ltm-browser", "People and family")


def filters(visit: Visit) -> None:
    search(visit, "biscu")
    expect(visit.page.locator("#ltm-memories mark").first).to_have_text("Biscuit")
    visit.shot("search")
    all_found = _total(visit)
    menu = visit.page.locator("details.ltm-menu").filter(has_text="Month")
    visit.click(menu.locator("summary"))
    visit.shot("filter-open")
    visit.click(menu.locator("button").nth(1))
    require(_total(visit) != all_found, f"a month holds {all_found} too")
    visit.press("Clear filters")
    require(_total(visit) == all_found, f"not {all_found} without a filter")


def edits(visit: Visit) -> None:
    press(visit, "Edit")
    field = visit.at("ltm-memories").locator("textarea[name=user]")
    field.fill("Biscuit is <i>brave</i> now.")
    visit.press("Save changes")
    visit.says("ltm-browser", "Changed.")
    visit.says("ltm-browser", "Biscuit is <i>brave</i> now.")
    _undo(visit)
    visit.lacks("ltm-memories", "<i>brave</i>")


def forgets_alike_ones(visit: Visit) -> None:
    """Offers those that say the same; one Undo brings all of them back."""
    search(visit, "walnut")
    visit.says("ltm-memories", "allergic to walnuts")
    all_found = _total(visit)
    press(visit, "Forget")
    visit.says("ltm-browser", "1 memory forgotten")
    visit.says("ltm-browser", "mention this")
    visit.click(visit.page.get_by_text("Show and choose"))
    visit.shot("forgot-offer")
    visit.press("Forget the ticked ones too")
    visit.says("ltm-browser", "memories forgotten")
    visit.shot("forgot-also")
    _undo(visit)
    require(_total(visit) == all_found, f"not {all_found} after Undo")


def merges(visit: Visit) -> None:
    search(visit, "guitar")
    visit.says("ltm-memories", "learning to play the guitar")
    _tick(visit, 2)
    visit.shot("ticked")
    visit.press("Merge into one")
    visit.says("ltm-browser", "The new memory")
    text = "Alex is learning the guitar and loves Dylan."
    visit.at("ltm-browser").locator("textarea[name=text]").fill(text)
    visit.shot("merging")
    visit.press("Merge", within=visit.at("ltm-browser"))
    visit.says("ltm-browser", "2 memories have been merged into one")
    visit.says("ltm-browser", "made of 2 memories")
    visit.says("ltm-memories", text)
    visit.shot("merged")
    _undo(visit)
    visit.lacks("ltm-memories", "loves Dylan")


def moves(visit: Visit) -> None:
    _tick(visit, 2)
    visit.click(visit.page.locator("#ltm-memories summary", has_text="Move to"))
    visit.shot("move-menu")
    visit.press("all characters")
    visit.says("ltm-browser", "2 memories moved")
    _undo(visit)


def saves_ticked_ones(visit: Visit) -> None:
    visit.press("Tick all on this page")
    ticks = visit.page.locator("#ltm-memories > ol .ltm-tick")
    require(all(tick.is_checked() for tick in ticks.all()), "not all are ticked")
    visit.press("Save as a document")
    with visit.page.expect_download() as found:
        visit.at("ltm-ticked-file").click()
    path = visit.folder / "ticked.md"
    found.value.save_as(path)
    written = path.read_text("utf-8").count("learning to play the guitar")
    require(written == ticks.count(), f"{written} of {ticks.count()} ticked memories in the file")
    visit.shot("exported")


def erases(visit: Visit) -> None:
    search(visit, "dragon")
    visit.says("ltm-memories", "<b>story</b>")
    expect(visit.page.locator("#ltm-memories input:checked")).to_have_count(0)
    press(visit, "Forget")
    visit.says("ltm-browser", "1 memory forgotten")
    search(visit, "")
    visit.press("Forgotten lately")
    visit.says("ltm-browser", "2 forgotten memories")  # with the note of the undone merge
    visit.shot("forgotten")
    visit.press("Erase now")
    visit.says("ltm-browser", "cannot be undone")
    visit.press("Yes, erase for good")
    visit.says("ltm-browser", "2 memories erased")
    visit.press("Back to all memories")
    visit.says("ltm-browser", f"{COUNT} memories")


def shows_a_map(visit: Visit) -> None:
    """A point of the map opens its memory, by the keyboard too."""
    visit.press("Timeline")
    visit.says("ltm-browser", "Choose a month")
    visit.shot("timeline")
    visit.press("Map")
    visit.page.locator(".ltm-point").first.focus()
    visit.shot("map")
    visit.page.keyboard.press("ArrowRight")
    visit.page.keyboard.press("Enter")
    visit.settles()
    expect(visit.page.locator("#ltm-memories .ltm-memory")).to_have_count(1)
    follows = visit.page.evaluate(FOLLOWS, [LIST_ID, "ltm-map"])
    require(follows, "the opened memory stands below the map, out of sight")
    visit.shot("map-opened")
    visit.press("List")
    expect(card(visit)).to_be_visible()


def _total(visit: Visit) -> str:
    """Returns the line that tells how many memories were found."""
    visit.settles()
    return visit.page.locator(".ltm-total").inner_text()


def _tick(visit: Visit, count: int) -> None:
    visit.settles()
    boxes = visit.page.locator("#ltm-memories > ol .ltm-tick")
    for index in range(count):
        boxes.nth(index).check()


def _undo(visit: Visit) -> None:
    visit.press("Undo", within=visit.at("ltm-browser"))
    visit.says("ltm-browser", "Undone.")


STEPS: tuple[Step, ...] = (
    opens,
    filters,
    edits,
    forgets_alike_ones,
    merges,
    moves,
    saves_ticked_ones,
    erases,
    shows_a_map,
)

"""Steps in the tab *Settings and health*."""

import json
from pathlib import Path

from playwright.sync_api import expect

from .clicks import asks
from .visit import Step, Visit, require


def chooses_plainly(visit: Visit) -> None:
    """A plain choice is saved at once and can be undone where it was made."""
    visit.inner_tab("Settings and health")
    amount = visit.at("ltm-plain-amount")
    visit.click(amount.get_by_text("Much", exact=True))
    visit.says("ltm-plain-saved-recalled", "Saved.")
    visit.says("ltm-plain-amount", "12 short lines")
    require(saved(visit.folder)["recall"] == {"retrieve_k": 4, "lines": 12}, "much is not saved")
    visit.shot("settings-plain")
    visit.press("Undo", within=visit.at("ltm-plain-saved-recalled"))
    visit.says("ltm-plain-saved-recalled", "as it was before")
    visit.says("ltm-plain-amount", "8 short lines")


def refuses_facts_without_a_model(visit: Visit) -> None:
    """A choice whose model is missing is not saved, and says what to do."""
    facts = visit.at("ltm-plain-facts")
    visit.click(facts.get_by_text("My own server"))
    visit.says("ltm-plain-saved-models", "Enter its address under Advanced")
    expect(facts.get_by_text("The model loaded here")).to_have_count(0)
    require("consolidation" not in saved(visit.folder), "a refused choice is saved")
    expect(facts.get_by_label("No", exact=True)).to_be_checked()


def refuses_a_server_without_a_model(visit: Visit) -> None:
    """A refused form stays open with what was typed."""
    visit.click(visit.at("ltm-plain-model").get_by_text("My own server"))
    visit.fill("ltm-embedder-address", "http://127.0.0.1:9/v1")
    visit.click(visit.at("ltm-embedder-use"))
    visit.says("ltm-embedder-said", "the name of the server's model is needed")
    address = visit.at("ltm-embedder-address").locator("input, textarea")
    expect(address).to_be_visible()
    expect(address).to_have_value("http://127.0.0.1:9/v1")


def leaves_a_model_out(visit: Visit) -> None:
    """A model that cannot be loaded is told on one calm card, which offers to work without it."""
    visit.unfold("Advanced: all settings")
    visit.unfold("Embedding model (finds memories by meaning)")
    kind = visit.at("ltm-knob-embedder-kind").locator("input")
    kind.fill("sentence-transformers")  # which is not installed
    kind.press("Enter")
    visit.click(visit.at("ltm-save"))
    visit.says("ltm-model-card", "Nothing is lost")
    visit.unfold("Embedding model (finds memories by meaning)")  # folds it again
    visit.unfold("Advanced: all settings")
    visit.shot("settings-model")
    visit.click(visit.at("ltm-model-card").get_by_role("button").filter(has_text="work without"))
    visit.says("ltm-model-card", "by words only")
    expect(visit.at("ltm-plain-model").get_by_label("No, by words only")).to_be_checked()


def goes_back_to_the_built_in_model(visit: Visit) -> None:
    """The model that comes with the packages is ready at once."""
    choice = visit.at("ltm-plain-model")
    visit.click(choice.get_by_text("Built-in model"))
    visit.says("ltm-plain-model", "The model is ready.")


def finds_a_setting(visit: Visit) -> None:
    """A word leaves the settings that have it in their name, key or help."""
    visit.unfold("Advanced: all settings")
    field = visit.at("ltm-find-setting").locator("textarea, input")
    wanted, other = visit.at("ltm-knob-recall-lines"), visit.at("ltm-knob-embedder-kind")
    for words in ("recall.lines", "ONE line"):
        field.fill(words)
        expect(wanted).to_be_visible()
        expect(other).to_be_hidden()
    visit.shot("settings-found")
    field.fill("llm.idle_minutes")  # in the middle of a long group
    found, save = visit.at("ltm-knob-llm-idle_minutes"), visit.at("ltm-save")
    expect(found).to_be_visible()
    above, below = found.bounding_box(), save.bounding_box()
    is_near = above and below and below["y"] - above["y"] - above["height"] < 100
    require(is_near, "there is an empty space below the found setting")
    field.fill("no such setting")
    expect(visit.at("ltm-find-none")).to_be_visible()
    expect(wanted).to_be_hidden()
    field.fill("")
    expect(visit.at("ltm-find-none")).to_be_hidden()
    expect(wanted).to_be_hidden()  # its group is closed again
    expect(visit.page.get_by_role("button", name="Choosing memories")).to_be_visible()


def turns_a_knob(visit: Visit) -> None:
    """A good value lands in the file; a bad one is refused beside its field and lands nowhere."""
    visit.unfold("Choosing memories")
    knob = visit.at("ltm-knob-recall-lines")
    lines = knob.locator("input")
    expect(lines).to_have_value("8")
    visit.fill("ltm-knob-recall-lines", "4")
    visit.click(visit.at("ltm-save"))
    visit.says("ltm-saved", "recall.lines")
    recall = saved(visit.folder)["recall"]
    require(recall == {"retrieve_k": 2, "lines": 4}, "lines = 4 is not in the file")
    visit.fill("ltm-knob-recall-lines", "-1")
    expect(knob).to_contain_text("The nearest is 0.")
    visit.click(visit.at("ltm-save"))
    visit.says("ltm-saved", "“-1” cannot be set here")
    require(saved(visit.folder)["recall"] == recall, "lines = 4 is not in the file")
    visit.fill("ltm-knob-recall-lines", "4")
    expect(knob).not_to_contain_text("The nearest is")
    visit.unfold("Embedding model (finds memories by meaning)")
    kind = visit.at("ltm-knob-embedder-kind")
    kind.locator("input").fill("fastembedd")
    kind.locator("input").press("Enter")
    expect(kind).to_contain_text("Did you mean fastembed?")
    visit.shot("settings")
    visit.click(visit.at("ltm-save"))
    visit.says("ltm-saved", "Did you mean fastembed?")
    visit.press("Discard changes")
    expect(kind).not_to_contain_text("Did you mean")
    expect(lines).to_have_value("4")


def keeps_what_is_typed(visit: Visit) -> None:
    """A refresh of the page takes nothing away that is being typed, or was just answered."""
    pause = visit.at("ltm-pause")
    if not pause.is_visible():  # nothing was said in the demo's chat
        visit.outer_tab(0)
        asks(visit)
        visit.inner_tab("Settings and health")
    lines = visit.at("ltm-knob-recall-lines").locator("input")
    lines.fill("5")
    visit.at("ltm-search").locator("textarea, input").fill("ginger")
    visit.inner_tab("Settings and health")
    for answer in ("Resume in this chat", "Pause in this chat"):
        pause.click()
        expect(pause).to_have_text(answer)
    visit.click(visit.at("ltm-refresh"))
    expect(lines).to_have_value("5")
    expect(visit.at("ltm-search").locator("textarea, input")).to_have_value("ginger")
    visit.at("ltm-search").locator("textarea, input").fill("")
    visit.inner_tab("Settings and health")
    visit.press("Discard changes")
    expect(lines).to_have_value("4")


def looks_after_itself(visit: Visit) -> None:
    """The files are checked, and recall is tried on the person's own words."""
    visit.unfold("Test my memory")
    visit.click(visit.at("ltm-recall-check"))
    visit.says("ltm-recall-checked", "things that you said were found")
    visit.unfold("Check and repair the files")
    visit.press("Check the files")
    visit.says("ltm-doctor-report", "All is sound")
    visit.shot("settings-checks")


def saved(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "ltm_config.json").read_bytes())
    return found


def destroys(visit: Visit) -> None:
    """Only what is named exactly, and with a backup."""
    visit.inner_tab("Settings and health")
    visit.unfold("Delete memories")
    name = visit.at("ltm-destroy-name").locator("textarea, input")
    visit.fill("ltm-destroy-name", "mira")
    visit.click(visit.at("ltm-destroy"))
    visit.says("ltm-destroyed", "Nothing was deleted")
    visit.shot("destroy")
    expect(name).to_have_value("")  # emptied with the answer
    visit.fill("ltm-destroy-name", "Mira")
    visit.click(visit.at("ltm-destroy"))
    visit.says("ltm-destroyed", ".zip")
    backups = list((visit.folder / "backups").glob("*.zip"))
    require(len(backups) == 1, f"not one backup: {backups}")
    visit.lacks("ltm-destroy-help", "小岚")  # jumps to nobody
    visit.choose("ltm-who", "Alex / 小岚")
    visit.says("ltm-destroy-help", "小岚")
    visit.shot("destroyed")


STEPS: tuple[Step, ...] = (
    chooses_plainly,
    refuses_facts_without_a_model,
    refuses_a_server_without_a_model,
    leaves_a_model_out,
    goes_back_to_the_built_in_model,
    finds_a_setting,
    turns_a_knob,
    keeps_what_is_typed,
    looks_after_itself,
)
LAST: tuple[Step, ...] = (destroys,)

"""A person's actions in the extension's tab."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator

from .page import ChatPage

NAME = "Long-term memory"
_SAYS = """([id, text]) => {
  const part = document.getElementById(id);
  const fields = part ? [...part.querySelectorAll('textarea, input')].map(one => one.value) : [];
  return part && [part.innerText, ...fields].join('\\n').includes(text);
}"""
_BEYOND = """menu => [...menu.querySelectorAll('button')]
  .filter(one => { const range = document.createRange(); range.selectNodeContents(one);
    const [text, frame] = [range, menu].map(it => it.getBoundingClientRect());
    return text.left < frame.left || text.right > frame.right; })
  .map(one => one.innerText)"""


class Tab:
    """Each method returns when the events that it caused have ended."""

    def __init__(self, chat: ChatPage) -> None:
        self._chat = chat
        self._page = chat.page

    def open(self, room: str, fold: str = "") -> None:
        """Opens one of the tab's four tabs, and unfolds a part of it."""
        self.leave()
        self._after(lambda: self._chat.open_tab(NAME))
        self._after(self._root.get_by_role("tab", name=room, exact=True).click)
        if fold:
            self.unfold(fold)

    def leave(self) -> None:
        self._chat.open_tab("Chat")

    def unfold(self, fold: str) -> None:
        """Opens an accordion, or leaves it open."""
        button = self._root.locator("button.label-wrap", has_text=fold).filter(visible=True)
        if "open" not in (button.get_attribute("class") or "").split():
            button.click()

    def owner(self) -> str:
        """Returns the label of the character whose memories are shown."""
        return str(self.at("ltm-who").locator("input").input_value())

    def show_memories_of(self, character: str) -> None:
        """Chooses the character whose memories are shown, unless they are shown already."""
        if self.owner().split(" / ")[-1] != character:
            self.choose_character("ltm-who", character)

    def choose_character(self, element: str, character: str) -> None:
        """Chooses a character, whose label begins with the user if there are several."""
        label = re.compile(rf"(^|\s){re.escape(character)}$")  # Playwright takes no slash
        self.at(element).locator("input").click()
        self._after(self._page.get_by_role("option", name=label).click)

    def choose(self, element: str, option: str) -> None:
        """Chooses an option of a dropdown."""
        self.at(element).locator("input").click()
        self._after(self._page.get_by_role("option", name=option, exact=True).click)

    def fill(self, element: str, text: str) -> None:
        """Writes into a field; a search runs."""
        field = self.at(element).locator("textarea, input").first
        self._after(lambda: field.fill(text))

    def write(self, element: str, text: str) -> None:
        """Writes into a field that nothing follows."""
        self.at(element).locator("textarea, input").first.fill(text)

    def tick(self, element: str, label: str = "") -> None:
        """Clicks a checkbox, or a radio's choice with this label.

        A radio that the page is just redrawing loses its click.
        """
        found = self.at(element).locator(f'label:has-text("{label}") input').first
        self._after(found.click)
        if label and not found.is_checked():
            self._after(found.click)

    def press(self, element: str) -> None:
        self._after(self.at(element).click)

    def press_named(self, within: Locator, name: str) -> None:
        """Presses the button with this label inside an element."""
        self._after(within.get_by_role("button", name=name, exact=True).first.click)

    def drop(self, element: str, path: Path) -> None:
        """Hands a file to a drop zone."""
        field = self.at(element).locator("input[type=file]")
        self._after(lambda: field.set_input_files(str(path)))

    def download(self, element: str, path: Path) -> Path:
        """Presses a button and keeps the file that the browser downloads."""
        with self._page.expect_download() as found:
            self.at(element).click()
        found.value.save_as(path)
        return path

    def says(self, element: str, text: str) -> None:
        """Waits until the element shows this text, in a field or as words."""
        self._page.wait_for_function(_SAYS, arg=[element, text])

    def text(self, element: str) -> str:
        return self.at(element).inner_text()

    def at(self, element: str) -> Locator:
        return self._page.locator(f"#{element}")

    def shows(self, element: str) -> bool:
        return self.at(element).is_visible()

    def scroll_to(self, element: str) -> None:
        """Brings an element into view: a table of Gradio draws only the rows that are seen."""
        self.at(element).scroll_into_view_if_needed()

    def names_beyond_the_menu(self) -> list[str]:
        """Returns the names in the host's menu that are cut off at its edge."""
        return list(self._page.locator(".header_bar").evaluate(_BEYOND))

    def is_open(self, room: str) -> bool:
        """Returns whether this is the one of the tab's four tabs that is shown."""
        found = self._root.get_by_role("tab", name=room, exact=True)
        return found.is_visible() and found.get_attribute("aria-selected") == "true"

    def has_room(self, name: str) -> bool:
        return self._root.get_by_role("tab", name=name, exact=True).is_visible()

    def refresh(self) -> None:
        self.press("ltm-refresh")

    def reload(self) -> None:
        """Loads the whole page anew and returns to the tab."""
        self._chat.reload()
        self._after(lambda: self._chat.open_tab(NAME))

    def picture(self, path: Path) -> None:
        self._page.screenshot(path=path, full_page=True)

    @property
    def _root(self) -> Locator:
        return self._page.locator(".extension-tab").filter(visible=True)

    def _after(self, act: Callable[[], None]) -> None:
        self._chat.following(act)

"""A person's actions in the panels of the extension's tab."""

from collections.abc import Callable

from playwright.sync_api import Locator

from .page import ChatPage

NAME = "Long-term memory"
_SAYS = """([id, text]) => {
  const it = document.getElementById(id);
  const fields = it ? [...it.querySelectorAll('textarea, input')].map(field => field.value) : [];
  return it && [it.innerText, ...fields].join('\\n').includes(text);
}"""


class Tab:
    """Each method returns when the events that it caused have ended."""

    def __init__(self, chat: ChatPage) -> None:
        self._chat = chat
        self._page = chat.page

    def open(self, panel: str) -> None:
        """Opens a panel of the tab, which shows the character talked to last."""
        self.leave()
        self._chat.following(lambda: self._chat.open_tab(NAME))
        self._root.get_by_role("tab", name=panel, exact=True).click()

    def leave(self) -> None:
        self._chat.open_tab("Chat")

    def whose(self, label: str) -> None:
        """Chooses the character whose memories are shown."""
        box = self._root.get_by_label("Whose memories")
        if box.input_value() != label:
            self._choose(box, label)

    def choose(self, element: str, option: str) -> None:
        self._choose(self.at(element).locator("input"), option)

    def _choose(self, box: Locator, option: str) -> None:
        box.click()
        self._after(self._page.get_by_role("option", name=option, exact=True).click)

    def fill(self, element: str, text: str) -> None:
        self.at(element).locator("textarea, input").first.fill(text)

    def tick(self, element: str, label: str = "") -> None:
        """Returns a checkbox, or a radio's choice with this label."""
        found = self.at(element).locator(f'label:has-text("{label}") input').first
        self._after(found.click)

    def press(self, element: str) -> None:
        self._after(self.at(element).click)

    def says(self, element: str, text: str) -> None:
        """Waits until the element shows this text, in a field or as words."""
        self._page.wait_for_function(_SAYS, arg=[element, text])

    def text(self, element: str) -> str:
        return self.at(element).inner_text()

    def at(self, element: str) -> Locator:
        return self._page.locator(f"#{element}")

    def shows(self, element: str) -> bool:
        return self.at(element).is_visible()

    def refresh(self) -> None:
        self._after(self._root.get_by_role("button", name="Refresh", exact=True).first.click)

    @property
    def _root(self) -> Locator:
        return self._page.locator(".extension-tab").filter(visible=True)

    def _after(self, act: Callable[[], None]) -> None:
        self._chat.following(act)

"""Handles of the host's page that few tests touch: swipe, branch, rename, delete, upload, tools."""

from collections.abc import Callable

from .page import ChatPage

_CLICK = "it => it.click()"
_IDLE = "() => !document.querySelector('._generating')"


class Handles:
    """Each method returns when the events that it caused have ended."""

    def __init__(self, page: ChatPage) -> None:
        self._chat = page
        self._page = page.page

    def click(self, selector: str) -> None:
        self._chat.act(selector)

    def await_idle(self) -> None:
        self._page.wait_for_function(_IDLE)

    def _after(self, act: Callable[[], None]) -> None:
        """Runs the action and waits for all its events."""
        self._chat.following(act)

    def _button(self, name: str) -> None:
        self._after(
            lambda: self._page.get_by_role("button", name=name, exact=True)
            .first.evaluate(_CLICK)
        )  # fmt: skip

    def start_with(self, text: str) -> None:
        self._fill("Start reply with", text)

    def _fill(self, label: str, text: str) -> None:
        box = self._page.locator(f'label:has-text("{label}") textarea').first
        self._after(lambda: box.fill(text, force=True))

    def swipe_left(self) -> None:
        self._swipe("Previous version")

    def swipe_right(self) -> None:
        self._swipe("Next version")

    def _swipe(self, title: str) -> None:
        arrow = self._page.locator(f'#chat .version-nav-button[title="{title}"]').last
        self._after(lambda: arrow.evaluate(_CLICK))

    def branch_at(self, place: int) -> None:
        """Branches at the message at this position of the conversation (-1: the last)."""
        message = self._page.locator("#chat [data-raw]").nth(place)
        self._after(lambda: message.locator(".footer-branch-button").evaluate(_CLICK))

    def dummy(self, button: str, text: str) -> None:
        self._page.fill("#chat-input textarea", text)
        self._page.wait_for_timeout(300)
        self._hidden_button(button)

    def _hidden_button(self, name: str) -> None:
        button = self._page.locator("button").get_by_text(name, exact=True).first
        self._after(lambda: button.evaluate(_CLICK))

    def select_chat(self, place: int) -> None:
        """Selects the chat at this position of the list (0: the newest)."""
        self._after(
            lambda: self._page.locator("#past-chats label input").nth(place).evaluate(_CLICK)
        )

    def rename(self, name: str) -> None:
        self._hidden_button("Rename")
        box = self._page.locator("#rename-row textarea, #rename-row input").first
        box.fill(name)
        confirm = self._page.locator("#rename-row button").get_by_text("Confirm", exact=True)
        self._after(lambda: confirm.evaluate(_CLICK))

    def delete_chat(self) -> None:
        self._chat.act("#delete_chat")
        self._chat.act("#delete_chat-confirm")

    def upload(self, history: str) -> None:
        box = self._page.locator('input[type="file"][accept*=".txt"][accept*=".json"]').first
        file = {"name": "chat.json", "mimeType": "application/json", "buffer": history.encode()}
        self._after(lambda: box.set_input_files(file))  # type: ignore[arg-type]

    def choose_character(self, name: str) -> None:
        box = self._page.locator("#character-menu input").first
        box.evaluate("it => it.focus()")
        box.fill(name, force=True)
        self._after(lambda: box.press("Enter"))

    def choose_tool(self, name: str) -> None:
        box = self._page.locator(f'input[type="checkbox"][name="{name}"]').first
        if not box.is_checked():
            self._after(lambda: box.evaluate(_CLICK))

    def choose_no_tool(self) -> None:
        while (
            box := self._page.locator('input[type="checkbox"][name="roll_dice"]:checked')
        ).count():
            self._after(lambda: box.first.evaluate(_CLICK))

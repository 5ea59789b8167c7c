"""Steps in the tab *Memories*: a question, what waits for a decision, the diary."""

from collections.abc import Sequence
from dataclasses import dataclass

from playwright.sync_api import Locator, ViewportSize, expect

from memory_core.text.locales import tab_words

from .history import WHO
from .lives import CHINESE, ENGLISH, MODEL, Life
from .views import find_faults, require_none
from .visit import DESK, PHONE, Step, Visit

# Each theme, each width and each language once.
_LOOKS = {ENGLISH.language: ("dark", DESK), CHINESE.language: ("light", PHONE)}


@dataclass(frozen=True, slots=True)
class ReviewSteps:
    """The steps over one life, in its language."""

    life: Life

    @property
    def steps(self) -> Sequence[Step]:
        return (
            self.opens,
            self.asks,
            self.decides_what_is_held,
            self.reviews,
            self.keeps_a_diary,
            self.holds_the_rules,
        )

    def opens(self, visit: Visit) -> None:
        visit.outer_tab(1)
        visit.says("ltm-refresh", self._words("refresh"))
        visit.choose("ltm-who", WHO)
        self._open_folds(visit)
        visit.shot("opened")

    def asks(self, visit: Visit) -> None:
        visit.fill("ltm-search", self.life.question)
        visit.press(self._words("ask_button"))
        visit.says("ltm-ask-answer", self.life.answer)
        visit.shot("asked")
        visit.fill("ltm-search", "")

    def decides_what_is_held(self, visit: Visit) -> None:
        """Decides about two of three held messages; the last one waits."""
        review = visit.at("ltm-review-content")
        for text in self.life.cards:
            visit.says("ltm-review-content", text)
        visit.shot("held")
        for decision in ("redact", "discard"):
            self._press(visit, review, f"review_held_{decision}")
            visit.says("ltm-review-content", self._words(f"review_held_told_{decision}"))
        expect(review.get_by_text(self._words("review_held_approve"))).to_have_count(1)
        visit.shot("held-decided")

    def reviews(self, visit: Visit) -> None:
        review = visit.at("ltm-review-content")
        self._press(visit, review, "review_second")
        visit.says("ltm-review-content", self._words("review_settled"))
        self._press(visit, review, "review_approve")
        visit.says("ltm-review-content", self._words("review_approved"))
        visit.shot("reviewed")
        self._press(visit, review, "undo")
        visit.says("ltm-review-content", self._words("undone"))

    def keeps_a_diary(self, visit: Visit) -> None:
        diary = visit.at("ltm-diary-content")
        self._press(visit, diary, "diary_draft")
        visit.says("ltm-diary-content", self._words("diary_drafted"))
        expect(diary.locator("textarea")).to_have_value(self.life.today)
        visit.shot("drafted")
        self._press(visit, diary, "diary_save")
        visit.says("ltm-diary-content", self._words("diary_saved"))
        visit.says("ltm-diary-content", self.life.today)
        visit.says("ltm-diary-content", MODEL)
        visit.shot("diary")

    def holds_the_rules(self, visit: Visit) -> None:
        """Holds the filled review and diary against axe-core's rules."""
        theme, size = _LOOKS[self.life.language]
        name = f"{self.life.language}-{theme}-{size['width']}"
        self._open_anew(visit, theme, size)
        visit.shot(name)
        require_none(visit, find_faults(visit, name))

    def _open_anew(self, visit: Visit, theme: str, size: ViewportSize) -> None:
        visit.open_anew(theme, size)
        visit.says("ltm-refresh", self._words("refresh"))
        visit.choose("ltm-who", WHO)
        self._open_folds(visit)

    def _open_folds(self, visit: Visit) -> None:
        visit.tab(self._words("memories_tab"))
        visit.click(visit.at("ltm-review").locator("button").first)
        visit.unfold(self._words("diary_tab"))
        visit.says("ltm-review-content", self.life.leisure)
        expect(visit.at("ltm-diary-content").locator("input[name=day]")).to_be_visible()

    def _press(self, visit: Visit, part: Locator, label: str) -> None:
        visit.click(part.get_by_text(self._words(label), exact=True).first)

    def _words(self, key: str) -> str:
        return tab_words(self.life.language)[key]


STEPS = {life.language: ReviewSteps(life).steps for life in (ENGLISH, CHINESE)}

"""A page that is drawn because of a change elsewhere leaves what a click did meanwhile."""

import pytest

from memory_core.ui.demo.program import Program
from memory_core.ui.tab.common.pulse import Clicks
from tests.ui.tab.test_changes_elsewhere import talk_elsewhere
from tests.ui.tab.test_rooms import talked_of


def test_click_is_counted_for_its_page_once_it_was_handled() -> None:
    clicks = Clicks()
    assert (clicks.count("one"), clicks.count("other")) == (0, 0)
    with clicks.handling("one"):
        assert (clicks.count("one"), clicks.count("other")) == (None, 0)
    assert (clicks.count("one"), clicks.count("other")) == (1, 0)


def test_click_that_fails_is_handled_too() -> None:
    clicks = Clicks()
    with pytest.raises(ValueError, match="no"), clicks.handling("one"):
        raise ValueError("no")
    assert clicks.count("one") == 1


def test_page_is_not_drawn_for_a_change_elsewhere_while_a_click_is_handled(
    program: Program,
) -> None:
    page = talked_of(program)
    page.run("_open")
    redraw = next(one.fn for one in page.events() if one.name == "_refresh_unless_clicked")
    talk_elsewhere(program)
    with redraw.__self__._header.clicks.handling(None):
        assert page.run("_refresh_unless_clicked") == []
    assert page.run("_refresh_unless_clicked") != []

"""Values of the plain choices tell a person's choice from what the page itself has set."""

from memory_core.ui.tab.settings.basic_choices import picked_option, radio_value


def test_option_that_differs_from_the_shown_one_was_picked() -> None:
    assert picked_option(radio_value("off", "on")) == "off"


def test_option_picked_where_none_was_shown_counts() -> None:
    assert picked_option(radio_value("much", None)) == "much"


def test_value_set_by_the_page_is_no_choice_even_if_it_arrives_late() -> None:
    """The page's late "on" must not undo the "off" that a person chose meanwhile."""
    assert picked_option(radio_value("on", "on")) is None
    assert picked_option(None) is None

from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory_core.prompt.window import SAFETY_MARGIN, ChatMode, ChatRow, Window, fit_window
from memory_core.text.token_counter import estimate_tokens as count

TURNS = 200
CONTEXT, EXCHANGE, MEMORY, LIMIT = 800, 120, 350, 16_384


def words(name: str, number: int) -> str:
    return " ".join(f"{name}{index}" for index in range(number))


def exchange(turn: int) -> ChatRow:
    return ChatRow(
        user=words(f"u{turn}.", EXCHANGE // 4), assistant=words(f"a{turn}.", EXCHANGE * 3 // 4)
    )


CHAT = [exchange(turn) for turn in range(TURNS)]


def fitted(rows: list[ChatRow], **change: float) -> Window:
    window = Window(
        rows=tuple(rows), message=words("now", 30), mode=ChatMode.CHAT, context=words("c", CONTEXT)
    )
    given_limits = {"limit_tokens": LIMIT, "reserved_tokens": MEMORY, "scale": 1.0, **change}
    return fit_window(window, **given_limits)


def prompt(turn: int) -> list[str]:
    rows = fitted(CHAT[:turn]).rows
    cells = [cell for row in rows for cell in (row.user, row.assistant)]
    replay, block = words(f"r{turn}.", MEMORY * 2 // 3), words(f"b{turn}.", MEMORY // 3)
    return " ".join(
        [words("c", CONTEXT), *cells[:-2], replay, *cells[-2:], block, f"q{turn}"]
    ).split()


def same_head(one: list[str], two: list[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(one))


def test_prompt_shares_most_of_its_start_with_the_one_before() -> None:
    prompts = [prompt(turn) for turn in range(TURNS)]
    kept = sum(same_head(one, two) for one, two in pairwise(prompts))
    assert kept / sum(map(len, prompts[1:])) >= 0.85


def test_first_row_shown_stays_the_same_for_at_least_ten_turns() -> None:
    starts = [turn - len(fitted(CHAT[:turn]).rows) for turn in range(TURNS)]
    stays = [len(list(group)) for _, group in groupby(starts)]
    assert len(stays) > 5
    assert min(stays[:-1]) >= 10
    assert starts == sorted(starts)


@given(
    st.lists(st.integers(0, 700), max_size=40),
    st.integers(500, 8192),
    st.floats(0.5, 3.0),
    st.booleans(),
)
def test_fitted_window_fits_or_has_nothing_left_to_drop(
    sizes: list[int], limit: int, scale: float, continuing: bool
) -> None:
    rows = tuple(ChatRow(user=words("u", size), assistant="a") for size in sizes)
    window = Window(rows=rows, is_continuing=continuing and bool(rows), mode=ChatMode.INSTRUCT)
    result = fit_window(window, limit_tokens=limit, reserved_tokens=100, scale=scale)
    kept = result.rows
    cost = sum(count(row.user) + 1 for row in kept) * scale + 100
    assert kept == rows[len(rows) - len(kept) :]
    assert cost <= limit * (1 - SAFETY_MARGIN) or len(kept) == (1 if window.is_continuing else 0)


def test_fit_window_drops_nothing_from_a_chat_that_fits() -> None:
    assert fitted(CHAT[:40]).rows == tuple(CHAT[:40])


def test_fit_window_drops_more_with_a_larger_scale() -> None:
    assert len(fitted(CHAT[:60], scale=1.5).rows) < len(fitted(CHAT[:60]).rows)


def test_fitted_window_never_begins_with_a_tools_result() -> None:
    call = {"tool_calls": [{"id": "c"}]}
    rows = []
    for turn in range(60):
        rows += [
            ChatRow(user=words(f"u{turn}.", 60), assistant="", extra=("", call)),
            ChatRow(user="", assistant="", extra=(words("t", 90), {"tool_call_id": "c"})),
            ChatRow(user="", assistant=words("a", 40)),
        ]
    for length in range(30, len(rows), 3):
        assert fitted(rows[:length]).rows[0].question


def test_rows_with_images_stay_when_their_neighbours_are_dropped() -> None:
    photo = ChatRow(
        user="look", assistant="nice", user_meta={"attachments": [{"type": "image", "name": "x"}]}
    )
    shown = fitted([*CHAT[:5], photo, *CHAT[5:80]]).rows
    assert shown[0] == photo
    assert shown[1] != CHAT[5]


def test_fit_window_never_drops_the_continued_row() -> None:
    rows = (exchange(0), ChatRow(user="u", assistant=words("a", 9000)))
    window = Window(rows=rows, is_continuing=True)
    result = fit_window(window, limit_tokens=2048, reserved_tokens=0, scale=1.0)
    assert result.rows == rows[1:]

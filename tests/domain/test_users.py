"""People on the page and users of the API never share a name, whatever they call themselves."""

from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.users import DEFAULT_USER, api_user, page_user, signed_in_user
from tests.cases import for_each

NAMES = st.one_of(
    st.text(min_size=1),
    st.lists(st.sampled_from(["api:", "user:", "ana", "default", ":"]), min_size=1).map("".join),
)


@given(NAMES, NAMES)
def test_a_page_user_is_never_an_api_user(page: str, api: str) -> None:
    assert page_user(page) != api_user(api, "")


@given(NAMES, NAMES)
def test_different_names_are_different_users(one: str, other: str) -> None:
    assert (page_user(one) == page_user(other)) == (one == other)
    assert (signed_in_user(one) == signed_in_user(other)) == (one == other)
    assert (api_user(one, "") == api_user(other, "")) == (one == other)


@given(NAMES)
def test_a_prefix_typed_by_the_user_makes_another_user(name: str) -> None:
    typed = [prefix + name for prefix in ("", "api:", "user:", "user:user:", "user:api:")]
    assert len(set(map(page_user, typed))) == len(typed)


def test_an_ordinary_name_stays_as_it_is() -> None:
    assert page_user("Ana") == signed_in_user("Ana") == "Ana"


def test_page_without_a_profile_has_the_default_user() -> None:
    assert page_user(None) == page_user("") == DEFAULT_USER


@for_each("nobody", [None, ""])
def test_shared_page_without_sign_in_has_no_user(nobody: str | None) -> None:
    assert signed_in_user(nobody) is None


@for_each(
    ("field", "default", "user"),
    [
        ("bob", "", "api:bob"),
        ("bob", "default", "api:bob"),
        (None, "default", "default"),
        ("", "default", "default"),
        (None, "", None),
        ("api:bob", "", "api:api:bob"),
    ],
)
def test_an_api_call_without_user_has_the_configured_one(
    field: str | None, default: str, user: str | None
) -> None:
    assert api_user(field, default) == user

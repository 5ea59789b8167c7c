"""Names users so that a person on the page and a user of the API never share a name."""

DEFAULT_USER = "default"
API_PREFIX = "api:"
_PAGE = "user:"


def page_user(profile: str | None) -> str:
    """Returns the user of a page without sign-in: the host's user profile, else `default`."""
    return _without_api_prefix(profile) if profile else DEFAULT_USER


def signed_in_user(name: str | None) -> str | None:
    """Returns the user of a page shared by several people; None (memory off) without sign-in."""
    return _without_api_prefix(name) if name else None


def api_user(user_field: str | None, default: str) -> str | None:
    """Returns the user of an API call; None (memory off) if neither call nor setting names one.

    `default` (api.default_user) is used as it is, without the API's prefix: the name of a user
    profile lets API calls share the memories of the page.
    """
    return API_PREFIX + user_field if user_field else default or None


def _without_api_prefix(name: str) -> str:
    return _PAGE + name if name.startswith((API_PREFIX, _PAGE)) else name

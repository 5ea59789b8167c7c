"""Whose memories these are: people on the page and users of the API never meet by name."""

DEFAULT_USER = "default"
API_PREFIX = "api:"
_PAGE = "user:"


def page_user(profile: str | None) -> str:
    """The user of a page without sign-in: the host's user profile, else `default`."""
    return _without_api_prefix(profile) if profile else DEFAULT_USER


def signed_in_user(name: str | None) -> str | None:
    """The user of a page shared by several people; None (memory off) without sign-in."""
    return _without_api_prefix(name) if name else None


def api_user(user_field: str | None, default: str) -> str | None:
    """The user of an API call; None (memory off) where neither the call nor the setting names one.

    `default` (api.default_user) is the user himself, not an API name: "default" lets API calls
    share the memories of the page.
    """
    return API_PREFIX + user_field if user_field else default or None


def _without_api_prefix(name: str) -> str:
    return _PAGE + name if name.startswith((API_PREFIX, _PAGE)) else name

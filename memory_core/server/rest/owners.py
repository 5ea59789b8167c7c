"""Finds the owner of the memories that a call names; the caller must be allowed to see them."""

from collections.abc import Sequence

from fastapi import Request

from ...domain.errors import UnknownMemory
from ...domain.namespaces import API_PREFIX, Namespace, Scope, namespace_of
from ...memory.runtime import Runtime
from ..errors import UNPROCESSABLE, RequestRefused
from ..invalid_requests import parameters_of
from ..security.access import caller_of

_INSTRUCT = "_instruct"
_USER = "user_id"


class Owners:
    """Turns the users and characters that calls name into namespaces."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def namespace(self, request: Request, user_id: str, character: str = "") -> Namespace:
        """Returns the namespace. Raises RequestRefused without a user, and for a foreign one."""
        owner = caller_of(request).memory_user(user_id, field=_USER)
        if owner is None:
            place = "address, as ?user_id=…" if _USER in parameters_of(request) else "body"
            message = f"user_id is missing: whose memories? Add it to the {place}"
            raise RequestRefused(message, status=UNPROCESSABLE, param=_USER)
        return self._runtime.memory.resolve(namespace_of(owner, character or _INSTRUCT))

    def existing(self, request: Request, user_id: str, character: str = "") -> Namespace | None:
        """Returns the namespace; None if nothing was ever stored in it. Raises RequestRefused."""
        namespace = self.namespace(request, user_id, character)
        return namespace if self._runtime.memory.shared.namespaces.has(namespace) else None

    def all_existing(
        self, request: Request, users: str | Sequence[str], character: str = ""
    ) -> list[Namespace]:
        """Returns the namespaces of one or several users, without empty ones.

        Raises RequestRefused if the caller may not act for one of them.
        """
        names = [users] if isinstance(users, str) else users
        found = [self.existing(request, name, character) for name in dict.fromkeys(names)]
        return [space for space in dict.fromkeys(found) if space is not None]

    def of_memory(
        self, request: Request, user_id: str, character: str, memory_id: str
    ) -> Namespace:
        """Returns the namespace in which to look for a memory. Raises UnknownMemory if there is
        none, and RequestRefused.
        """
        namespace = self.existing(request, user_id, character)
        if namespace is None:
            raise UnknownMemory(memory_id)
        return namespace

    def visible(self, request: Request) -> Sequence[Namespace]:
        """Returns the namespaces that the caller may see, without those never written to."""
        caller, memory = caller_of(request), self._runtime.memory
        seen = [space for space in memory.namespaces() if caller.may_see(space.user)]
        return [space for space in seen if memory.shared.namespaces.last_written_at(space)]


def user_id_of(namespace: Namespace) -> str:
    """Returns the user as calls name it; "" for the one that api.default_user names."""
    is_api = namespace.user.startswith(API_PREFIX)
    return namespace.user.removeprefix(API_PREFIX) if is_api else ""


def character_of(namespace: Namespace) -> str:
    return namespace.character if namespace.scope is Scope.CHARACTER else f"_{namespace.scope}"

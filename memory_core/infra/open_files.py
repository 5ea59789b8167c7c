"""The number of files, sockets included, that this process may have open at the same time."""

import sys


def allow_open_files(wanted: int) -> int:
    """Lets the process open this many files if the system permits it; returns how many it may.

    Shells and services usually begin with 1024, and may raise that up to a limit of their own.
    """
    if sys.platform == "win32":
        return wanted  # sockets are no files there
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (OSError, ValueError):  # macOS permits less than it says
        return soft
    return allowed

"""The host's list of active extensions."""

loaded: list = []


def iterator():
    yield from loaded

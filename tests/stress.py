"""Sizes of the slow tests: a tenth in `make test-slow`, all of it in `make test-stress`."""

import os

IS_FULL = os.environ.get("STRESS") == "full"


def kills_of(full: int) -> int:
    """Returns how often a program is killed."""
    return full if IS_FULL else full // 10

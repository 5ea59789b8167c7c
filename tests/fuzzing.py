"""Profiles of Hypothesis: the same examples in every run, or many others in each (make fuzz)."""

from hypothesis import settings

PATIENT, FUZZ = "patient", "fuzz"
MORE = 10

# A loaded machine is no fault of the code, and a newcomer's run must not fail by chance.
settings.register_profile(PATIENT, deadline=None, derandomize=True, database=None)
settings.register_profile(
    FUZZ,
    deadline=None,
    derandomize=False,
    database=None,
    print_blob=True,
    max_examples=100 * MORE,
)


def examples(count: int) -> int:
    """Returns how many examples a test tries that takes `count` of them in `make test`."""
    return count * settings.default.max_examples // 100

"""Profiles of Hypothesis: fixed examples in every run, or many random ones (make fuzz)."""

from hypothesis import settings

PATIENT, FUZZ = "patient", "fuzz"
FEW, MANY = 50, 1000

# A loaded machine is no fault of the code, and a newcomer's run must not fail by chance.
settings.register_profile(PATIENT, deadline=None, derandomize=True, database=None, max_examples=FEW)
settings.register_profile(
    FUZZ,
    deadline=None,
    derandomize=False,
    database=None,
    print_blob=True,
    max_examples=MANY,
)


def examples(count: int) -> int:
    """Returns how many examples are tried by a test that takes `count` in `make test`."""
    return count * settings.default.max_examples // FEW

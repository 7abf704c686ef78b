"""How many examples a property is tried with: the same ones in every CI run, random ones in `make fuzz`."""

from hypothesis import HealthCheck, settings

# a slow machine is no fault of the code: neither an example's time nor a generator's fails a test
_UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def register_profiles() -> None:
    """Make the profiles `ci` (the default) and `fuzz` (`--hypothesis-profile`) known."""
    # no database: what an earlier run found must not decide what this one tries
    settings.register_profile("ci", _UNHURRIED, max_examples=400, derandomize=True, database=None)
    settings.register_profile("fuzz", _UNHURRIED, max_examples=4000, derandomize=False, print_blob=True)
    settings.load_profile("ci")


def few_examples(share: float) -> settings:
    """Settings of a property whose examples take long: a share of the profile's number."""
    return settings(max_examples=max(1, round(share * settings().max_examples)))

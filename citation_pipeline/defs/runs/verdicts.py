"""What an asset check found of a claim, and where a run keeps what it found before the check's own step.

A step that has a claim's words and places in memory judges them at once, from what it stored: the checks that
follow in the same run read nothing again. Of a claim that another run made meanwhile, no such verdict counts.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found of one claim; `metadata` holds counts and ids, never text.

    `is_error` makes it graver than the check usually is.
    """

    passed: bool
    metadata: Mapping[str, Any]
    is_error: bool = False


@dataclass(frozen=True)
class KeptVerdicts:
    """Verdicts of one run by asset and check name, then by claim; each is taken once."""

    _found: dict[tuple[str, str], dict[str, Verdict]] = field(default_factory=dict)

    def keep(self, asset: dg.AssetKey, claim_id: str, verdicts: Mapping[str, Verdict]) -> None:
        """Keep what the checks of an asset say of a claim that was made just now."""
        for name, verdict in verdicts.items():
            self._found.setdefault((asset.to_string(), name), {})[claim_id] = verdict

    def take(self, check: dg.AssetCheckKey) -> Mapping[str, Verdict]:
        """Return what a check is known to say, by claim, and keep it no longer."""
        return self._found.pop((check.asset_key.to_string(), check.name), {})


def judged_now(judge: Callable[[], Mapping[str, Verdict]]) -> Mapping[str, Verdict]:
    """Return what a judge says, nothing where it cannot: the check's own step finds out and reports why."""
    try:
        return judge()
    except Exception:  # what is made is made, whatever is thought of it
        return {}


def checks_to_come(context: dg.AssetExecutionContext, names: Collection[str]) -> frozenset[str]:
    """Return which of an asset's checks the run evaluates; none of a run of one claim: nothing is gained."""
    if len(context.partition_keys) == 1:
        return frozenset()
    selected = context.run.asset_check_selection
    if selected is None:
        return frozenset(names)
    asked = {key.name for key in selected if key.asset_key == context.asset_key}
    return frozenset(asked.intersection(names))

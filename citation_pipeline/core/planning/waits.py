"""How long claims have been waiting to be made: for how many nights each was found with something to do.

Pure. What a night found of each claim is judged in `nights`; where waits are kept belongs to the pipeline.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from citation_pipeline.core.planning.nights import NightChoice, Verdict


@dataclass(frozen=True, slots=True)
class Wait:
    """`nights` in a row found the claim with something to do; the first was `since`, the last `last`."""

    since: date
    last: date
    nights: int = 1


def count_waits(
    choices: Iterable[NightChoice], *, night: date, before: Mapping[str, Wait]
) -> dict[str, Wait]:
    """Return the waits after a night; `before` are those that the plan before it left.

    Every claim waits that is not current, whether the night starts it or cannot: one that it starts and
    that is made is current when the next night looks. Several plans of one night count once.
    """
    waits: dict[str, Wait] = {}
    for choice in choices:
        if choice.verdict is Verdict.CURRENT:
            continue
        wait = before.get(choice.claim_id)
        if wait is None:
            waits[choice.claim_id] = Wait(night, night)
        else:
            waits[choice.claim_id] = Wait(wait.since, night, wait.nights + (wait.last != night))
    return waits

"""People's decisions on sets that the promotion gate held back: who accepted or refused which, and why.

Kept beside the reviews, append-only, so that no wiped event log loses them.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import insert, select

from citation_pipeline.adapters.sql_engines import is_unused
from citation_pipeline.adapters.verifications.audit import link_event
from citation_pipeline.adapters.verifications.database import opened
from citation_pipeline.adapters.verifications.shapes import PROMOTION_DECISIONS
from citation_pipeline.adapters.verifications.signing import Signer
from citation_pipeline.core.review.chain import LinkKind


class Decision(StrEnum):
    """What a person decided on a held set."""

    ACCEPT = "accept"  # it is shown from now on
    REFUSE = "refuse"  # what was shown stays


@dataclass(frozen=True, slots=True)
class PromotionDecision:
    """One decision; `version` names the set of citations, `reasons` why it was held."""

    claim_id: str
    version: str
    decision: Decision
    decided_by: str
    why: str
    reasons: Sequence[str] = ()
    decided_at: str = ""


def keep_decision(url: str, decided: PromotionDecision, *, signer: Signer | None = None) -> PromotionDecision:
    """Keep one decision, with its audit link, and return it with its time."""
    kept = replace(decided, decided_at=datetime.now(UTC).isoformat(timespec="seconds"))
    row = {**asdict(kept), "decision": kept.decision.value, "reasons": json.dumps(list(kept.reasons))}
    with opened(url, signer=signer) as database, database.writing() as connection:
        made = connection.execute(insert(PROMOTION_DECISIONS).values(row)).inserted_primary_key
        assert made is not None
        link_event(connection, LinkKind.PROMOTION, {**row, "decision_id": made[0]}, signer=signer)
    return kept


def read_decisions(url: str, claim_id: str) -> list[PromotionDecision]:
    """Return a claim's decisions, oldest first; no new file where nobody has decided anything yet."""
    if is_unused(url):
        return []
    columns = [PROMOTION_DECISIONS.c[kept.name] for kept in fields(PromotionDecision)]
    query = select(*columns).where(PROMOTION_DECISIONS.c.claim_id == claim_id)
    with opened(url) as database, database.reading() as connection:
        rows = connection.execute(query.order_by(PROMOTION_DECISIONS.c.decision_id)).mappings().all()
    return [
        PromotionDecision(
            **{
                **row,
                "decision": Decision(row["decision"]),
                "reasons": tuple(json.loads(row["reasons"])),
            }
        )
        for row in rows
    ]


def decision_on(url: str, claim_id: str, version: str) -> PromotionDecision | None:
    """Return the last decision on one set, None where nobody has decided on it."""
    decisions = [found for found in read_decisions(url, claim_id) if found.version == version]
    return decisions[-1] if decisions else None

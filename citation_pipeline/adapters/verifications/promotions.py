"""People's decisions on sets that the promotion gate held back: who accepted or refused which, and why.

Kept beside the reviews, append-only, so that no wiped event log loses them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import insert, select

from citation_pipeline.adapters.verifications.shapes import PROMOTION_DECISIONS
from citation_pipeline.adapters.verifications.store import is_unused, make_tables, open_engine


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


def keep_decision(url: str, decided: PromotionDecision) -> PromotionDecision:
    """Keep one decision and return it with its time."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    engine = open_engine(url)
    writing = engine.execution_options(is_writing=True)
    try:
        make_tables(writing)
        with writing.begin() as connection:
            connection.execute(
                insert(PROMOTION_DECISIONS).values(
                    claim_id=decided.claim_id,
                    version=decided.version,
                    decision=decided.decision.value,
                    decided_by=decided.decided_by,
                    why=decided.why,
                    reasons=json.dumps(list(decided.reasons)),
                    decided_at=at,
                )
            )
    finally:
        engine.dispose()
    return PromotionDecision(
        decided.claim_id,
        decided.version,
        decided.decision,
        decided.decided_by,
        decided.why,
        decided.reasons,
        at,
    )


def read_decisions(url: str, claim_id: str) -> list[PromotionDecision]:
    """Return a claim's decisions, oldest first; no new file where nobody has decided anything yet."""
    if is_unused(url):
        return []
    engine = open_engine(url)
    try:
        make_tables(engine.execution_options(is_writing=True))
        query = select(PROMOTION_DECISIONS).where(PROMOTION_DECISIONS.c.claim_id == claim_id)
        with engine.connect() as connection:
            rows = connection.execute(query.order_by(PROMOTION_DECISIONS.c.decision_id)).mappings().all()
    finally:
        engine.dispose()
    return [
        PromotionDecision(
            claim_id=row["claim_id"],
            version=row["version"],
            decision=Decision(row["decision"]),
            decided_by=row["decided_by"],
            why=row["why"],
            reasons=tuple(json.loads(row["reasons"])),
            decided_at=row["decided_at"],
        )
        for row in rows
    ]


def decision_on(url: str, claim_id: str, version: str) -> PromotionDecision | None:
    """Return the last decision on one set, None where nobody has decided on it."""
    decisions = [found for found in read_decisions(url, claim_id) if found.version == version]
    return decisions[-1] if decisions else None

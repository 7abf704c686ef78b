"""Sets that the promotion gate holds back, and people's decisions on them, as the assets see them."""

from citation_pipeline.adapters.tables.change_rows import Promotion, read_promotion
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.promotions import (
    Decision,
    PromotionDecision,
    decision_on,
    keep_decision,
)
from citation_pipeline.adapters.verifications.signing import read_signer
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.defs.settings import Settings


class NothingHeldError(PipelineError):
    """A decision on a claim of which nothing is held back."""

    def __init__(self, claim_id: str) -> None:
        super().__init__(f"nothing of {claim_id} is held back: look at `citation-pipeline promotions list`")


def held_decision(settings: Settings, claim_id: str, promotion: Promotion | None) -> PromotionDecision | None:
    """Return what was decided on the set that is held back, None where nothing is or nobody has."""
    if promotion is None or not promotion.reasons:
        return None
    return decision_on(settings.verifications_url, claim_id, promotion.version)


def is_held(store: ClaimStore, settings: Settings, claim_id: str) -> bool:
    """Tell whether a set of the claim waits for a decision."""
    promotion = read_promotion(store, claim_id)
    return (
        promotion is not None
        and bool(promotion.reasons)
        and held_decision(settings, claim_id, promotion) is None
    )


def accept_held(store: ClaimStore, settings: Settings, claim_id: str, *, by: str, why: str) -> None:
    """Keep the decision to show a held set; nothing where none is held."""
    if is_held(store, settings, claim_id):
        keep(store, settings, claim_id, Decision.ACCEPT, by=by, why=why)


def keep(
    store: ClaimStore, settings: Settings, claim_id: str, decision: Decision, *, by: str, why: str
) -> PromotionDecision:
    """Keep a decision on the claim's held set. Raises NothingHeldError where none waits for one."""
    promotion = read_promotion(store, claim_id)
    if promotion is None or not is_held(store, settings, claim_id):
        raise NothingHeldError(claim_id)
    return keep_decision(
        settings.verifications_url,
        PromotionDecision(claim_id, promotion.version, decision, by, why, promotion.reasons),
        signer=read_signer(settings.audit_key),
    )


def describe_decision(decided: PromotionDecision | None) -> str:
    """Return the decision for a claim's metadata: what and when, and whose (never why: it may quote)."""
    if decided is None:
        return "may be shown"
    word = "accepted" if decided.decision is Decision.ACCEPT else "refused: the earlier set stays"
    return f"{word}, by {decided.decided_by} at {decided.decided_at}"

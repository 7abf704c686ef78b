"""What a run of a claim would do, stage by stage, why, and at what cost, without doing any of it."""

from collections.abc import Iterable, Iterator

from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.part_boundaries import FOLDER as BOUNDARIES
from citation_pipeline.adapters.tables.tries import FOLDER as FAILED_TRIES
from citation_pipeline.adapters.tables.tries import read_failed_try
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.failures import describe_failure
from citation_pipeline.core.planning.nights import ClaimPlan, PredictedCost
from citation_pipeline.core.planning.stages import (
    REMATCH_STAGES,
    STAGE_TABLES,
    STAGES,
    UPSTREAM,
    StageDecision,
    decide,
)
from citation_pipeline.defs.assets.extracted_fields import answer_inputs
from citation_pipeline.defs.assets.parsed_documents import parser_inputs
from citation_pipeline.defs.assets.raw_extraction import extractor_inputs
from citation_pipeline.defs.assets.resolved_citations import matcher_inputs
from citation_pipeline.defs.assets.search_index import index_inputs
from citation_pipeline.defs.assets.source_documents import file_inputs
from citation_pipeline.defs.assets.viewer_dataset import viewer_inputs
from citation_pipeline.defs.automation.predicting import FREE_STAGE_MINUTES, predict_costs
from citation_pipeline.defs.runs.claim_schemas import check_schema, schema_of
from citation_pipeline.defs.settings import Settings

_FEW_CLAIMS = 3
_LOOKED_AT = (
    "claims",
    *(table for tables in STAGE_TABLES.values() for table in tables),
    "viewer_dataset",
    BOUNDARIES,
    FAILED_TRIES,
)
"""What a plan of many claims looks at, claim by claim."""


def plan_claim(
    claim: Claim,
    *,
    store: ClaimStore,
    parsers: Readers[DocumentParser],
    extractors: Readers[Extractor],
    settings: Settings,
) -> list[StageDecision]:
    """Return one decision per stage; raises a PipelineError for a claim that cannot be looked at."""
    check_schema(claim)
    states = store.stage_states(claim.claim_id)
    decisions: list[StageDecision] = []
    running: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    for stage in STAGES:
        kept = states[stage]
        failed = read_failed_try(store, stage, claim.claim_id)
        inputs: dict[str, str] = {}
        if kept is not None or (failed is not None and not running.intersection(UPSTREAM[stage])):
            # the states were read a moment ago: three readings of each would be most of a plan
            upstream = store.upstream_versions(stage, claim.claim_id, states=states)
            inputs = upstream | _own_inputs(
                stage, claim, store=store, parsers=parsers, extractors=extractors, settings=settings
            )
        decision = decide(stage, kept=kept, inputs=inputs, running=running, held=held, failed=failed)
        if decision.action == "run":
            running |= {stage}
        if decision.action == "hold":
            held |= {stage}
        decisions.append(decision)
    return decisions


def plan_claims(
    asked: Iterable[str | Claim],
    *,
    store: ClaimStore,
    parsers: Readers[DocumentParser],
    extractors: Readers[Extractor],
    settings: Settings,
) -> Iterator[ClaimPlan]:
    """Yield each claim's plan with what it would cost; a claim that cannot be looked at says why.

    A claim is asked for by its id, or given as it would be read: by others than it is registered with.
    """
    wanted = list(asked)
    if len(wanted) > _FEW_CLAIMS:
        store = store.listed(*_LOOKED_AT)
    for one in wanted:
        claim_id = one if isinstance(one, str) else one.claim_id
        try:
            claim = store.claim(one) if isinstance(one, str) else one
            decisions = plan_claim(
                claim, store=store, parsers=parsers, extractors=extractors, settings=settings
            )
            costs = predict_costs(claim, decisions, store=store, parsers=parsers, extractors=extractors)
        except Exception as error:  # noqa: BLE001 - one bad claim never spoils a night's plan
            yield ClaimPlan(claim_id, problem=describe_failure(error))
        else:
            yield ClaimPlan(claim_id, tuple(decisions), costs)


def plan_rematch(claim_ids: Iterable[str], *, store: ClaimStore) -> Iterator[ClaimPlan]:
    """Yield what a re-match of these claims would do: two stages each, whatever changed, for nothing.

    A claim that is not known, or was never parsed and extracted, says so.
    """
    decisions = tuple(StageDecision(stage, "run", ("asked_for",)) for stage in REMATCH_STAGES)
    costs = {stage: PredictedCost(minutes=FREE_STAGE_MINUTES) for stage in REMATCH_STAGES}
    for claim_id in claim_ids:
        try:
            states = store.stage_states(store.claim(claim_id).claim_id)
        except Exception as error:  # noqa: BLE001 - as above
            yield ClaimPlan(claim_id, problem=describe_failure(error))
            continue
        missing = [stage for stage in UPSTREAM[REMATCH_STAGES[0]] if states[stage] is None]
        if missing:
            yield ClaimPlan(claim_id, problem=f"{claim_id} has no {' and no '.join(missing)}: run it first")
        else:
            yield ClaimPlan(claim_id, decisions, costs)


def _own_inputs(
    stage: str,
    claim: Claim,
    *,
    store: ClaimStore,
    parsers: Readers[DocumentParser],
    extractors: Readers[Extractor],
    settings: Settings,
) -> dict[str, str]:
    match stage:
        case "source_documents":
            return file_inputs(claim)
        case "parsed_documents":
            return parser_inputs(claim, parsers)
        case "raw_extraction":
            return extractor_inputs(claim, schema_of(claim, store), extractors)
        case "extracted_fields":
            return answer_inputs(schema_of(claim, store))
        case "resolved_citations":
            return matcher_inputs(claim, settings)
        case "search_index":
            return index_inputs()
        case _:
            return viewer_inputs(claim, settings)

"""The jobs people start: a whole claim, and a re-match that makes no external call."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import dagster as dg

from citation_pipeline.core.planning.stages import REMATCH_STAGES, STAGES
from citation_pipeline.defs.fleet.placement import Placement
from citation_pipeline.defs.namespaces import HERE, Namespace

PARSER_TAG, EXTRACTOR_TAG = "citation_pipeline/parser", "citation_pipeline/extractor"
# of a paid provider: `dagster.yaml` limits how many runs share one
PARSER_POOL_TAG, EXTRACTOR_POOL_TAG = "citation_pipeline/parser_pool", "citation_pipeline/extractor_pool"
NIGHT_TAG, REASONS_TAG = "citation_pipeline/night", "citation_pipeline/reasons"
REMATCH_TAG = "citation_pipeline/rematch"  # a run that bears it is given no paid provider's client


_ANYWHERE = Placement()

AssetJob: TypeAlias = Any  # what `define_asset_job` returns has no public name


def build_jobs(place: Namespace = HERE, placement: Placement = _ANYWHERE) -> dict[str, AssetJob]:
    """Return the jobs over a namespace's assets, by the names they have without one.

    Each brings its executor, by default the run's own process: stages of a claim chain, and parsing has
    processes of its own.
    """

    def job(
        name: str,
        selection: dg.AssetSelection,
        description: str,
        tags: dict[str, str] | None = None,
        stages: Sequence[str] = (),
    ) -> AssetJob:
        return dg.define_asset_job(
            place.name(name),
            selection=selection,
            description=description,
            tags={**(tags or {}), **placement.run_tags(stages)} or None,
            executor_def=placement.executor_definition() if stages else dg.in_process_executor,
        )

    def assets(*names: str) -> dg.AssetSelection:
        return dg.AssetSelection.assets(*(place.key(name) for name in names))

    left_behind = dg.AssetCheckKey(place.key("nightly_batches"), "no_claim_is_left_behind")
    return {
        "process_claims": job(
            "process_claims",
            assets(*STAGES),
            "Documents to viewer dataset, for one claim a run.",
            stages=STAGES,
        ),
        "rematch_claims": job(
            "rematch_claims",
            assets(*REMATCH_STAGES),
            "Finds every snippet again, rebuilds the viewer dataset; makes no external call.",
            {REMATCH_TAG: "true"},
            stages=REMATCH_STAGES,
        ),
        "plan_claims": job(
            "plan_claims",
            assets("claim_plans"),
            "Says what a night would do now and what it would cost; does nothing of it.",
        ),
        "refresh_warehouse": job(
            "refresh_warehouse", assets("claims_warehouse"), "Brings the DuckDB file up to the store."
        ),
        "finish_nightly_batch": job(
            "finish_nightly_batch",
            assets("claims_warehouse") | dg.AssetSelection.checks(left_behind),
            "Brings the DuckDB file up to the night's work and says which claims were left behind.",
        ),
        "judge_quality": job(
            "judge_quality", assets("verified_quality"), "Judges the pipeline by what people signed."
        ),
    }

"""What a server may have run when somebody asks it to: `POST /extract`, uploads, decisions on held sets.

Serving knows no pipeline; who starts it gives it these.
"""

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from citation_pipeline.core.claims import Claim, ClaimIdError
from citation_pipeline.core.failures import PipelineError

if TYPE_CHECKING:
    from citation_pipeline.adapters.claim_settings import ReaderNames
    from citation_pipeline.defs.runs.processing import Processing
    from citation_pipeline.serving.api.agent_settings import DecideHeld, Extract, ExtractOutcome


def make_extract(store: str) -> "Extract":
    """Return what answers `POST /extract` and uploads that are processed at once: one run at a time, here."""
    one_at_a_time = threading.Lock()

    def extract(
        claim_id: str,
        force: bool,
        *,
        schema: str | None = None,
        parser: str | None = None,
        extractor: str | None = None,
        documents: tuple[str, ...] = (),
    ) -> "ExtractOutcome":
        from citation_pipeline.core.failures import describe_failure
        from citation_pipeline.defs.runs.processing import Processing
        from citation_pipeline.serving.api.agent_settings import ExtractOutcome

        given = {"schema": schema, "parser": parser, "extractor": extractor}
        with one_at_a_time:
            processing = Processing(store=store)
            try:
                claim = _claim_of(processing, claim_id, store, given)
                return _run(processing, claim, force=force, documents=documents)
            except (PipelineError, ClaimIdError) as error:
                return ExtractOutcome(claim_id, False, error=describe_failure(error))
            finally:
                processing.close()

    return extract


def reader_names() -> "ReaderNames":
    """Return the parsers and extractors that a request may name; a server needs no Dagster for it."""
    from citation_pipeline.adapters.claim_settings import ReaderNames
    from citation_pipeline.adapters.installed_readers import EXTRACTORS, PARSERS, installed_names

    return ReaderNames(installed_names(PARSERS), installed_names(EXTRACTORS))


def make_decide_held(store: str) -> "DecideHeld":
    """Return what carries out a reviewer's decision on a held set, as `promotions accept|refuse` does."""
    one_at_a_time = threading.Lock()

    def decide(claim_id: str, decision: str, *, by: str, why: str) -> None:
        from citation_pipeline.adapters.verifications.promotions import Decision
        from citation_pipeline.defs.runs.processing import Processing

        with one_at_a_time:
            processing = Processing(store=store)
            try:
                processing.decide(claim_id, Decision(decision), by=by, why=why)
            finally:
                processing.close()

    return decide


def _claim_of(processing: "Processing", claim_id: str, store: str, given: Mapping[str, str | None]) -> Claim:
    """Return the claim as it is to be read from now on, registered; raises a PipelineError.

    Nothing is registered before every name was checked: a claim that names nobody could not be run again.
    """
    from citation_pipeline.adapters.claim_folders import claim_of_folder
    from citation_pipeline.adapters.claim_settings import choose_settings, mark_of_folder
    from citation_pipeline.adapters.schema_files import locate_schema
    from citation_pipeline.defs.resources import read_settings as read_pipeline_settings
    from citation_pipeline.defs.resources import store_root
    from citation_pipeline.serving.entry import read_settings

    names = processing.reader_names
    chosen = {key: value for key, value in given.items() if value is not None}
    if claim_id in processing.store.claim_ids():
        claim = processing.store.claim(claim_id)
        if mark_of_folder(claim) not in ("", claim.settings_mark):  # its claim.toml was written again
            claim = choose_settings(claim, names=names)
        elif not chosen:
            return claim
        names.check(claim_id, chosen, where="as asked for,")
        if "schema" in chosen:
            chosen["schema"] = locate_schema(chosen["schema"])
        claim = claim.read_by(chosen)
    else:
        root = store or store_root()
        arriving = read_pipeline_settings(root).night.inbox
        folder = read_settings(root).agents.inbox_of(root) / claim_id
        claim = claim_of_folder(
            folder,
            schema=locate_schema(_schema_of(arriving.schema)),
            parser=arriving.parser,
            extractor=arriving.extractor,
        )
        claim = choose_settings(claim, names=names, given=chosen)
    processing.store.register(claim)
    return claim


def _run(
    processing: "Processing", claim: Claim, *, force: bool, documents: tuple[str, ...]
) -> "ExtractOutcome":
    from citation_pipeline.core.planning.stages import STAGES
    from citation_pipeline.serving.api.agent_settings import ExtractOutcome

    if documents:  # a file that was exchanged is listed anew before it is parsed
        parsed = processing.run(claim, STAGES[:2], documents=documents)
        if parsed.failure is not None:
            return ExtractOutcome(claim.claim_id, False, tuple(STAGES[:2]), parsed.failure)
    plan = processing.plan(claim)
    stages = list(STAGES) if force else [d.stage for d in plan if d.action != "skip"]
    run = processing.run(claim, stages) if stages else None
    if run is not None and run.failure is not None:
        return ExtractOutcome(claim.claim_id, False, tuple(stages), run.failure)
    return ExtractOutcome(claim.claim_id, True, tuple(stages))


def _schema_of(arriving: str) -> str:
    """Return the inbox's schema if one was chosen, else that of the documents' type."""
    from citation_pipeline.adapters.schema_files import AUTO

    return AUTO if arriving == Claim.__dataclass_fields__["schema"].default else arriving

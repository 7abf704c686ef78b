"""Erasing a claim: every trace of it in the store, the work dir and Dagster, and a search that proves it."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

from citation_pipeline.adapters.claim_originals import ORIGINALS
from citation_pipeline.adapters.coordination.database import open_at
from citation_pipeline.adapters.coordination.erasing import erase_rows, fingerprints_of
from citation_pipeline.adapters.deployment.deployment import Deployment
from citation_pipeline.adapters.erasure.databases import (
    Receipt,
    erase_from_index,
    erase_reviews,
    pack,
    review_texts,
    scrub_sqlite,
)
from citation_pipeline.adapters.erasure.files import (
    forget_in_json,
    remove_by_content,
    remove_lines,
    remove_named,
    remove_replies,
    rewrite_batches,
    rewrite_ledger,
)
from citation_pipeline.adapters.erasure.objects import erase_objects, is_named_in, versions_left
from citation_pipeline.adapters.erasure.searching import Found, pattern_of, search_files
from citation_pipeline.adapters.erasure.traces import (
    Traces,
    UnknownClaimError,
    hashes_of_others,
    read_traces,
)
from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.search_index.files import FILE_NAME as INDEX_NAME
from citation_pipeline.adapters.tables.archived_claims import archived_claim_ids, archived_since
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.leases import lease
from citation_pipeline.adapters.verifications.signing import read_signer
from citation_pipeline.adapters.warehouse.places import remove_warehouse, warehouse_file
from citation_pipeline.core.claims import check_claim_id
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.assets.partitions import claims
from citation_pipeline.defs.instances import open_instance

_SQLITE = (".db", ".sqlite")


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased, and what the search found then. `documents_left` is a folder outside the store."""

    claim_id: str
    files: int
    events: int
    runs: int
    receipt: Receipt
    proof: Found
    documents_left: str = ""

    @property
    def is_complete(self) -> bool:
        """Tell whether nothing was found, and nothing was left unsearched."""
        return not self.proof.remains and not self.proof.unreadable


def claims_archived_before(store: ClaimStore, *, days: int, now: datetime | None = None) -> list[str]:
    """Return the claims that were archived at least so many days ago."""
    latest = (now or datetime.now(UTC)) - timedelta(days=days)
    return sorted(
        claim_id
        for claim_id in archived_claim_ids(store)
        if datetime.fromisoformat(archived_since(store, claim_id)) <= latest
    )


def erase(
    deployment: Deployment, claim_id: str, *, by: str, why: str = "", with_documents: bool = False
) -> Erasure:
    """Erase a claim and search for it; raises UnknownClaimError.

    No stage of the claim runs meanwhile. An erasure that was interrupted is finished by the next one. Copies
    that other hosts have of a store in object storage go when those hosts look at the store again.
    """
    check_claim_id(claim_id)
    store = deployment.open_store()
    root, work = store.host_path(), deployment.work_dir.resolve()
    coordination = open_at(deployment.coordination_url)
    roots = [root, work, deployment.dagster_home, deployment.parse_cache.resolve()]
    others = [other for other in store.claim_ids() if other != claim_id]
    claim = pattern_of(claim_id, others)
    traces = read_traces(
        store,
        claim_id,
        ledger=SentRequests(deployment.ledger_dir, coordination),
        fingerprints=fingerprints_of(coordination, claim_id),
        said=review_texts(deployment.verifications_url, claim_id),
    )
    folder = _folder_of(store, claim_id)
    if folder is None and not traces.hashes and not _is_named(store, roots, claim_id):
        raise UnknownClaimError(claim_id)
    has_warehouse = warehouse_file(store).is_file()
    outside = folder is not None and not any(folder.is_relative_to(known) for known in roots)
    with _held(store, claim_id):
        store.remove("claims", f"{claim_id}.json")  # first: whatever would start finds no claim
        theirs = hashes_of_others(store, claim_id)
        files = _erase_files(deployment, store, traces, others=others, their_hashes=theirs)
        for place in dict.fromkeys(roots):
            files += remove_named(place, claim_id)
        if outside and with_documents and folder is not None:
            files += remove_named(folder.parent, claim_id)
    # after the leases, which are among them: a row that is gone says that another took it over
    erase_rows(coordination, claim_id, fingerprints=traces.fingerprints, others=theirs)
    if coordination.file is not None:
        pack(coordination.file)  # after the leases: released ones are in its free pages
    erase_from_index(Path(deployment.index_path or root / INDEX_NAME), claim_id)
    receipt = erase_reviews(
        deployment.verifications_url, claim_id, by=by, why=why, signer=read_signer(deployment.audit_key)
    )
    runs = _erase_runs(deployment.dagster_home, claim_id, claim)
    if has_warehouse:
        _rebuild_warehouse(deployment, store)
    proof = search_files(roots, claim=claim, strings=traces.strings, others=theirs.union(others), store=store)
    if not store.is_local:
        proof = replace(proof, unreadable=(*proof.unreadable, *versions_left(store)))
    left = str(folder) if outside and not with_documents else ""
    return Erasure(claim_id, files, receipt.events, runs, receipt, proof, left)


def check_known(deployment: Deployment, claim_id: str) -> None:
    """Raise UnknownClaimError where nothing of this machine or store bears the claim's name."""
    store = deployment.open_store()
    roots = [store.host_path(), deployment.work_dir.resolve()]
    if not store.has("claims", f"{check_claim_id(claim_id)}.json") and not _is_named(store, roots, claim_id):
        raise UnknownClaimError(claim_id)


def _erase_files(
    deployment: Deployment,
    store: ClaimStore,
    traces: Traces,
    *,
    others: list[str],
    their_hashes: frozenset[str],
) -> int:
    """Remove what is kept under what the claim's documents and requests are, and not under its name."""
    root, work = store.host_path(), deployment.work_dir.resolve()
    content = {
        root / ".page_images",
        deployment.parse_cache.resolve(),
        root / "reducto_results",
        root / "azure_results",
        work / "reducto_jobs",
        work / "azure_layout",
    }
    if store.is_local:
        content.add(root / ORIGINALS)
    if deployment.cache_dir is not None:
        content.add(Path(deployment.cache_dir))
    files = remove_by_content(content, others=their_hashes)
    files += remove_replies(work / "replies", traces)
    rewrite_ledger(deployment.ledger_dir, traces.claim_id)
    files += sum(rewrite_batches(folder, traces) for folder in work.glob("batches*"))
    if not store.is_local:
        files += erase_objects(store, traces, others=others, their_hashes=their_hashes)
    prompts = (deployment.prompts,) if deployment.prompts is not None else ()
    for place in dict.fromkeys((root, work, *prompts)):
        forget_in_json(place, traces.claim_id, others=frozenset(others))
    return files


def _folder_of(store: ClaimStore, claim_id: str) -> Path | None:
    if not store.has("claims", f"{claim_id}.json"):
        return None
    return Path(store.claim(claim_id).folder).resolve()


def _is_named(store: ClaimStore, roots: list[Path], claim_id: str) -> bool:
    return (not store.is_local and is_named_in(store, claim_id)) or any(
        path.name.startswith(f"{claim_id}.") or path.name == claim_id
        for root in roots
        for path in (root.rglob(f"{claim_id}*") if root.is_dir() else ())
    )


@contextmanager
def _held(store: ClaimStore, claim_id: str) -> Iterator[None]:
    with ExitStack() as held:
        for stage in STAGES:
            held.enter_context(lease(store, stage, claim_id))
        yield


def _erase_runs(home: Path, claim_id: str, claim: re.Pattern[str]) -> int:
    """Delete the claim's partition and its own runs with their logs, and its name from what is left."""
    if not home.is_dir():
        return 0
    deleted = _delete_runs(home, claim_id)
    for path in sorted(home.rglob("*")):
        if path.suffix in _SQLITE and path.is_file():
            scrub_sqlite(path, claim)
    remove_lines(home, claim)
    return deleted


def _delete_runs(home: Path, claim_id: str) -> int:
    instance = open_instance(home)
    try:
        found = instance.get_runs(dg.RunsFilter(tags={"dagster/partition": claim_id}))
        for run in found:
            instance.delete_run(run.run_id)
            remove_named(home / "storage", run.run_id)
            for path in (home / "history" / "runs").glob(f"{run.run_id}.*"):
                path.unlink(missing_ok=True)
        if claim_id in instance.get_dynamic_partitions(str(claims.name)):
            instance.delete_dynamic_partition(str(claims.name), claim_id)
        return len(found)
    finally:
        instance.dispose()


def _rebuild_warehouse(deployment: Deployment, store: ClaimStore) -> None:
    """Make the warehouse anew: in a file that is only brought up to date, deleted rows lie on."""
    from citation_pipeline.defs.runs.processing import Processing

    remove_warehouse(store)
    processing = Processing(store=deployment.store)
    try:
        processing.refresh_warehouse()
    finally:
        processing.close()

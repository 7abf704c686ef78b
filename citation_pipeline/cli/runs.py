"""Commands that run claims: `run`, `rematch`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.claim_settings import ReaderNames, choose_settings
from citation_pipeline.adapters.installed_readers import EXTRACTORS, PARSERS
from citation_pipeline.adapters.schema_files import locate_schema
from citation_pipeline.cli.display import watching
from citation_pipeline.cli.options import ReaderName, Teller, json_option, new_store_option, store_option
from citation_pipeline.core.claims import Claim, ClaimIdError
from citation_pipeline.core.failures import PipelineError, describe_failure
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.planning.stages import REMATCH_STAGES, STAGES
from citation_pipeline.core.viewer.issues import summarize_unread

_PARSING = STAGES[:2]  # a file that was exchanged is listed anew before it is parsed

if TYPE_CHECKING:
    from citation_pipeline.defs.runs.processing import Processing


@click.command()
@click.argument("claim_dirs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CLAIM_DIR…")
@new_store_option
@click.option(
    "--schema",
    metavar="NAME|FILE|auto",
    help="Target schema: a shipped one, a JSON Schema file, or chosen by document type [the folder's "
    "claim.toml, else workers_comp].",
)
@click.option("--parser", type=ReaderName(PARSERS), help="Who parses [the folder's claim.toml, else local].")
@click.option(
    "--extractor", type=ReaderName(EXTRACTORS), help="Who answers [the folder's claim.toml, else rules]."
)
@click.option(
    "--document",
    "documents",
    multiple=True,
    metavar="SOURCE_ID",
    help="Parse this document of the claim again, alone, and run what depends on it (may be repeated).",
)
@click.option("--force", is_flag=True, help="Run every stage, also those whose inputs did not change.")
@json_option
def run(
    claim_dirs: tuple[Path, ...],
    store: str,
    schema: str | None,
    parser: str | None,
    extractor: str | None,
    documents: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Bring claim folders to viewer datasets; stages whose inputs did not change are left as they are."""
    from citation_pipeline.defs.runs.processing import Processing

    teller = Teller(as_json=as_json)
    try:
        schema = locate_schema(schema) if schema else None
    except SchemaError as error:
        raise click.BadParameter(str(error), param_hint="--schema") from error
    if documents and (force or len(claim_dirs) != 1):
        raise click.UsageError("--document is of one claim, and stands for --force")
    with watching(as_json=as_json) as watcher:
        processing = Processing(store=store, watcher=watcher)
        if documents:
            changed = [_run_documents(processing, claim_dirs[0], documents, teller)]
        else:
            given = {"schema": schema, "parser": parser, "extractor": extractor}
            found = _claims_of(claim_dirs, teller, names=processing.reader_names, given=given)
            changed = [_run_one(processing, claim, teller, force=force) for claim in found]
        if any(changed):
            _refresh(processing, teller)
        processing.close()
    teller.finish()


@click.command()
@click.argument("claim_ids", nargs=-1, metavar="[CLAIM_ID…]")
@store_option
@json_option
def rematch(claim_ids: tuple[str, ...], store: str, as_json: bool) -> None:
    """Find every snippet again and rebuild the viewer datasets; parses nothing and makes no external call.

    Without claim ids, all claims of the store.
    """
    from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
    from citation_pipeline.defs.runs.processing import Processing

    teller = Teller(as_json=as_json)
    with watching(as_json=as_json) as watcher:
        processing = Processing(store=store, watcher=watcher)
        for claim_id in claim_ids or open_claim_ids(processing.store):
            claim = _known(processing, claim_id, teller)
            if claim is not None:
                _execute(processing, claim, REMATCH_STAGES, teller)
                processing.run(claim, ("search_index",))  # follows the new places; reads only tables
        _refresh(processing, teller)
        processing.close()
    teller.finish()


def _claims_of(
    folders: tuple[Path, ...], teller: Teller, *, names: ReaderNames, given: Mapping[str, str | None]
) -> list[Claim]:
    """Return the claims of the folders, each as it is to be read; names those that cannot be."""
    claims: dict[str, Claim] = {}
    for folder in folders:
        try:
            claim = choose_settings(claim_of_folder(folder), names=names, given=given)
        except (ClaimIdError, PipelineError) as error:
            teller.fail(str(error))
            continue
        if claim.claim_id in claims:
            teller.fail(f"{folder}: a claim {claim.claim_id} was given twice: rename one of the folders")
        else:
            claims[claim.claim_id] = claim
    return list(claims.values())


def _known(processing: "Processing", claim_id: str, teller: Teller) -> Claim | None:
    try:
        return processing.store.claim(claim_id)
    except (ClaimIdError, PipelineError) as error:
        teller.fail(str(error))
        return None


def _run_one(processing: "Processing", claim: Claim, teller: Teller, *, force: bool) -> bool:
    """Run what is stale of one claim; tell whether anything ran."""
    try:
        processing.store.register(claim)
        stages = list(STAGES) if force else [d.stage for d in processing.plan(claim) if d.action != "skip"]
    except Exception as error:  # noqa: BLE001 - one bad claim never fails its batch
        teller.fail(f"{claim.claim_id}: {describe_failure(error)}")
        return False
    if not stages:
        dataset = processing.store.read_viewer_dataset(claim.claim_id)
        is_partial = _tell_unread(claim.claim_id, dataset, teller)
        teller.tell(
            {"claim_id": claim.claim_id, "status": "unchanged", "ran": []}
            | ({"is_partial": True} if is_partial else {}),
            f"{claim.claim_id}: nothing changed since its last run; nothing was done again",
        )
        return False
    _execute(processing, claim, stages, teller)
    return True


def _run_documents(
    processing: "Processing", claim_dir: Path, documents: tuple[str, ...], teller: Teller
) -> bool:
    """Parse some documents of a known claim again and run what that made stale; tell whether it worked."""
    # as it was registered: another schema or parser would be another run
    claim = _known(processing, claim_dir.resolve().name if claim_dir.is_dir() else claim_dir.name, teller)
    if claim is None:
        return False
    parsed = processing.run(claim, _PARSING, documents=documents)
    if parsed.failure is not None:
        teller.fail(f"{claim.claim_id}: {parsed.failure}")
        return False
    stale = [d.stage for d in processing.plan(claim) if d.action != "skip"]
    if stale:
        _execute(processing, claim, stale, teller, ran=_PARSING)
        return True
    teller.tell(
        {"claim_id": claim.claim_id, "status": "unchanged", "ran": list(_PARSING)},
        f"{claim.claim_id}: {', '.join(documents)} parsed again; it says the same, so nothing else ran",
    )
    return True


def _execute(
    processing: "Processing", claim: Claim, stages: Sequence[str], teller: Teller, *, ran: Sequence[str] = ()
) -> None:
    outcome = processing.run(claim, stages)
    if outcome.failure is not None:
        teller.tell(
            {
                "claim_id": claim.claim_id,
                "status": "failed",
                "ran": [*ran, *stages],
                "error": outcome.failure,
            },
            f"{claim.claim_id}: failed",
        )
        teller.fail(f"{claim.claim_id}: {outcome.failure}")
        return
    dataset = processing.store.read_viewer_dataset(claim.claim_id)
    is_partial = _tell_unread(claim.claim_id, dataset, teller)
    record = _summary(dataset) | {
        "claim_id": claim.claim_id,
        "status": "partial" if is_partial else "done",
        "ran": [*ran, *stages],
        "run_id": outcome.run_id,
        "viewer_dataset": processing.store.path("viewer_dataset", claim.claim_id, "data.json"),
    }
    teller.tell(record, _sentence(record))


def _tell_unread(claim_id: str, dataset: dict[str, Any], teller: Teller) -> bool:
    """Name what of a claim was not read; tell whether it is partial."""
    remedies = {source["id"]: source["error"] for source in dataset["sources"] if source["error"]}
    for issue in dataset["issues"]:
        if issue["code"] == "document_empty":
            teller.warn(f"{claim_id}: {issue['sourceId']} was not read: {remedies[issue['sourceId']]}")
    if dataset["status"] != "partial":
        return False
    for line in summarize_unread(dataset["issues"], remedies):
        teller.fail(f"{claim_id}: partial: {line}")
    return True


def _refresh(processing: "Processing", teller: Teller) -> None:
    outcome = processing.refresh_warehouse()
    if outcome.failure is not None:
        teller.fail(f"warehouse: {outcome.failure}")


def _summary(dataset: dict[str, Any]) -> dict[str, Any]:
    statuses = Counter(source["status"] for source in dataset["sources"])
    citations = [
        citation
        for field in dataset["fields"]
        for citation in (*field["citations"], *field["unresolvedCitations"])
    ]
    silent = Counter(field["status"] for field in dataset["unreadFields"])
    return {
        "documents": len(dataset["sources"]),
        "document_statuses": dict(sorted(statuses.items())),
        "pages": sum(source["pageCount"] for source in dataset["sources"]),
        "schema": dataset["schema"]["name"],
        "fields_found": len(dataset["fields"]),
        "fields_in_schema": sum(len(dataset[name]) for name in ("fields", "absentFields", "unreadFields")),
        "fields_absent": len(dataset["absentFields"]),
        **{f"fields_{status}": silent[status] for status in ("unread", "doubted", "unreadable")},
        "issues": dict(sorted(Counter(issue["code"] for issue in dataset["issues"]).items())),
        "citations": dict(sorted(Counter(citation["status"] for citation in citations).items())),
    }


def _sentence(record: dict[str, Any]) -> str:
    read = ", ".join(f"{count} {status}" for status, count in record["document_statuses"].items())
    found = ", ".join(f"{count} {status}" for status, count in record["citations"].items()) or "none"
    counts = {name: record[f"fields_{name}"] for name in ("absent", "unread", "doubted", "unreadable")}
    listed = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    silent = f" ({listed})" if any(counts[name] for name in counts if name != "absent") else ""
    state = "partial: " if record["status"] == "partial" else ""
    return (
        f"{record['claim_id']}: {state}{record['documents']} documents ({read}), {record['pages']} pages; "
        f"{record['fields_found']} of {record['fields_in_schema']} fields found{silent}; citations: {found}\n"
        f"  ran {', '.join(record['ran'])}\n  {record['viewer_dataset']}"
    )

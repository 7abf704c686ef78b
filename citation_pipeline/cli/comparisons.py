"""The command that lays extractors side by side before one is switched to: `compare`."""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citation_pipeline.cli.evaluations import truth_file
from citation_pipeline.cli.options import Teller, json_option, need_store, new_store_option
from citation_pipeline.core.claims import Claim, ClaimIdError
from citation_pipeline.core.failures import PipelineError, describe_failure

if TYPE_CHECKING:
    from citation_pipeline.adapters.tables.claim_store import ClaimStore
    from citation_pipeline.core.comparison.sides import ClaimComparison
    from citation_pipeline.defs.runs.comparing import Comparing
    from citation_pipeline.defs.settings import Settings


@click.command()
@click.argument("claims", nargs=-1, required=True, metavar="CLAIM_ID|CLAIM_DIR…")
@click.option(
    "--extractors",
    "labels",
    required=True,
    metavar="A,B[,…]",
    help="Two or more by name; NAME:MODEL for one of a provider's models, such as claude:claude-haiku-5-5.",
)
@click.option("--schema", metavar="NAME|FILE|auto", help="Compare by this schema [the claim's own].")
@click.option(
    "--truth",
    type=click.Path(path_type=Path, exists=True),
    help="A truth file, or a folder with <claim_id>/truth.json: says who is right.",
)
@click.option("--verified", is_flag=True, help="What people signed is the truth.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report as one HTML file, too; it loads nothing from anywhere.",
)
@new_store_option
@json_option
def compare(
    claims: tuple[str, ...],
    labels: str,
    schema: str | None,
    truth: Path | None,
    verified: bool,
    html: Path | None,
    store: str,
    as_json: bool,
) -> None:
    """Ask several extractors for the same claims: values, places, refusals, cost and time side by side.

    Per field, by type of value and by type of document. Nothing that is shown changes; paid replies are
    archived, so a later run pays for none of them again. What paid extractors are likely to cost is said on
    stderr before they are asked.
    """
    from citation_pipeline.adapters.readers import ReaderError
    from citation_pipeline.core.comparison import page, reports
    from citation_pipeline.defs.readers import extractors, parsers
    from citation_pipeline.defs.resources import read_settings
    from citation_pipeline.defs.runs.comparing import Comparing, contenders_of

    if verified and truth is not None:
        raise click.UsageError("--verified and --truth exclude each other: what people signed is the truth")
    if not any(Path(name).is_dir() for name in claims):  # folders can be compared before there is a store
        need_store(store)
    settings = read_settings(store)
    wanted = [label.strip() for label in labels.split(",") if label.strip()]
    try:
        contenders = contenders_of(wanted, extractors(settings).names)
    except ReaderError as error:
        raise click.UsageError(str(error)) from error
    teller = Teller(as_json=as_json)
    place = settings.open_store()
    found = []
    with (
        closing(parsers(settings)) as readers,
        closing(Comparing(contenders, store=place, settings=settings, parsers=readers)) as comparing,
    ):
        for name in dict.fromkeys(claims):
            try:
                claim = _claim_of(name, place, settings, schema)
                found.append(
                    _compare_one(comparing, claim, place, settings, teller, truth, verified=verified)
                )
            except (ClaimIdError, PipelineError) as error:
                text = describe_failure(error)
                teller.fail(text if text.startswith(name) else f"{name}: {text}")
                continue
            for side in found[-1].sides:
                if side.failure:
                    teller.fail(f"{found[-1].claim_id}: {side.extractor} gave no answer: {side.failure}")
            teller.tell(reports.as_json(found[-1]), reports.as_text(found[-1]))
    teller.tell(reports.total_json(found), reports.total_text(found))
    if html is not None:
        html.write_text(page.comparison_page(found), encoding="utf-8")
    teller.finish()


def _claim_of(name: str, store: "ClaimStore", settings: "Settings", schema: str | None) -> Claim:
    """Return a claim of the store by its id, or that of a folder, which is not registered."""
    from citation_pipeline.adapters.claim_folders import ClaimFolderError, claim_of_folder
    from citation_pipeline.adapters.claim_settings import choose_settings
    from citation_pipeline.adapters.schema_files import locate_schema
    from citation_pipeline.defs.readers import reader_names

    if name in store.claim_ids():
        claim = store.claim(name)
    elif Path(name).is_dir():
        claim = choose_settings(claim_of_folder(Path(name)), names=reader_names(settings))
    else:
        raise ClaimFolderError(f"{name} is neither a claim of the store nor a folder")
    return replace(claim, schema=locate_schema(schema)) if schema else claim


def _compare_one(
    comparing: "Comparing",
    claim: Claim,
    store: "ClaimStore",
    settings: "Settings",
    teller: Teller,
    truth: Path | None,
    *,
    verified: bool,
) -> "ClaimComparison":
    from citation_pipeline.defs.runs.comparing import schema_for

    documents = comparing.documents_of(claim)
    schema = schema_for(claim, documents)
    known: Mapping[str, Any] | None = None
    if verified:
        from citation_pipeline.adapters.verifications.store import read_reviews
        from citation_pipeline.core.evaluation.verified_truth import truth_of_reviews

        reviews = read_reviews(settings.verifications_url, claim.claim_id)
        shas = {document.source.source_id: document.source.sha256 for document in documents}
        known = truth_of_reviews(claim.claim_id, schema, reviews, shas=shas)
        if not known["fields"] and not known["absent_fields"]:
            teller.warn(f"{claim.claim_id}: nobody has signed for a field yet: agreement only")
            known = None
    elif truth is not None:
        known = _read_truth(truth, claim.claim_id)
    price = comparing.price(documents, schema)
    if price.calls:
        teller.warn(
            f"{claim.claim_id}: about {price.calls} paid calls, ${price.dollars:,.2f}; "
            "stored replies are free"
        )
    return comparing.compare(claim, documents, schema, truth=known)


def _read_truth(truth: Path, claim_id: str) -> Mapping[str, Any]:
    from citation_pipeline.adapters.claim_folders import ClaimFolderError

    path = truth_file(claim_id, truth)
    try:
        found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for true in found["fields"].values():
            _ = true["value"], true["type"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClaimFolderError(
            f"{claim_id}: its truth cannot be read ({type(error).__name__}): see docs/evaluation.md"
        ) from error
    return found

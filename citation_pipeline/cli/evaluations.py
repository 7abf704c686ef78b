"""The command that compares what the store holds with a truth, or with what people signed: `evaluate`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citation_pipeline.cli.options import Teller, need_store, new_store_option
from citation_pipeline.core.failures import PipelineError

if TYPE_CHECKING:
    from citation_pipeline.adapters.tables.claim_store import ClaimStore
    from citation_pipeline.core.evaluation.evaluation import Evaluation


@click.command()
@click.argument("claim_ids", nargs=-1, metavar="[CLAIM_ID…]")
@click.option(
    "--truth",
    type=click.Path(path_type=Path, exists=True),
    help="A truth file, or a folder with <claim_id>/truth.json [truth.json in the claim's own folder].",
)
@click.option(
    "--verified",
    is_flag=True,
    help="Against what people signed instead of a truth file [all claims that were reviewed].",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --verified: end with 1 when a field is worse than this committed file says.",
)
@click.option("--write-baseline", is_flag=True, help="Write the baseline anew instead of comparing with it.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report as one HTML file with pictures, too (needs the extra `pictures`).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per claim instead of Markdown.")
@new_store_option
def evaluate(
    claim_ids: tuple[str, ...],
    truth: Path | None,
    verified: bool,
    baseline: Path | None,
    write_baseline: bool,
    html: Path | None,
    as_json: bool,
    store: str,
) -> None:
    """Compare claims with their truth: values, places, confidence; per field and per type."""
    from citation_pipeline.core.evaluation import reports
    from citation_pipeline.defs.resources import open_store

    _check_options(claim_ids, truth, verified, baseline, write_baseline)
    need_store(store)
    teller = Teller(as_json=as_json)
    place = open_store(store)
    if verified:
        found = _against_verifications(teller, place, claim_ids, baseline, write_baseline=write_baseline)
    else:
        found = _against_truth(teller, place, claim_ids, truth)
        for one in found:
            teller.tell(reports.as_json(one), reports.as_markdown(one))
    if html is not None:
        _write_html(teller, html, found)
    teller.finish()


def _check_options(
    claim_ids: tuple[str, ...], truth: Path | None, verified: bool, baseline: Path | None, write: bool
) -> None:
    if not claim_ids and not verified:
        raise click.UsageError("name the claims to evaluate, or ask for --verified")
    if verified and truth is not None:
        raise click.UsageError("--verified and --truth exclude each other: what people signed is the truth")
    if (baseline is not None or write) and not verified:
        raise click.UsageError("--baseline and --write-baseline belong to --verified")
    if write and baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE: where to write it")


def _against_truth(
    teller: Teller, place: "ClaimStore", claim_ids: tuple[str, ...], truth: Path | None
) -> "list[Evaluation]":
    from citation_pipeline.adapters.tables.answer_rows import read_extraction
    from citation_pipeline.adapters.tables.citation_rows import read_citations
    from citation_pipeline.adapters.tables.document_rows import read_documents
    from citation_pipeline.core.evaluation import evaluation

    found = []
    for claim_id in claim_ids:
        try:
            folder = Path(place.claim(claim_id).folder)
            path = truth_file(claim_id, truth) if truth else folder / "truth.json"
            found.append(
                evaluation.evaluate(
                    json.loads(path.read_text()),
                    read_extraction(place, claim_id).fields,
                    read_citations(place, claim_id),
                    read_documents(place, claim_id),
                )
            )
        except PipelineError as error:
            teller.fail(str(error))
        except (OSError, ValueError, KeyError, TypeError) as error:
            teller.fail(
                f"{claim_id}: its truth cannot be read ({type(error).__name__}): see docs/evaluation.md"
            )
    return found


def truth_file(claim_id: str, truth: Path) -> Path:
    """Return a claim's truth file: the one given, or that of the claim's folder in the one given."""
    return truth / claim_id / "truth.json" if truth.is_dir() else truth


def _against_verifications(
    teller: Teller,
    place: "ClaimStore",
    claim_ids: tuple[str, ...],
    baseline: Path | None,
    *,
    write_baseline: bool,
) -> "list[Evaluation]":
    from citation_pipeline.core.evaluation.verified_baseline import Outcome, outcomes_of
    from citation_pipeline.defs.resources import read_settings
    from citation_pipeline.defs.runs.verified_evaluations import evaluate_verified, reviewed_claims

    settings = read_settings(str(place.root))
    found, absent = [], {}
    for claim_id in claim_ids or reviewed_claims(settings):
        try:
            evaluation, absent[claim_id] = evaluate_verified(place, settings, claim_id)
        except PipelineError as error:
            teller.fail(str(error))
            continue
        found.append(evaluation)
    outcomes = outcomes_of(found, absent)
    for claim_id, fields in outcomes.items():
        counts = {one.value: sum(outcome is one for outcome in fields.values()) for one in Outcome}
        said = ", ".join(f"{count} {name}" for name, count in counts.items())
        teller.tell(
            {"claim_id": claim_id, "verified_fields": len(fields), **counts, "fields": fields},
            f"{claim_id}: {len(fields)} verified fields: {said}",
        )
    if not outcomes:
        teller.warn("nobody has signed for a field of these claims yet")
    if baseline is not None and not (write_baseline and not baseline.exists()):
        before = _read_baseline(teller, baseline)
        if before is not None and not write_baseline:
            _compare(teller, before, outcomes, claim_ids)
        elif before is not None and claim_ids:  # the others stay as they were
            outcomes = before | outcomes
    if baseline is not None and write_baseline and not teller.failures:
        text = json.dumps({"claims": outcomes}, indent=1, sort_keys=True) + "\n"
        baseline.write_text(text, encoding="utf-8")
    return found


def _read_baseline(teller: Teller, path: Path) -> dict[str, Any] | None:
    from citation_pipeline.core.evaluation.verified_baseline import BaselineError, read_baseline

    try:
        return dict(read_baseline(json.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError) as error:
        what = str(error) if isinstance(error, BaselineError) else f"{path} cannot be read as JSON"
        teller.fail(f"{what}: write one with --write-baseline where there is none")
        return None


def _compare(
    teller: Teller, before: dict[str, Any], outcomes: dict[str, Any], claim_ids: tuple[str, ...]
) -> None:
    """Name what is worse than the baseline, and claims that are not there: nothing was tried of them.

    Fields that are better or new are no failure.
    """
    from citation_pipeline.core.evaluation.verified_baseline import compare_with_baseline

    if claim_ids:  # of the others nothing was asked
        before = {claim_id: before[claim_id] for claim_id in claim_ids if claim_id in before}
    for claim_id in sorted(set(before) - set(outcomes)):
        teller.fail(f"{claim_id}: in the baseline, but this store has no verifications of it")
    compared = compare_with_baseline(before, outcomes)
    for claim_id, key in compared.worse:
        teller.fail(f"{claim_id} {key}: was {before[claim_id][key]}, is {outcomes[claim_id][key]}")
    for claim_id, key in compared.gone:
        teller.warn(f"{claim_id} {key}: in the baseline, but nobody's verification any more")
    for word, pairs in (("better than the baseline", compared.better), ("not in the baseline", compared.new)):
        if pairs:
            teller.warn(f"{len(pairs)} verified fields are {word}: renew it with --write-baseline")


def _write_html(teller: Teller, path: Path, found: "list[Evaluation]") -> None:
    from citation_pipeline.analysis.evaluations import EvaluationFrames

    try:
        EvaluationFrames(found).to_html(path)
    except ModuleNotFoundError as error:
        teller.fail(f"--html needs {error.name}: python -m pip install 'citation-pipeline[pictures]' adds it")

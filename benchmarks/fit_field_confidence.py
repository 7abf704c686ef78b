"""Fit the confidence of fields on claims with a truth, cross-validated by claim, and print what it is worth.

    python benchmarks/fit_field_confidence.py --claims DIR [--claims DIR] --store DIR [--write]

Every claim is parsed once into the store; after that a fit takes less than a minute. The mixed set is the
recorded perfect and sloppy answers where a claim has them, and the rules on every claim; the weights are also
fitted on answers with planted errors, since the recorded values are all right. A field is right
when its value is (as `evaluate` judges it) and one of its places is: a right value over words that say
something else is no right field. Places are judged where the truth was recorded with the answers, since
other truths name some of them only. Each claim is judged by weights fitted on the others.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from click.testing import CliRunner  # noqa: E402

from benchmarks.planted_answers import plant_errors  # noqa: E402
from citation_pipeline.adapters.extractors.rules import RulesExtractor  # noqa: E402
from citation_pipeline.adapters.schema_files import load_schema  # noqa: E402
from citation_pipeline.adapters.tables.claim_store import ClaimStore  # noqa: E402
from citation_pipeline.adapters.tables.document_rows import read_documents  # noqa: E402
from citation_pipeline.cli.main import main as command  # noqa: E402
from citation_pipeline.core.answers.evidence import check_evidence, with_warnings  # noqa: E402
from citation_pipeline.core.answers.reading import read_answer  # noqa: E402
from citation_pipeline.core.citations import Citation, CitationStatus  # noqa: E402
from citation_pipeline.core.claims import Claim  # noqa: E402
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument  # noqa: E402
from citation_pipeline.core.evaluation.evaluation import evaluate  # noqa: E402
from citation_pipeline.core.evaluation.places import (  # noqa: E402
    is_on_page,
    names_of,
    places_of,
    word_box_f1,
)
from citation_pipeline.core.evaluation.scores import auroc  # noqa: E402
from citation_pipeline.core.extraction import ExtractedField, Extraction  # noqa: E402
from citation_pipeline.core.resolution.claims import resolve_claim  # noqa: E402
from citation_pipeline.core.resolution.field_confidence import PARTS, confidence_of, features_of, weights  # noqa: E402
from citation_pipeline.core.schemas import Schema  # noqa: E402

WEIGHTS = PROJECT / "citation_pipeline" / "core" / "resolution" / "field_weights.json"
RIDGE = 1.0
RIGHT_PLACE = 0.5  # of the words, as `evaluate` has it
KINDS = ("perfect", "sloppy", "rules")
PLANTED = "planted"
WITHHELD = "withheld"  # what the rules read and did not show: what their doubt is worth
IN_THE_FIT_ALONE = (PLANTED, WITHHELD)


@dataclass(frozen=True)
class Sample:
    """One field of one answer: what the model sees of it, and whether its value is right."""

    claim: str
    kind: str
    field_key: str
    features: dict[str, float]
    is_right: bool
    is_value_right: bool
    field: ExtractedField
    citations: list[Citation]


def main() -> None:
    """Fit, judge, print, and with --write keep the weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--claims", type=Path, action="append", required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--show", action="store_true", help="the wrong fields and what they were given")
    arguments = parser.parse_args()
    folders = [f for top in arguments.claims for f in sorted(top.iterdir()) if (f / "truth.json").is_file()]
    samples = [sample for folder in folders for sample in samples_of(folder, arguments.store)]
    names = list(samples[0].features)
    y = np.array([float(sample.is_right) for sample in samples])
    claims = np.array([sample.claim for sample in samples])
    unseen = np.zeros(len(y))
    for claim in sorted(set(claims)):
        held = claims == claim
        fitted = fit_parts([s for s, out in zip(samples, held, strict=True) if not out], names)
        unseen[held] = [given(sample, names, fitted) for sample in samples if sample.claim == claim]
    whole = fit_parts(samples, names)
    for kind in IN_THE_FIT_ALONE:
        own = np.array([sample.kind == kind for sample in samples])
        print(f"{kind}, in the fit alone: {int(own.sum())} fields, AUROC {rank(unseen[own], y[own]):.4f}")
    judged = np.array([sample.kind not in IN_THE_FIT_ALONE for sample in samples])
    samples, unseen, y = [s for s in samples if s.kind not in IN_THE_FIT_ALONE], unseen[judged], y[judged]
    judge(samples, unseen, y)
    values = np.array([float(sample.is_value_right) for sample in samples])
    print(f"  of values alone: {int(len(y) - values.sum())} wrong; AUROC {rank(unseen, values):.4f}")
    if arguments.show:
        for sample, shown in sorted(zip(samples, unseen, strict=True), key=lambda pair: -pair[1]):
            if not sample.is_right:
                said = [name for name, value in sample.features.items() if value]
                print(f"{shown:.3f} {sample.claim} {sample.kind} {sample.field_key} {said}")
    kept_now = np.array([confidence_of(s.field, s.citations, weights()).confidence for s in samples])
    print("the weights that are kept now, on the same fields:")
    judge(samples, kept_now, y)
    fitted = dict(zip(["intercept", *names], (round(float(w), 4) for w in whole), strict=True))
    print(json.dumps(fitted, indent=1))
    if arguments.write:
        kept = {"fitted_on": f"{len(samples)} fields of {len(folders)} claims", "weights": fitted}
        WEIGHTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def fit(x: np.ndarray, y: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
    """Return the weights by Newton's method; `offset` is what is known of the log-odds beforehand."""
    weights = np.zeros(x.shape[1])
    known = np.zeros(len(y)) if offset is None else offset
    penalty = np.eye(x.shape[1]) * RIDGE
    penalty[0, 0] = 1e-3
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ weights + known, -30, 30)))
        gradient = x.T @ (y - p) - penalty @ weights
        step = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + penalty, gradient)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def given(sample: Sample, names: list[str], fitted: np.ndarray) -> float:
    """Return the confidence that the sample would be shown with, its limits included."""
    named = dict(zip(["intercept", *names], fitted.tolist(), strict=True))
    return confidence_of(sample.field, sample.citations, named).confidence


def rows_of(samples: list[Sample], names: list[str]) -> np.ndarray:
    """Return the samples' features as rows that begin with 1, for the intercept."""
    return np.array([[1.0, *(sample.features[name] for name in names)] for sample in samples])


def fit_parts(samples: list[Sample], names: list[str]) -> np.ndarray:
    """Return the weights, fitted in two steps.

    What place and evidence are worth is learned from recorded answers and planted errors; how often a kind of
    value or an extractor errs only from answers as they were given.
    """
    y = np.array([float(sample.is_right) for sample in samples])
    x = rows_of(samples, names)
    evidence = [1 + names.index(name) for part in ("place", "evidence") for name in PARTS[part]]
    others = [0, *(n for n in range(1, x.shape[1]) if n not in evidence)]
    recorded = np.array([sample.kind not in ("rules", WITHHELD) for sample in samples])
    as_given = np.array([sample.kind != PLANTED for sample in samples])
    weights = np.zeros(x.shape[1])
    kept = evidence
    while True:
        found = fit(x[recorded][:, [0, *kept]], y[recorded])[1:]
        if (found <= 0).all():
            break
        # doubt never speaks for a value: what does is a companion of another feature
        kept = [n for n, weight in zip(kept, found, strict=True) if weight <= 0]
    weights[kept] = found
    weights[others] = fit(x[as_given][:, others], y[as_given], x[as_given] @ weights)
    return weights


def samples_of(folder: Path, root: Path) -> Iterator[Sample]:
    """Yield the fields of every answer to one claim."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    unjudged = set(truth.get("unjudged_fields", ()))
    schema = load_schema("workers_comp")
    documents = parsed(folder, root)
    for kind in (*KINDS, PLANTED, WITHHELD):
        extraction = answer(kind, folder, documents, schema)
        if extraction is None:
            continue
        texts = {document.source.source_id: document.text for document in documents}
        extraction = with_warnings(extraction, check_evidence(extraction, schema, texts))
        citations = resolve_claim(documents, extraction.fields, schema=schema)
        right = {row.field_key: row.is_right for row in evaluate(truth, extraction.fields).fields}
        placed = Truth(truth, documents) if (folder / "perfect_extraction.json").is_file() else None
        for field in extraction.fields:
            if field.value is None or field.field_key in unjudged or field.field_key not in right:
                continue
            cited = [c for c in citations if c.field_key == field.field_key]
            features = features_of(field, cited)
            is_right = right[field.field_key]
            yield Sample(
                folder.name,
                kind,
                field.field_key,
                features,
                is_right and (placed is None or placed.holds(field.field_key, cited)),
                is_right,
                field,
                cited,
            )


class Truth:
    """Where a claim's values are, by its truth file."""

    def __init__(self, truth: dict[str, Any], documents: list[ParsedDocument]) -> None:
        self._names = names_of(documents)
        self._documents = {document.source.source_id: document for document in documents}
        self._fields = truth["fields"]

    def holds(self, key: str, citations: list[Citation]) -> bool:
        """Tell whether one of the citations is at a true place; True where the truth has none."""
        places = places_of(self._fields.get(key, {}).get("citations", ()), self._names)
        if not places:
            return True
        located = [c for c in citations if c.status is not CitationStatus.UNRESOLVED and c.page is not None]
        if not any(place.boxes for place in places):
            return any(is_on_page(c, places) for c in located)
        return any(word_box_f1(c, places, self._documents) >= RIGHT_PLACE for c in located)


def parsed(folder: Path, root: Path) -> list[ParsedDocument]:
    """Return the claim's documents, parsed the first time."""
    store = ClaimStore(str(root))
    if not store.has("documents", f"{folder.name}.parquet"):
        CliRunner().invoke(command, ["run", str(folder), "--store", str(root)])
    return [d for d in read_documents(store, folder.name) if d.status is DocumentStatus.PARSED]


def answer(kind: str, folder: Path, documents: list[ParsedDocument], schema: Schema) -> Extraction | None:
    """Return one answer to the claim, or None where it has none of the kind."""
    source_ids = [document.source.source_id for document in documents]
    if kind not in ("rules", WITHHELD):
        recorded = folder / f"{'perfect' if kind == PLANTED else kind}_extraction.json"
        if not recorded.is_file():
            return None
        given = json.loads(recorded.read_text(encoding="utf-8"))
        return read_answer(plant_errors(given, schema) if kind == PLANTED else given, schema, source_ids)
    claim = Claim(folder.name, str(folder), str(folder / "documents"))
    rules = RulesExtractor()
    read = rules.read(rules.ask(claim, documents, schema), documents, schema)
    return replace(read, fields=tuple(map(as_if_shown, read.fields))) if kind == WITHHELD else read


def as_if_shown(field: ExtractedField) -> ExtractedField:
    """Return a field with the likeliest of its candidates as its value, or without one where it was shown."""
    likeliest = next((c for c in field.candidates if c.confidence), None) if field.value is None else None
    if likeliest is None:
        return replace(field, value=None)
    others = tuple(c for c in field.candidates if c is not likeliest)
    shown = replace(field, value=likeliest.value, snippets=likeliest.snippets, candidates=others)
    return replace(shown, belief=likeliest.confidence)


def rank(score: np.ndarray, y: np.ndarray) -> float:
    """Return the AUROC: how often a right field is surer than a wrong one."""
    found = auroc(score.tolist(), [bool(right) for right in y])
    return float("nan") if found is None else found


def judge(samples: list[Sample], unseen: np.ndarray, y: np.ndarray) -> None:
    """Print what the confidence is worth on claims that it was not fitted on."""
    print(f"{len(y)} fields, {int(len(y) - y.sum())} wrong; AUROC {rank(unseen, y):.4f}")
    for kind in KINDS:
        own = np.array([sample.kind == kind for sample in samples])
        wrong = int((1 - y[own]).sum())
        ranked = f"{rank(unseen[own], y[own]):.4f}" if 0 < wrong < own.sum() else "n/a"
        print(f"  {kind:8} {int(own.sum()):5} fields, {wrong:4} wrong; AUROC {ranked}")
    for low in (0.95, 0.9, 0.8, 0.5):
        sure = unseen >= low
        share = f"{y[sure].mean():.4f}" if sure.any() else "n/a"
        print(f"  at {low:.2f} and above: {int(sure.sum()):5} fields, right {share}")
    for low in np.arange(0, 1, 0.1):
        here = (unseen >= low) & (unseen < low + 0.1 + (low >= 0.9))
        if here.any():
            mean, right = unseen[here].mean(), y[here].mean()
            print(f"  {low:.1f}-{low + 0.1:.1f} {int(here.sum()):5} mean {mean:.3f} right {right:.3f}")


if __name__ == "__main__":
    main()

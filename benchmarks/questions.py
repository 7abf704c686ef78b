"""Measure question answering without a key on labelled question files.

    python -m benchmarks.questions [FILE.jsonl …] [--store DIR] [--claims DIR]
                                   [--extractor rules|replay|truth]
                                   [--fit [--truth CLAIM …] | --aggregate] [--show]

`question_files` tells the format; without a file the labelled ones of the repository are asked. Without
--store the claims are run into a temporary store; --claims names folders of claims. Printed are, by file and
in all: right (of the answerable), fields (right of those that a field answers), refused (of the
unanswerable), wrong (of the answers with a confidence of 0.8 or more), auroc (of the confidence against
whether the best candidate is right, unanswerable questions counting as wrong) and page (a labelled page among
the first three places). --aggregate prints the last line alone; --fit writes new
weights from the files and prints figures that are cross-validated by claim; half of it is fitted without the
phrasings that lie near to a question, since they were written while it was looked at. With the extractor
`truth` the datasets hold what the claims' truth.json says: what is then wrong is the reading of questions.
--truth names claims' folders whose truth.json answers phrasings (`truth_questions`).
"""

import argparse
import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import answer_fitting
from benchmarks.question_files import auroc, read_questions
from benchmarks.question_runs import PROJECT, TRUTH, Row, ask_all, ask_unheard, open_model, run_claims
from benchmarks.truth_questions import ask_truths
from citation_pipeline.core.retrieval.confidence import AnswerModel, answer_model

LABELS = PROJECT / "citation_pipeline_tests" / "questions" / "labelled.jsonl"
SAMPLE = LABELS.with_name("sample_claim.jsonl")
"""Another author's questions on the sample claim, which needs nothing beside the checkout."""
WEIGHTS = PROJECT / "citation_pipeline" / "schemas" / "questions" / "answer_weights.json"
SURE = 0.8


def figures(rows: Sequence[Row], model: AnswerModel) -> dict[str, float]:
    """Return the figures of asked questions."""
    answers = [(row, row.answered(model), row.answered(model, threshold=-1.0)) for row in rows]
    answerable = [(row, answer) for row, answer, _ in answers if row.asked.is_answerable]
    fields = [(row, answer) for row, answer in answerable if row.asked.kind == "field"]
    sure = [(row, answer) for row, answer, _ in answers if answer.is_found and answer.confidence >= SURE]
    placed = [(row, answer) for row, answer in answerable if row.asked.places]
    return {
        "questions": len(rows),
        "right": _share([row.is_right(answer) for row, answer in answerable]),
        "fields": _share([row.is_right(answer) for row, answer in fields]),
        "refused": _share([not a.is_found for row, a, _ in answers if not row.asked.is_answerable]),
        "sure": len(sure),
        "wrong": _share([not row.is_right(answer) for row, answer in sure]),
        "auroc": round(
            auroc([blind.confidence for _, _, blind in answers], [r.is_right(b) for r, _, b in answers]), 3
        ),
        "page": _share([row.is_placed(answer) for row, answer in placed]),
    }


def _share(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 3) if found else math.nan


def show(rows: Sequence[Row], model: AnswerModel) -> None:
    """Print the questions whose answer is not right."""
    for row in rows:
        answer = row.answered(model)
        if row.is_right(answer) or (not row.asked.is_answerable and not answer.is_found):
            continue
        blind = row.answered(model, threshold=-1.0)
        print(
            f"{'ANSWERED' if answer.is_found else 'refused'} {answer.confidence:.2f} [{row.asked.claim}] "
            f"{row.asked.kind}: {row.asked.text} {list(row.asked.answers[:2])} -> "
            f"{blind.text[:80]!r} {blind.field_key}"
        )


def write_weights(rows: Sequence[Row], unheard: Sequence[Row], truths: Sequence[Row]) -> None:
    """Fit on all questions, choose the thresholds on cross-validated ones, write both.

    Each question counts half as it is asked and half without the phrasings near to it; so do the truths'.
    """
    prepared = [found for asked in (rows, unheard, truths) for found in answer_fitting.prepare(asked, 0.5)]
    held = answer_fitting.cross_validate(rows, prepared)
    threshold, alone, sure = answer_fitting.choose_thresholds(held)
    for author in sorted({entry.row.asked.author for entry in held}):
        own = [entry for entry in held if entry.row.asked.author == author]
        print(author, answer_fitting.report(own, threshold, sure))
    print("all, cross-validated by claim:", answer_fitting.report(held, threshold, sure))
    for refused, right, least in answer_fitting.curve(held):
        print(f"refused {refused:.2f}: right {right:.3f} from a probability of {least:.3f}")
    model = answer_fitting.fit(prepared)
    written = {
        "about": "Fitted by benchmarks/questions.py --fit; read by core/retrieval/confidence.py.",
        "threshold": round(threshold, 4),
        "threshold_alone": round(alone, 4),
        "sure": round(sure, 4),
        "ranking": model.ranking,
        "field": model.field,
        "statement": model.statement,
        "pages": model.pages,
    }
    WEIGHTS.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--store", type=Path, action="append", default=[])
    parser.add_argument("--claims", type=Path, action="append", default=[])
    parser.add_argument("--truth", type=Path, action="append", default=[])
    parser.add_argument("--extractor", default="rules", choices=("rules", "replay", TRUTH))
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--aggregate", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    files = options.files or [LABELS, SAMPLE]
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        stores = options.store or [scratch / "store"]
        if not options.store:
            folders = [*options.claims]
            run_claims(files, stores[0], folders=folders, extractor=options.extractor, scratch=scratch)
        asked = [question for file in files for question in read_questions(file)]
        models = [open_model(store) for store in stores]
        rows = [row for model in models for row in ask_all(model, asked)]
        unheard = [row for model in models if options.fit for row in ask_unheard(model, asked)]
        truths = [row for model in models if options.fit for row in ask_truths(model, options.truth)]
    if not rows:
        raise SystemExit("none of the claims could be run: run one by hand and see why")
    if options.fit:
        write_weights(rows, unheard, truths)
        return
    model = answer_model()
    if not options.aggregate:
        for author in sorted({row.asked.author for row in rows}):
            print(author, figures([row for row in rows if row.asked.author == author], model))
        if options.show:
            show(rows, model)
    print("all", figures(rows, model))


if __name__ == "__main__":
    main()

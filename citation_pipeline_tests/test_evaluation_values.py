"""Values against the truth: counted as the claims' scorer counts them."""

import importlib.util
import json

import pytest

from citation_pipeline.core.evaluation.evaluation import evaluate
from citation_pipeline.core.evaluation.reports import as_json, as_markdown
from citation_pipeline.core.extraction import Confidence, ExtractedField

TRUTH = {
    "claim_id": "small",
    "fields": {
        "who": {"value": "Ana Ruiz, M.D.", "type": "string", "citations": []},
        "when": {"value": "2022-04-04", "type": "date", "citations": []},
        "paid": {"value": 1234.5, "type": "number", "citations": []},
        "ok": {"value": False, "type": "boolean", "citations": []},
        "state": {"value": "modified_duty", "type": "enum", "citations": []},
        "parts": {
            "value": [{"part": "Ankle", "side": "left"}, {"part": "Knee"}],
            "type": "array",
            "citations": [],
        },
        "liens": {"value": [], "type": "array", "citations": []},
    },
    "absent_fields": ["silent"],
}


def answered(confidence=Confidence.HIGH, **values):
    return [ExtractedField(key, value, "", confidence=confidence) for key, value in values.items()]


def right():
    return {
        "who": "ANA RUIZ",
        "when": "April 4, 2022",
        "paid": "$1,234.50",
        "ok": "No",
        "state": "Modified Duty",
        "parts": [{"part": "knee"}, {"part": "ankle", "side": "Left"}],
        "liens": [],
        "silent": None,
    }


def test_right_values_count_in_whatever_form_they_are_written():
    evaluation = evaluate(TRUTH, answered(**right()))
    assert (evaluation.values.right, evaluation.values.wrong, evaluation.values.missing) == (8, 0, 0)
    assert evaluation.values.f1 == 1
    assert evaluation.item_members == 1


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({"when": "2022-04-05"}, (7, 1, 1)),
        ({"when": None}, (7, 0, 1)),
        ({"silent": "something"}, (8, 1, 0)),
        ({"liens": None}, (7, 0, 1)),
        ({"liens": [{"lienholder": "EDD"}]}, (7, 1, 1)),
        ({"parts": [{"part": "ankle"}, {"part": "hip"}]}, (7, 1, 1)),
        ({"ok": True}, (7, 1, 1)),
        ({"who": "Ana Reyes"}, (7, 1, 1)),
    ],
)
def test_a_wrong_value_is_wrong_and_missing_and_silence_only_missing(change, counts):
    values = evaluate(TRUTH, answered(**{**right(), **change})).values
    assert (values.right, values.wrong, values.missing) == counts


def test_confidence_is_judged_by_whether_it_orders_errors():
    good = {**right(), "when": "1999-01-01"}
    ordered = [
        ExtractedField(k, v, "", confidence=Confidence.LOW if k == "when" else Confidence.HIGH)
        for k, v in good.items()
    ]
    assert evaluate(TRUTH, ordered).value_auroc == 1
    assert evaluate(TRUTH, answered(**right())).value_auroc is None


@pytest.mark.parametrize("answer", ["perfect_extraction.json", "sloppy_extraction.json"])
@pytest.mark.parametrize("name", ["claim_05", "claim_06"])
def test_replayed_answers_are_counted_as_the_scorer_counts_them(claims, name, answer):
    spec = importlib.util.spec_from_file_location("score_extraction", claims / "score_extraction.py")
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    truth = json.loads((claims / name / "truth.json").read_text())
    records = json.loads((claims / name / answer).read_text())["extractions"]
    by_type, _, _ = scorer.score(truth, {r["field_key"]: r.get("value") for r in records})
    evaluation = evaluate(truth, [ExtractedField(r["field_key"], r.get("value"), "") for r in records])
    assert {k: [c.right, c.wrong, c.missing] for k, c in evaluation.by_type.items()} == {
        kind: list(counts) for kind, counts in by_type.items()
    }


def test_the_reports_tell_figures_and_no_document_text():
    evaluation = evaluate(TRUTH, answered(**{**right(), "who": "Somebody Else"}))
    page = as_markdown(evaluation)
    assert "| who | string | 0 | 1 | 1 |" in page
    report = json.dumps(as_json(evaluation))
    assert json.loads(report)["by_type"]["array"]["f1"] == 1
    for text in ("Somebody", "Ruiz", "Ankle"):
        assert text not in page + report


def test_a_share_of_nothing_is_no_figure():
    silent = evaluate(TRUTH, []).values
    assert (silent.precision, silent.recall, silent.f1) == (None, 0, 0)
    nothing = evaluate({**TRUTH, "fields": {}}, [])
    assert "| all | n/a | n/a | n/a | 0 | 0 | 0 |" in as_markdown(nothing)
    assert as_json(nothing)["values"]["precision"] is None

"""Recorded answers of whole claims come back value for value and citation for citation."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline_tests.claude_scenes import workers_comp


def test_the_sample_claims_answer_gives_the_same_values_and_every_citation(project: Path):
    folder = project / "data" / "samples" / "sample_claim"
    assert answer_comes_back(folder / "extraction_raw.json", folder / "truth.json") == []


@pytest.mark.parametrize("claim", ["claim_05", "claim_06"])
@pytest.mark.parametrize("kind", ["perfect", "sloppy"])
def test_a_recorded_answer_gives_the_same_values_and_every_citation(claims: Path, claim: str, kind: str):
    denied = answer_comes_back(claims / claim / f"{kind}_extraction.json", claims / claim / "truth.json")
    # the damaged answer quotes a lien for the statement that there is none
    assert denied == ([([], None)] if (claim, kind) == ("claim_06", "sloppy") else [])


def answer_comes_back(answer_file: Path, truth_file: Path) -> list[tuple[Any, Any]]:
    """Assert that an answer is read to the same values, in the same order of citations.

    Returns the value as answered and as read of every field that is denied without evidence.
    """
    answer = json.loads(answer_file.read_text(encoding="utf-8"))
    truth = json.loads(truth_file.read_text(encoding="utf-8"))
    schema = workers_comp()
    extraction = read_answer(answer, schema, [document["source_id"] for document in truth["documents"]])
    read = {field.field_key: field for field in extraction.fields}
    assert set(read) == {record["field_key"] for record in answer["extractions"]}
    denied = []
    for record in answer["extractions"]:
        field = read[record["field_key"]]
        if "denied_without_evidence" in field.warnings:
            denied.append((record["value"], field.value))
            continue
        assert json.dumps(field.value) == json.dumps(record["value"])
        assert [(s.citation_index, s.source_id, s.text) for s in field.snippets] == [
            (n, c["source_id"], c["text_snippet"]) for n, c in enumerate(record["citations"])
        ]
    codes = Counter(issue.code for issue in extraction.issues)
    assert codes.pop("denied_without_evidence", 0) == len(denied)
    assert codes == {"unanswered": len(schema.fields) - len(read)}
    return denied

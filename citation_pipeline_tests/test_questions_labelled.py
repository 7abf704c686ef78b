"""The labelled questions, over three claims run through the whole pipeline without a key.

`benchmarks/questions.py` prints the figures; here they must not fall below what was promised.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.question_files import is_right, read_questions
from benchmarks.question_runs import Row, ask_all
from benchmarks.questions import LABELS, figures
from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.questions import ask
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.core.retrieval.confidence import answer_model
from citation_pipeline.defs.runs.processing import Processing


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, project: Path, claims: Path) -> ReadModel:
    root = tmp_path_factory.mktemp("labelled")
    processing = Processing(store=str(root))
    for folder in (project / "data" / "samples" / "sample_claim", claims / "claim_05", claims / "claim_06"):
        claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="rules")
        processing.store.register(claim)
        assert processing.run(claim, STAGES).failure is None
    processing.close()
    return ReadModel(
        processing.store, VerificationStore(default_url(root)), schemas=[load_schema("workers_comp")]
    )


@pytest.fixture(scope="module")
def rows(model: ReadModel) -> Sequence[Row]:
    return ask_all(model, read_questions(LABELS))


@pytest.fixture(scope="module")
def found(rows: Sequence[Row]) -> Mapping[str, float]:
    return figures(rows, answer_model())


def test_the_set_is_as_large_as_promised_and_a_third_has_no_answer() -> None:
    labels = read_questions(LABELS)
    assert len(labels) >= 120
    assert sum(not label.is_answerable for label in labels) >= len(labels) / 3


def test_the_right_page_is_among_the_first_three(found: Mapping[str, float]) -> None:
    assert found["page"] >= 0.9


def test_what_can_be_answered_is_answered_right(found: Mapping[str, float]) -> None:
    assert found["right"] >= 0.7


def test_what_cannot_be_answered_is_refused(found: Mapping[str, float]) -> None:
    assert found["refused"] >= 0.92


def test_an_answer_that_is_shown_as_sure_is_hardly_ever_wrong(found: Mapping[str, float]) -> None:
    assert found["sure"] >= 10
    assert found["wrong"] <= 0.03


def test_the_confidence_orders_right_before_wrong(found: Mapping[str, float]) -> None:
    assert found["auroc"] >= 0.93


def test_an_answers_place_holds_the_words_that_are_quoted(model: ReadModel) -> None:
    answer = ask(model, "How much is the lien of Los Cerritos Surgical Pavilion?", claim_id="sample_claim")
    assert answer.sources
    for source in answer.sources:
        document = model.claims.documents("sample_claim").by_id[source.document_id.partition(":")[2]]
        assert set(source.quote.split()) <= set(document.words.texts)
        assert source.regions


def test_a_label_is_said_by_its_words_its_number_or_its_date(tmp_path: Path) -> None:
    path = tmp_path / "case" / "questions.jsonl"
    path.parent.mkdir()
    row = {"id": "a", "kind": "free", "question": "How much?", "answers": ["1,014.67", "2025-01-22", "no"]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    (asked,) = read_questions(path)
    assert asked.claim == "case"
    assert is_right(asked, "$1,014.67", 1014.67)
    assert is_right(asked, "January 22, 2025", None)
    assert is_right(asked, "No: it was not", False)
    assert not is_right(asked, "1,014.68", None)
    assert not is_right(asked, "North Street", None)

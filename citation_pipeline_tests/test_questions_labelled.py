"""The labelled questions, over three claims run through the whole pipeline without a key.

`benchmarks/questions.py` prints the figures; here they must not fall below what was promised.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from benchmarks.questions import FOLDERS, auroc, measure, read_labels
from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.questions import ask
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.verifications.store import VerificationStore, default_url
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.core.retrieval.confidence import confidence_of
from citation_pipeline.defs.runs.processing import Processing

OUTSIDE = pytest.param(("claim_05", "claim_06"), id="outside", marks=pytest.mark.outside_data)


@pytest.fixture(scope="module", params=[pytest.param(("sample_claim",), id="sample"), OUTSIDE])
def names(request: pytest.FixtureRequest) -> Sequence[str]:
    return request.param


@pytest.fixture(scope="module")
def model(names: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> ReadModel:
    root = tmp_path_factory.mktemp("labelled")
    processing = Processing(store=str(root))
    for folder in (FOLDERS[name] for name in names):
        claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="rules")
        processing.store.register(claim)
        assert processing.run(claim, STAGES).failure is None
    processing.close()
    return ReadModel(
        processing.store, VerificationStore(default_url(root)), schemas=[load_schema("workers_comp")]
    )


@pytest.fixture(scope="module")
def figures(model: ReadModel, names: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    labels = read_labels()
    return {name: measure(model, [row for row in labels if row["claim"] == name]) for name in names}


def overall(figures: Mapping[str, Mapping[str, Any]], name: str, weight: str) -> float:
    def count(found: Mapping[str, Any]) -> int:
        return found["answerable"] if weight == "answerable" else found["questions"] - found["answerable"]

    return sum(f[name] * count(f) for f in figures.values()) / sum(count(f) for f in figures.values())


def test_the_set_is_as_large_as_promised_and_a_third_has_no_answer() -> None:
    labels = read_labels()
    assert len(labels) >= 120
    assert sum(not label["answers"] for label in labels) >= len(labels) / 3
    assert len({label["id"] for label in labels}) == len(labels)


def test_the_right_page_is_among_the_first_three(figures: Mapping[str, Mapping[str, Any]]) -> None:
    assert overall(figures, "page_in_top_3", "answerable") >= 0.9


def test_what_can_be_answered_is_answered_right(figures: Mapping[str, Mapping[str, Any]]) -> None:
    assert overall(figures, "answered_right", "answerable") >= 0.8


def test_what_cannot_be_answered_is_refused(figures: Mapping[str, Mapping[str, Any]]) -> None:
    assert overall(figures, "unanswerable_refused", "unanswerable") >= 0.9


def test_the_confidence_orders_right_before_wrong(figures: Mapping[str, Mapping[str, Any]]) -> None:
    """The weights were fitted on the sample claim alone: the outside claims are new to them."""
    rows = [row for found in figures.values() for row in found["rows"]]
    assert auroc([confidence_of(parts) for parts, _ in rows], [right for _, right in rows]) >= 0.85


@pytest.mark.parametrize("names", [("sample_claim",)], indirect=True, ids=["sample"])
def test_an_answers_place_holds_the_words_that_are_quoted(model: ReadModel) -> None:
    answer = ask(model, "How much is the lien of Los Cerritos Surgical Pavilion?", claim_id="sample_claim")
    for source in answer.sources:
        document = model.claims.documents("sample_claim").by_id[source.document_id.partition(":")[2]]
        assert source.regions
        assert all(word in document.text for word in source.quote.split())
        assert "18,940.50" in source.quote

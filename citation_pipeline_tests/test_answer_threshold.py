"""MIN_SIMILARITY: below it a question gets the exact refusal, above it the document's words."""

from pathlib import Path

import pytest

from citation_pipeline.adapters.deployment.deployment import DeploymentError, read_deployment
from citation_pipeline.adapters.read_model.published_confidence import ConfidenceRules, published_confidence
from citation_pipeline.adapters.read_model.questions import ask
from citation_pipeline.adapters.read_model.shapes import ConfidenceView, QuestionAnswer
from citation_pipeline.core.retrieval.answering import NOT_FOUND
from citation_pipeline.core.retrieval.thresholds import EVIDENCE_THRESHOLD
from citation_pipeline.serving.agent_deployment import agents_of
from citation_pipeline.serving.api.attaching import open_read_model
from citation_pipeline_tests.agent_claims import build_searchable_store, open_model
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

QUESTION = "What is the date of injury?"


def test_the_setting_reaches_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = build_searchable_store(tmp_path / "store")
    usual = ask(open_model(store), QUESTION, claim_id=CLAIM_ID)
    assert usual.found
    assert usual.confidence.value >= EVIDENCE_THRESHOLD
    for wanted, found in (("0", True), ("1", False)):
        monkeypatch.setenv("MIN_SIMILARITY", wanted)
        settings = agents_of(read_deployment(str(tmp_path / "store")))
        model = open_read_model(settings, store, open_model(store).claims.verifications)
        answer = ask(model, QUESTION, claim_id=CLAIM_ID)
        assert answer.found is found
        assert (answer.answer == NOT_FOUND) is not found


@pytest.mark.parametrize("value", ["1.5", "-0.1", "often"])
def test_a_threshold_that_is_no_share_is_refused_by_name(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIN_SIMILARITY", value)
    with pytest.raises(DeploymentError, match="MIN_SIMILARITY|min_similarity"):
        read_deployment()


def test_floor_and_boost_give_the_published_confidence_beside_the_fitted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = build_searchable_store(tmp_path / "store")

    def asked(**settings: str) -> QuestionAnswer:
        monkeypatch.setenv("MIN_SIMILARITY", "0")
        for name in ("CONFIDENCE_FLOOR", "KEYWORD_BOOST"):
            monkeypatch.setenv(name, settings.get(name, "0"))
        agents = agents_of(read_deployment(str(tmp_path / "store")))
        model = open_read_model(agents, store, open_model(store).claims.verifications)
        return ask(model, QUESTION, claim_id=CLAIM_ID)

    usual = asked()
    assert usual.confidence_details is None
    floored = asked(CONFIDENCE_FLOOR="1")
    assert floored.confidence == usual.confidence  # a floor makes nothing surer
    assert floored.confidence_details is not None
    assert (floored.confidence_details.confidence, floored.confidence_details.floor_applied) == (1, 1)
    boosted = asked(KEYWORD_BOOST="0.12").confidence_details
    assert boosted is not None
    assert boosted.keyword_boost == pytest.approx(0.12 * usual.confidence.keyword_signal, abs=1e-4)
    assert boosted.floor_applied is None
    summed = 0.62 * boosted.top1_calibrated + 0.23 * boosted.agreement_rerank + 0.15 * boosted.coverage
    assert boosted.confidence == pytest.approx(min(1, summed + boosted.keyword_boost), abs=1e-4)


def test_no_floor_is_laid_under_what_was_not_found() -> None:
    fitted = ConfidenceView(0.1, 0.1, 0.1, 0.1, 0.1)
    rules = ConfidenceRules(floor=0.55)
    refused = published_confidence(fitted, rules, is_found=False)
    assert refused is not None
    assert (refused.confidence < 0.2, refused.floor_applied) == (True, None)
    answered = published_confidence(fitted, rules, is_found=True)
    assert answered is not None
    assert (answered.confidence, answered.floor_applied) == (0.55, 0.55)

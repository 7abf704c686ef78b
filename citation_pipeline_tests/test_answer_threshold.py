"""MIN_SIMILARITY: below it a question gets the exact refusal, above it the document's words."""

from pathlib import Path

import pytest

from citation_pipeline.adapters.deployment.deployment import DeploymentError, read_deployment
from citation_pipeline.adapters.read_model.questions import ask
from citation_pipeline.core.retrieval.answering import EVIDENCE_THRESHOLD, NOT_FOUND
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

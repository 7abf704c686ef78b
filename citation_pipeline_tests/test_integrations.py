"""The store inside LangChain and LlamaIndex: their own classes over a server on loopback."""

from collections.abc import Iterator

import pytest

from citation_pipeline.client import ClaimRequestError
from citation_pipeline.integrations.langchain import ClaimRetriever
from citation_pipeline.integrations.llama_index import ClaimReader
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.agent_claims import build_searchable_store
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

SECRET = "reader-secret-0001"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = build_searchable_store(tmp_path_factory.mktemp("integrations")).root
    tokens = (AccessToken.of(SECRET, name="Script", role=Role.VIEWER),)
    with running(ServingSettings(store, render_workers=1, tokens=tokens)) as address:
        yield address


def test_a_langchain_retriever_finds_passages_that_can_be_cited(address: str) -> None:
    retriever = ClaimRetriever(address=address, token=SECRET, claim_ids=[CLAIM_ID], k=3)
    documents = retriever.invoke("average weekly wage over 1,000")
    assert 1 <= len(documents) <= 3
    first = documents[0]
    assert "1182.5" in first.page_content
    assert first.metadata["citation"] == f"[{first.metadata['filename']}, p.{first.metadata['page']}]"
    assert first.metadata["url"].startswith(address)
    (citation,) = first.metadata["citations"]
    assert citation["field"]["value"] == 1182.5
    assert set(citation["source"]["bbox"]) >= {"left", "top", "width", "height"}
    assert SECRET not in repr(retriever)


def test_a_llama_index_reader_gives_a_claims_values_with_their_citations(address: str) -> None:
    documents = {
        document.id_: document for document in ClaimReader(address, token=SECRET).load_data(claim_id=CLAIM_ID)
    }
    born = documents[f"{CLAIM_ID}:claimant.date_of_birth"]
    assert born.text.endswith("1984-07-02")
    assert born.metadata["citation"].endswith(".pdf, p.1]")
    assert born.metadata["verified"] is False


def test_a_llama_index_reader_searches_and_keeps_citations_from_the_model(address: str) -> None:
    found = ClaimReader(address, token=SECRET).load_data(query="average weekly wage over 1,000", most=2)
    assert "1182.5" in found[0].text
    assert found[0].metadata["citations"]
    assert "bbox" not in found[0].get_content(metadata_mode="llm")
    with pytest.raises(ValueError, match="claim_id"):
        ClaimReader(address, token=SECRET).load_data()


def test_what_the_server_refuses_reaches_the_caller_with_its_remedy(address: str) -> None:
    with pytest.raises(ClaimRequestError, match="in 2025"):
        ClaimRetriever(address=address, token=SECRET).invoke("total paid over 5 in 2025")
    with pytest.raises(ClaimRequestError) as refused:
        ClaimReader(address, token="wrong-secret-000").load_data(claim_id=CLAIM_ID)
    assert refused.value.status == 401

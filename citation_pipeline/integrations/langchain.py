"""A LangChain retriever over a served store: `pip install citation-pipeline[langchain]`.

retriever = ClaimRetriever(address="http://127.0.0.1:8321", token="…", claim_ids=["sample_claim"])
for document in retriever.invoke("right shoulder surgery"):
    print(document.page_content, document.metadata["citation"], document.metadata["url"])
"""

from collections.abc import Sequence

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import SecretStr

from citation_pipeline.client import ClaimClient
from citation_pipeline.integrations.passages import find_passages


class ClaimRetriever(BaseRetriever):
    """Finds passages of claims; each document's metadata says where it is and how to cite it.

    `metadata["citations"]` holds the API's citation objects of the values that were found.
    """

    address: str
    token: SecretStr | None = None
    claim_ids: Sequence[str] | None = None
    k: int = 10
    timeout_s: float = 60.0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        token = self.token.get_secret_value() if self.token is not None else None
        with ClaimClient(self.address, token=token, timeout_s=self.timeout_s) as client:
            return [
                Document(
                    id=passage.id,
                    page_content=passage.text,
                    metadata={**passage.metadata, "citations": list(passage.citations)},
                )
                for passage in find_passages(client, query, claim_ids=self.claim_ids, most=self.k)
            ]

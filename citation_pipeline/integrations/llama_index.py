"""A LlamaIndex reader over a served store: `pip install citation-pipeline[llama-index]`.

reader = ClaimReader(address="http://127.0.0.1:8321", token="…")
documents = reader.load_data(claim_id="sample_claim")  # every value with its citation
documents = reader.load_data(query="right shoulder surgery")  # what a search finds
"""

from collections.abc import Sequence

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from citation_pipeline.client import ClaimClient
from citation_pipeline.integrations.passages import find_passages, passages_of_values


class ClaimReader(BaseReader):
    """Reads values or passages of claims; each document's metadata says where it is and how to cite it.

    Citation objects are in `metadata["citations"]`, which neither models nor embeddings are given.
    """

    def __init__(self, address: str, *, token: str | None = None, timeout_s: float = 60.0) -> None:  # noqa: D107
        self._address, self._token, self._timeout_s = address, token, timeout_s

    def load_data(
        self,
        *,
        claim_id: str | None = None,
        query: str | None = None,
        claim_ids: Sequence[str] | None = None,
        most: int = 20,
    ) -> list[Document]:
        """Return a claim's values, or with `query` at most `most` passages; raises ClaimRequestError."""
        if (claim_id is None) == (query is None):
            raise ValueError("give claim_id for a claim's values, or query for a search")
        with ClaimClient(self._address, token=self._token, timeout_s=self._timeout_s) as client:
            found = (
                passages_of_values(client, claim_id)
                if claim_id is not None
                else find_passages(client, query or "", claim_ids=claim_ids, most=most)
            )
            return [
                Document(
                    id_=passage.id,
                    text=passage.text,
                    metadata={**passage.metadata, "citations": list(passage.citations)},
                    excluded_llm_metadata_keys=["citations", "rank"],
                    excluded_embed_metadata_keys=["citations", "rank", "url", "confidence", "verified"],
                )
                for passage in found
            ]

"""Search results and values as passages: a text and what it takes to cite it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.client import ClaimClient


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of a claim's document; `metadata` names document, page and link, and how to cite it.

    `citations` are the API's citation objects of the values in it: boxes in 0-1 of the page, confidence,
    whether a person verified it.
    """

    id: str
    text: str
    metadata: Mapping[str, Any]
    citations: Sequence[Mapping[str, Any]] = field(default=())


def find_passages(
    client: ClaimClient, query: str, *, claim_ids: Sequence[str] | None, most: int
) -> Iterator[Passage]:
    """Return what a search finds; raises ClaimRequestError naming what of the query is not understood."""
    for number, hit in enumerate(client.search(query, claim_ids=claim_ids, most=most), start=1):
        values = [f"{value['label']}: {value['value']}" for value in hit["fields"] if value.get("label")]
        yield Passage(
            id=f"{hit['document_id']}#{hit['page']}-{number}",
            text="\n".join([part for part in (hit["snippet"], *values) if part]),
            metadata={
                "claim_id": hit["claim_id"],
                "document_id": hit["document_id"],
                "filename": hit["filename"],
                "page": hit["page"],
                "citation": f"[{hit['filename']}, p.{hit['page']}]",
                "url": hit["url"],
                "rank": number,
            },
            citations=tuple(hit["citations"]),
        )


def passages_of_values(client: ClaimClient, claim_id: str) -> Iterator[Passage]:
    """Return every value of a claim as a passage with how to cite it; raises ClaimRequestError (404).

    A value's citation objects are `ClaimClient.provenance`'s.
    """
    for value in client.values(claim_id)["fields"]:
        yield Passage(
            id=f"{claim_id}:{value['name']}",
            text=f"{value['label']}: {value['value']}",
            metadata={
                "claim_id": claim_id,
                "field": value["name"],
                "citation": value["citation"],
                "confidence": value["confidence"],
                "verified": value["verified"],
                "review_state": value["review_state"],
            },
        )

"""A client of a served store's REST API, for scripts: search, questions, values, totals and checks.

    with ClaimClient("http://127.0.0.1:8321", token="…") as claims:
        for hit in claims.search("liens over $10,000"):
            print(hit["claim_id"], hit["citations"][0]["citation"]["short"])

Answers are the API's JSON (`/api/openapi.json` describes it). It imports nothing of the pipeline.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any
from urllib.parse import quote

import httpx

Json = dict[str, Any]


class ClaimRequestError(Exception):
    """A refusal of the server: `status`, `code` and `remedy`; `details` name the wrong fields of a 422."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:  # noqa: D107
        error = body.get("error") or {}
        self.status, self.code = status, str(error.get("code", ""))
        self.remedy = str(error.get("remedy", ""))
        self.details: Sequence[Mapping[str, str]] = body.get("details") or ()
        super().__init__(f"{status} {self.code}: {error.get('message', '')} {self.remedy}".strip())


class ClaimClient:
    """Asks one server; usable as a context manager."""

    def __init__(  # noqa: D107
        self, address: str, *, token: str | None = None, timeout_s: float = 60.0
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {"X-Citation-Viewer": "1"}
        self._http = httpx.Client(base_url=address.rstrip("/"), headers=headers, timeout=timeout_s)

    def __enter__(self) -> "ClaimClient":  # noqa: D105
        return self

    def __exit__(  # noqa: D105
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def claims(self, text: str = "") -> Iterator[Json]:
        """Return all claims whose id holds a text, a page at a time."""
        offset: int | None = 0
        while offset is not None:
            page = self._get("/api/claims", q=text, offset=offset, limit=200)
            yield from page["claims"]
            offset = page["next_offset"]

    def search(self, query: str, *, claim_ids: Sequence[str] | None = None, most: int = 50) -> Iterator[Json]:
        """Return at most `most` results; raises ClaimRequestError naming what is not understood."""
        offset: int | None = 0
        while offset is not None and most > 0:
            page = self._post(
                "/api/search",
                {
                    "query": query,
                    "claim_ids": list(claim_ids) if claim_ids is not None else None,
                    "limit": min(most, 20),
                    "offset": offset,
                },
            )
            yield from page["results"]
            most -= len(page["results"])
            offset = page["next_offset"] if page["results"] else None

    def ask(self, question: str, *, claim_id: str | None = None, document_id: str | None = None) -> Json:
        """Return the answer to a question to one claim or document; `found` tells whether there is one."""
        asked = {"question": question, "claim_id": claim_id, "document_id": document_id}
        return self._post("/ask", {name: value for name, value in asked.items() if value is not None})

    def values(self, claim_id: str) -> Json:
        """Return a claim's documents and values, each with its citation."""
        return self._get(f"/api/claims/{quote(claim_id, safe='')}/fields")

    def provenance(self, claim_id: str, field: str) -> Json:
        """Return a value with all its citations and its history."""
        return self._get(f"/api/claims/{quote(claim_id, safe='')}/fields/{quote(field, safe='')}")

    def aggregate(self, operation: str, field: str, *, where: str = "", group_by: str | None = None) -> Json:
        """Return a sum, count, average, min or max of a field over claims, every operand cited."""
        wanted = {"operation": operation, "field": field, "where": where, "group_by": group_by}
        return self._post("/api/aggregates", wanted)

    def check(
        self,
        document_id: str,
        text: str,
        *,
        page: int | None = None,
        bbox: Sequence[float] | None = None,
    ) -> Json:
        """Tell whether a quotation is where it is said to be."""
        quoted = {"document_id": document_id, "text": text, "page": page, "bbox": bbox}
        return self._post("/api/citations/check", quoted)

    def page_pdf(self, document_id: str, page: int, *, bbox: Sequence[float] | None = None) -> bytes:
        """Return one page of a PDF with a place highlighted."""
        box = {"bbox": ",".join(f"{side:.4f}" for side in bbox)} if bbox is not None else {}
        path = f"/api/documents/{quote(document_id, safe=':')}/pdf"
        answer = self._http.get(path, params={"page": page, **box})
        return self._checked(answer).content

    def _get(self, path: str, **parameters: Any) -> Json:
        return dict(self._checked(self._http.get(path, params=parameters)).json())

    def _post(self, path: str, body: Mapping[str, Any]) -> Json:
        return dict(self._checked(self._http.post(path, json=dict(body))).json())

    def _checked(self, answer: httpx.Response) -> httpx.Response:
        if answer.is_success:
            return answer
        try:
            body = answer.json()
        except ValueError:
            body = {}
        raise ClaimRequestError(answer.status_code, body if isinstance(body, dict) else {})

"""An extractor of our own: a service in our rack that takes pages and fields and answers with quotations."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from urllib.request import Request, urlopen

from citation_pipeline.adapters.outbound_ledger import OutboundRequest
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.answers.coverage import read_whole
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.schemas import Schema

PAGE_DOLLARS = 0.002


class AcmeError(PipelineError):
    """The service did not answer; the message says nothing of the documents."""

    transient = True


class AcmeExtractor:
    """Asks ACME_URL once a claim."""

    name = "acme"
    is_paid = True  # never called in a re-match
    pool = "acme"
    sends = "the words of every page, to ACME_URL"

    @classmethod
    def build(cls, settings: ReaderSettings) -> "AcmeExtractor":
        return cls(settings)

    def __init__(self, settings: ReaderSettings) -> None:
        self._url, self._ledger = settings.variable("ACME_URL"), settings.ledger

    def fingerprint(self, claim: Claim, schema: Schema) -> str:
        return f"acme-1-{schema.fingerprint}"

    def price(self, work: Workload, schema: Schema | None) -> PredictedCost:
        return PredictedCost(calls=1, pages=work.pages, dollars=round(work.pages * PAGE_DOLLARS, 4))

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        texts = {document.source.source_id: document.text for document in documents}
        question = json.dumps({"documents": texts, "fields": list(schema.by_key)}).encode()
        fingerprint, pages = sha256(question).hexdigest(), sum(len(d.pages) for d in documents)
        code, cost = "failed", 0.0
        try:
            with urlopen(Request(self._url, question), timeout=600) as answer:
                body = answer.read()
            code, cost = "ok", pages * PAGE_DOLLARS
        except OSError as error:
            raise AcmeError(f"acme did not answer ({type(error).__name__}): run the claim again") from None
        finally:  # every request that left the machine is written down, whatever came of it
            self._ledger(
                OutboundRequest(
                    claim_id=claim.claim_id,
                    vendor="acme",
                    model="acme-1",
                    endpoint="/",
                    at=datetime.now(UTC),
                    code=code,
                    request_fingerprint=fingerprint,
                    page_count=pages,
                    cost_usd=cost,
                )
            )
        return [StoredReply(fingerprint, provider="acme", model="acme-1", body=body, cost_usd=cost)]

    def read(
        self, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
    ) -> Extraction:
        source_ids = [document.source.source_id for document in documents]
        found = read_answer(replies[0].body.decode(), schema, source_ids, model="acme-1")
        # which pages were read for which field: what is silent there is absent, and not unread
        return Extraction(
            schema_name=found.schema_name,
            fields=found.fields,
            issues=found.issues,
            model=found.model,
            pages_read=read_whole(documents, found, tuple(schema.by_key)),
        )

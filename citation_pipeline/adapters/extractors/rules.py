"""The rules extractor behind the extractors' port: the embedded default, without a key or a network."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.schema_files import lexicon_of
from citation_pipeline.core.answers.coverage import read_whole
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.answers.writing import write_answer
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.rules.extraction import RULES_VERSION, extract, rules_fingerprint
from citation_pipeline.core.schemas import Schema

RULES = "rules"
"""The provider that replies by the rules name."""


class RulesExtractor:
    """Reads layout with the schema's hints and its lexicon."""

    name = RULES
    is_paid = False
    pool = ""
    sends = ""

    @classmethod
    def build(cls, settings: ReaderSettings) -> "RulesExtractor":
        """Return the extractor; it takes no settings."""
        return cls()

    def fingerprint(self, claim: Claim, schema: Schema) -> str:
        """Return the fingerprint of rules and lexicon; the claim does not matter."""
        return _fingerprint_of(schema)

    def price(self, work: Workload, schema: Schema | None) -> PredictedCost:
        """Return nothing: the rules cost a moment of this machine."""
        return PredictedCost()

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        """Apply the rules; the answer is kept in the provider-neutral shape, as any other reply."""
        extraction = extract(documents, schema, lexicon_of(schema))
        body = json.dumps(write_answer(extraction, with_hints=True), ensure_ascii=False).encode()
        fingerprint = self.fingerprint(claim, schema)
        return [StoredReply(request_fingerprint=fingerprint, provider=RULES, model=RULES_VERSION, body=body)]

    def read(
        self, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
    ) -> Extraction:
        """Read the kept answer."""
        source_ids = [document.source.source_id for document in documents]
        extraction = read_answer(
            replies[0].body.decode(),
            schema,
            source_ids,
            model=replies[0].model,
            prompt_fingerprint=replies[0].request_fingerprint,
        )
        return replace(extraction, pages_read=read_whole(documents, extraction, tuple(schema.by_key)))


# read and compared anew it takes ten milliseconds, and a plan asks for it once for each claim
@lru_cache(maxsize=64)
def _fingerprint_of(schema: Schema) -> str:
    return rules_fingerprint(schema, lexicon_of(schema))

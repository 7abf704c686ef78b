"""All readers of one document: each finds candidates of a field in one way.

What to look for comes from the lexicon. Which candidate wins belongs to `choice`.
"""

from collections.abc import Iterator

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import Lexicon
from citation_pipeline.core.rules.readers.balance_readers import read_balances
from citation_pipeline.core.rules.readers.candidates import Candidate, affinity_of
from citation_pipeline.core.rules.readers.coded_readers import read_coded
from citation_pipeline.core.rules.readers.label_readers import read_labels, read_transcript
from citation_pipeline.core.rules.readers.list_readers import read_headings, read_records
from citation_pipeline.core.rules.readers.named_readers import read_named
from citation_pipeline.core.rules.readers.paid_readers import read_paid
from citation_pipeline.core.rules.readers.party_readers import read_parties
from citation_pipeline.core.rules.readers.place_readers import read_issuer, read_positions, read_ticks
from citation_pipeline.core.rules.readers.references import read_prints
from citation_pipeline.core.rules.readers.section_readers import read_sections
from citation_pipeline.core.rules.readers.sentence_readers import read_runs, read_statements
from citation_pipeline.core.rules.readers.standing_readers import read_standings
from citation_pipeline.core.rules.readers.table_readers import read_tables
from citation_pipeline.core.values.foreign import is_day_first

# The first pages tell how a document writes its dates.
_ENOUGH = 6000
_READERS = (
    read_statements,
    read_standings,
    read_runs,
    read_transcript,
    read_tables,
    read_records,
    read_headings,
    read_coded,
    read_positions,
    read_ticks,
    read_parties,
    read_issuer,
    read_named,
    read_paid,
    read_balances,
    read_prints,
)


def read_candidates(reading: DocumentReading, lexicon: Lexicon) -> Iterator[Candidate]:
    """Return everything that the document says about any field."""
    if is_day_first(reading.document.text[:_ENOUGH]):
        lexicon = lexicon.with_day_first
    yield from read_labels(reading, lexicon)
    yield from read_sections(reading, lexicon)
    for rules in lexicon.fields.values():
        affinity = affinity_of(rules, reading)
        if affinity > 0:
            for read in _READERS:
                yield from read(reading, rules, affinity)

"""Firms told by what their names say they are: `Cedar Mutual Insurance Company` insures, wherever it is
printed.

One print may be anybody's insurer; belief needs a second document. Which words tell comes from the lexicon
(`named`).
"""

import re
from collections.abc import Iterator

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.readers.candidates import Candidate, candidate_of
from citation_pipeline.core.values.names import FIRM

_FIRM = re.compile(FIRM)
# Words before a firm's name that are capitals of their own line: a label, a greeting, a role.
_LEAD = re.compile(
    r"^(?:(?:Re|To|From|Attn|Attention|Carrier|Insurer|Insurance Carrier|Insurance Company|Insured|"
    r"Employer|Administrator|"
    r"TPA|For|And|The|By|Of|On|Defendants?|Insured By|Claims Administrator|Adjusted By|"
    r"Administered By)\s+)+(?=[A-Z])"
)
_MOST_WORDS = 8


def read_named(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the firms whose names hold the words of the field's trade."""
    if rules.named is None:
        return
    for row in reading.rows:
        for segment in row.segments:
            for match in _FIRM.finditer(segment.text):
                lead = _LEAD.match(match[0])
                start = match.start() + (lead.end() if lead else 0)
                name = segment.text[start : match.end()].strip(" ,")
                words = name.split()
                if not 2 <= len(words) <= _MOST_WORDS or not rules.named.says(name):
                    continue
                if rules.reject is not None and rules.reject.search(name):
                    continue
                unit: Passage = segment.passage.part(start, start + len(name))
                if unit.words:
                    weight = affinity * rules.named.weight
                    yield candidate_of(reading, rules, name, unit, reading.date, weight, "named")

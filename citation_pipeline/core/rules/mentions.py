"""What it means that nothing was read of a field: that no document states it, or only that the rules do not.

Absent is a claim, and needs a reason in the documents. Where another value says so (a claim without a
settlement has no sum of it), or where no paper has any of the words that whoever states the field would
use, the field is absent. What papers speak of, what nearly every claim's papers state somewhere, and what
may be on a page that is hard to read was only not found. Which words and values those are is in the
lexicon (`silence`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.values.spans import fold_words

MENTIONED = "topic_mentioned"
"""The warning of a field without a value, of whose subject some paper speaks."""

USUAL = "usually_stated"
"""The warning of a field without a value that nearly every claim's papers state in some words."""

UNSURE = "not_surely_read"
"""The warning of a field without a value that no paper speaks of, where some page is hard to read."""

NOT_FOUND = frozenset({MENTIONED, USUAL, UNSURE})
"""The warnings of fields that were not found, and of which nobody knows whether the documents state them."""

_HARD_TO_READ = re.compile(r"page \d+: few_sure_words")
_STEM = 5  # letters
_LEAST_WORDS = 2  # of a label: a single word, as `status`, is in any paper
# what many fields' names have says nothing of their subject
_OF_ANY_FIELD = frozenset(
    [
        "is",
        "has",
        "date",
        "name",
        "number",
        "type",
        "status",
        "list",
        "description",
        "amount",
        "total",
        "potential",
    ]
)


@dataclass(frozen=True)
class Papers:
    """Each paper's words, folded and parted by blanks with one at either end, and whether all are sure."""

    texts: Sequence[str]
    are_sure: bool


def papers_of(documents: Sequence[ParsedDocument]) -> Papers:
    """Return the words of all readable documents."""
    read = [document for document in documents if document.is_readable]
    return Papers(
        tuple(f" {' '.join(fold_words(document.text))} " for document in read),
        not any(_HARD_TO_READ.match(warning) for document in read for warning in document.warnings),
    )


def why_not_absent(
    rules: FieldRules, papers: Papers, answers: Mapping[str, ExtractedField], *, is_told: bool
) -> tuple[str, ...]:
    """Return the warning of a field without a value, none where the documents make it absent.

    `is_told` says that the lexicon tells what silence means; without that the field's own labels do.
    """
    silence = rules.silence
    if silence is None:
        return (USUAL,) if is_told else (MENTIONED,) if _is_labelled(rules, papers.texts) else ()
    for key, values in silence.follows.items():
        other = answers.get(key)
        if other is not None and other.value is not None and json.dumps(other.value) in values:
            return ()
    if not silence.words or any(f" {word}" in text for word in silence.words for text in papers.texts):
        return (MENTIONED,) if silence.words else (USUAL,)
    return () if papers.are_sure else (UNSURE,)


def _is_labelled(rules: FieldRules, papers: Sequence[str]) -> bool:
    """Tell whether any paper has one of the field's labels or hints, or the papers all words of its name."""
    phrases = [*rules.labels, *(tuple(fold_words(hint)) for hint in rules.field.hints)]
    spoken = {f" {' '.join(phrase)} " for phrase in phrases if len(phrase) >= _LEAST_WORDS}
    if any(phrase in paper for phrase in spoken for paper in papers):
        return True
    name = [word for word in rules.field.key.rpartition(".")[2].split("_") if word not in _OF_ANY_FIELD]
    return bool(name) and all(any(f" {word[:_STEM]}" in paper for paper in papers) for word in name)

"""What an extractor answered: values and the snippets behind them, before any resolution.

The provider-neutral answer is
`{"extractions":[{"field_key","value","citations":[{"source_id","text_snippet"}]}]}`; turning an answer
into these shapes is `answers.py`'s work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Value = str | float | int | bool | list[Any] | None
"""A field's value as JSON: dates are ISO strings, arrays hold objects or plain values, None is silence."""


READERS_WARNINGS = frozenset({"perhaps_overtaken", "topic_mentioned", "usually_stated", "not_surely_read"})
"""What an extractor itself may warn of, and its written answer keeps; all others come of checking it."""


class Provenance(StrEnum):
    """Where a value comes from."""

    EXTRACTED = "extracted"
    INFERRED = "inferred"
    USER_PROVIDED = "user-provided"


class Confidence(StrEnum):
    """How sure the extractor says it is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text that the extractor quoted from one source document.

    `page` (1-based), `start_offset` and `end_offset` (of the normalized text) are only hints. `item_path`
    tells which part of the value it is behind: "" the whole, "[0]" an array's first item,
    "[0].amount" a member of it. `citation_index` is its position in the answer's list for the field.
    `requoted` is what the extractor quoted when it was asked again, since `text` is on no page; "" where not.
    """

    source_id: str
    text: str
    citation_index: int = 0
    item_path: str = ""
    page: int | None = None
    start_offset: int | None = None
    end_offset: int | None = None
    requoted: str = ""


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A value that was read for a field and is not believed: a person may take it, nothing counts it.

    `reason` is stable: `weak_evidence`, `negated`, `conflicting` (documents of the same day or without one
    disagree), `superseded` (`date`, the day it speaks for, is before the value's). `confidence` in 0-1 is how
    often readings like this one were right, None where the extractor gave no such figure.
    """

    value: Value
    reason: str
    confidence: float | None = None
    date: str | None = None
    snippets: Sequence[Snippet] = ()


@dataclass(frozen=True, slots=True)
class ExtractedField:
    """One field's validated value with its snippets; a value of None means that the documents are silent.

    `belief` is the extractor's own word as a number in 0-1, where it gives one. `candidates` are what was
    read and is not believed, the likeliest first.
    """

    field_key: str
    value: Value
    value_type: str
    snippets: Sequence[Snippet] = ()
    confidence: Confidence | None = None
    provenance: Provenance = Provenance.EXTRACTED
    warnings: Sequence[str] = ()
    candidates: Sequence[ValueCandidate] = ()
    belief: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerIssue:
    """Something in an answer that could not be taken as it was; nothing is dropped without one.

    `code` is stable (`unknown_field`, `unknown_source`, `not_a_date`, `unanswered`, …); `field_key`,
    `citation_index` and `source_id` (a document that was not read) say where. No document text.
    """

    code: str
    field_key: str | None = None
    citation_index: int | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class ConflictingValue:
    """A value of a field that another one beat, with the documents that state it.

    `date` is the latest date (ISO) of those documents, None where none has a known date.
    """

    field_key: str
    value: Value
    snippets: Sequence[Snippet] = ()
    date: str | None = None


READ = "read"
"""The outcome of pages that were read; every other outcome says why they were not."""


@dataclass(frozen=True, slots=True)
class PagesRead:
    """Pages of one source document that an extractor was asked about, and what came of it.

    `field_keys` are the fields that it was asked for, None for all; `outcome` is `READ`, or how the reply
    ended without an answer for them (`refusal`, `max_tokens`, `unanswered`, …).
    """

    source_id: str
    first_page: int
    last_page: int
    field_keys: tuple[str, ...] | None = None
    outcome: str = READ

    def is_about(self, field_key: str) -> bool:
        """Tell whether the field was asked for."""
        return self.field_keys is None or field_key in self.field_keys


@dataclass(frozen=True, slots=True)
class Extraction:
    """All fields of one claim, one per field of the schema that was answered, in the schema's order."""

    schema_name: str
    fields: Sequence[ExtractedField]
    issues: Sequence[AnswerIssue] = ()
    model: str = ""
    prompt_fingerprint: str = ""
    conflicts: Sequence[ConflictingValue] = ()
    pages_read: Sequence[PagesRead] = ()

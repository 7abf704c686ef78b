"""What the read model answers, as plain data: the same shapes for REST, MCP and the command line.

Field names are the wire's. Nothing here computes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from citation_pipeline.core.viewer.citation_objects import CitationObject, PageBox


@dataclass(frozen=True, slots=True)
class ConditionView:
    """A condition that was understood in a query."""

    field: str
    label: str
    operator: str
    value: Any
    upper: Any
    understood_from: str


@dataclass(frozen=True, slots=True)
class SortingView:
    """The field that results are ordered by."""

    field: str
    label: str
    descending: bool


@dataclass(frozen=True, slots=True)
class InterpretationView:
    """How a query was read; how its conditions are joined is the answer's `where`."""

    query: str
    text: str
    conditions: Sequence[ConditionView]
    identifiers: Sequence[str]


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field's value in short.

    `confidence` is how likely the value is right, `confidence_parts` what each part adds to its log-odds.
    `review_state` `needs_review`: what was verified has changed since; `verified_value` is what was signed,
    `current_value` what the pipeline reads now.
    """

    name: str
    label: str
    value: Any
    type: str
    verified: bool
    citation: str | None
    confidence: float | None = None
    confidence_parts: dict[str, float] | None = None
    review_state: str = "unreviewed"
    verified_value: Any = None
    current_value: Any = None


@dataclass(frozen=True, slots=True)
class RetrievalView:
    """Where a hit was in each ranking before they were fused (1-based), for people who debug retrieval."""

    score: float
    places: dict[str, int]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One place that answers a search: a passage of a document, and the fields that were read from that
    document. `part` is the title of the document inside a file of several, "" in any other."""

    document_id: str
    claim_id: str
    filename: str
    page: int
    snippet: str
    fields: Sequence[FieldView]
    citations: Sequence[CitationObject]
    url: str
    retrieval: RetrievalView
    part: str = ""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The results of a search, how the query was understood, and the whole as text for a model."""

    query_interpretation: InterpretationView
    total: int
    offset: int
    next_offset: int | None
    results: Sequence[SearchHit]
    summary: str
    llm_context: str
    where: str = ""
    sorting: SortingView | None = None
    claims_without_value: int = 0
    """Claims that have no value of a field in the conditions: whether they meet them is not known."""
    notes: Sequence[str] = ()
    """What has to be said with the total."""


@dataclass(frozen=True, slots=True)
class HistoryView:
    """One thing that happened to a field: a run that changed it, or a person's event."""

    at: str
    kind: Literal["extraction", "review"]
    by: str
    value: Any
    status: str
    page: int | None
    confidence: float | None = None
    notes: str = ""


@dataclass(frozen=True, slots=True)
class ProvenanceAnswer:
    """Where a field's value comes from: all citations, and everything that happened to it, oldest first.

    `verified` is of the value; each citation says whether somebody signed for the value at that place.
    """

    claim_id: str
    field: str
    label: str
    value: Any
    type: str
    status: str
    citations: Sequence[CitationObject]
    unlocated: Sequence[str]
    history: Sequence[HistoryView]
    url: str
    confidence: float | None = None
    confidence_parts: dict[str, float] | None = None
    verified: bool = False
    review_state: str = "unreviewed"
    absence_confidence: float | None = None
    """How often what the reader does not find is in no document; None where a value was found."""


@dataclass(frozen=True, slots=True)
class OperandView:
    """One claim's part of an aggregate, with its place.

    `needs_review`: somebody signed for `verified_value`, and `current_value` is what is read there now.
    """

    claim_id: str
    value: Any
    document_id: str | None
    page: int | None
    bbox: PageBox | None
    citation: str | None
    url: str | None
    verified: bool = False
    confidence: float = 0.0
    needs_review: bool = False
    verified_value: Any = None
    current_value: Any = None


@dataclass(frozen=True, slots=True)
class AggregateView:
    """One group's result; `group` is None without a group by."""

    group: str | None
    value: Any
    note: str
    operands: Sequence[OperandView]
    excluded: Sequence[OperandView]


@dataclass(frozen=True, slots=True)
class AggregateAnswer:
    """An aggregate over a field of many claims, every operand cited."""

    operation: str
    field: str
    label: str
    query_interpretation: InterpretationView
    groups: Sequence[AggregateView]
    summary: str
    llm_context: str
    where: str = ""
    claims_without_value: int = 0
    """Claims that were asked, or met the condition, and have no value of the field."""
    claims_unsettled: int = 0
    """Those of them that may have one: a page was not read for it, or what was read is doubted."""


@dataclass(frozen=True, slots=True)
class ConfidenceView:
    """A confidence in 0-1 and of what it is made."""

    value: float
    top_match: float
    agreement: float
    coverage: float
    keyword_signal: float


@dataclass(frozen=True, slots=True)
class PublishedConfidence:
    """The published design's confidence of an answer, by its names and formula; where settings ask for it.

    It is no probability: `ConfidenceView` beside it is. Shares are 0-1; `floor_applied` is the floor where it
    was higher than the sum, None where it was not.
    """

    confidence: float
    top1_raw: float
    top1_calibrated: float
    agreement_rerank: float
    agreement_similarity: float
    coverage: float
    keyword_top1: float
    keyword_boost: float
    floor_applied: float | None


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A place behind an answer, or a near miss; `regions` are boxes per line on the page, in 0-1.

    `reason` says of a near miss why it is none: another person, part of the body, number, date or decision.
    """

    document_id: str
    filename: str
    page: int
    quote: str
    citation: CitationObject
    regions: Sequence[PageBox]
    score: float
    kind: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence of a model's answer and whether a quoted snippet of it was found in the documents."""

    text: str
    supported: bool
    sources: Sequence[int]


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """An answer out of the documents' words; `answer` is exactly "Not found in document." when there is none.

    `sources` index the places behind it; `near_misses` what came nearest when nothing was enough.
    `searched` tells how many documents and pages were looked at, and which field was asked for. `state` is
    verified, found, conflicting, superseded, doubted, absent, or unread where pages that may hold the answer
    were not read; `field` is the schema's field that answered.
    """

    question: str
    answer: str
    value: Any
    found: bool
    method: str
    confidence: ConfidenceView
    sentences: Sequence[SentenceView]
    sources: Sequence[AnswerSource]
    near_misses: Sequence[AnswerSource]
    searched: str
    llm_context: str
    state: str = "found"
    field: str | None = None
    confidence_details: PublishedConfidence | None = None


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim in a list; `state` is `ready`, or `partial` where documents were not all read (`unread`).

    `held` is told of a claim by itself: a newer result waits for a decision, what is shown is the earlier.
    """

    claim_id: str
    state: str
    documents: int
    unread: int
    pages: int
    fields: int
    reviewed: int
    unresolved: int
    url: str
    held: bool = False


@dataclass(frozen=True, slots=True)
class ClaimsAnswer:
    """A page of the list of claims."""

    total: int
    offset: int
    next_offset: int | None
    claims: Sequence[ClaimView]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document of a claim."""

    document_id: str
    filename: str
    pages: int
    status: str
    url: str


@dataclass(frozen=True, slots=True)
class IssueView:
    """Something that was not read, or could not be taken, believed or reconciled."""

    code: str
    severity: str
    message: str
    field: str | None
    document_id: str | None
    pages: Sequence[Sequence[int]] = ()


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """One claim: its documents and the fields that have a value, each with its short citation.

    `absent_fields` were looked for on every page and not found; `absence_confidence` is how often what their
    reader does not find is in no document, None where that was not measured. `unread_fields` may stand where
    nobody read.
    """

    claim: ClaimView
    documents: Sequence[DocumentView]
    fields: Sequence[FieldView]
    absent_fields: Sequence[str]
    absence_confidence: float | None
    unread_fields: Sequence[str]
    issues: Sequence[IssueView]


VerificationStatus = Literal["verified", "drifted", "turned", "differs", "stale", "unknown"]


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """Whether a quoted text is where it is said to be.

    verified: there; drifted: elsewhere (`found` says where); turned: printed so, but what is beside it, or
    the next sentence, denies it, limits it or leaves it open (`message` quotes it); differs: the document
    says something else there (`message` says what); stale: the document is not the one that was quoted;
    unknown: no such document, the text is nowhere in it, or it is too short to be evidence. `checked` names
    what was compared (text, page, bbox, sha256), `not_checked` what was not, for it was not given. `places`
    counts where the text is.
    """

    status: VerificationStatus
    reason: str
    document_id: str
    found: CitationObject | None
    score: float
    message: str = ""
    checked: Sequence[str] = ()
    not_checked: Sequence[str] = ()
    places: int = 0

"""What one extractor answered for one claim, ready to be laid beside another's. Shapes only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citation_pipeline.core.citations import Citation
from citation_pipeline.core.evaluation.evaluation import Evaluation
from citation_pipeline.core.extraction import ExtractedField, Extraction, Value


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answer took: calls, tokens, US dollars, seconds of waiting for replies (or of reading).

    Replies that were stored already are counted at what they cost when they were paid for; `paid_now` is the
    part that this comparison paid.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    paid_now: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            round(self.dollars + other.dollars, 6),
            round(self.seconds + other.seconds, 3),
            round(self.paid_now + other.paid_now, 6),
        )


@dataclass(frozen=True, slots=True)
class Side:
    """One extractor's answer to one claim; `failure` says why there is none.

    `unread` counts, by why, the pages that it left unread for some field (`refusal`, `max_tokens`, …).
    """

    extractor: str
    model: str = ""
    extraction: Extraction = field(default_factory=lambda: Extraction("", ()))
    citations: Sequence[Citation] = ()
    confidences: Mapping[str, float] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = Usage()
    evaluation: Evaluation | None = None
    failure: str = ""

    @property
    def fields(self) -> Mapping[str, ExtractedField]:
        """Its fields by key."""
        return {one.field_key: one for one in self.extraction.fields}


@dataclass(frozen=True, slots=True)
class Cell:
    """One extractor's answer to one field: value, where it is cited, how surely, and what was wrong.

    `status` is the best citation's, "" without one, or "unread" where the field's pages were not read.
    `right` is None where no truth says. `source_id` and `page` are of the best citation.
    """

    value: Value = None
    status: str = ""
    source_id: str = ""
    page: int | None = None
    kind: str = ""
    confidence: float | None = None
    snippet: str = ""
    right: bool | None = None
    word_box_f1: float | None = None
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of one claim, one cell an extractor.

    `agree` tells whether all that answered mean the same value; `same_place` whether all that are cited are
    cited at a common place (None where fewer than two are).
    """

    field_key: str
    label: str
    value_type: str
    cells: Sequence[Cell]
    agree: bool
    same_place: bool | None
    truth: Value = None
    has_truth: bool = False

    @property
    def differs(self) -> bool:
        """Whether a reviewer has something to look at."""
        return self.differs_in_value or self.same_place is False

    @property
    def differs_in_value(self) -> bool:
        """Whether the values differ, or one is wrong: not only the places where they are cited."""
        return not self.agree or any(cell.right is False for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of one extractor over some fields.

    Of the answered ones: `placed` have a place, `resolved` one without a doubt, `sure` are at 0.95 and above.
    """

    answered: int = 0
    placed: int = 0
    resolved: int = 0
    sure: int = 0
    right: int = 0
    wrong: int = 0
    missing: int = 0

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(
            self.answered + other.answered,
            self.placed + other.placed,
            self.resolved + other.resolved,
            self.sure + other.sure,
            self.right + other.right,
            self.wrong + other.wrong,
            self.missing + other.missing,
        )


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """One claim: its sides, its fields side by side, and figures by type of value and by kind of document.

    The figures' order is that of the sides. `documents` counts the claim's documents of each kind.
    """

    claim_id: str
    sides: Sequence[Side]
    rows: Sequence[FieldRow]
    totals: Sequence[Figures]
    by_type: Mapping[str, Sequence[Figures]]
    by_kind: Mapping[str, Sequence[Figures]]
    documents: Mapping[str, int]
    has_truth: bool = False

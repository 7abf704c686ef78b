"""A typed value whose quotation is not on the page is quoted anew from it, and says so."""

import pytest

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline_tests.drawn_documents import text_document

PAGE = text_document(
    "letter",
    "Temporary disability rate: $809.80 weekly, from 03/14/2025",
    "Lien of Harbor Clinic: $1,250.00",
    "Paid to Harbor Clinic: $1,250.00",
    "Settlement offered: $44,000.00",
)


def cite(value: object, kind: str, quoted: str) -> Citation:
    field = ExtractedField("f", value, kind, (Snippet("letter", quoted),))
    (found,) = resolve_claim([PAGE], [field])
    return found


def words(citation: Citation) -> str:
    return " ".join(PAGE.words.texts[w] for first, last in citation.word_ranges for w in range(first, last))


@pytest.mark.parametrize(
    ("value", "kind", "quoted", "said"),
    [
        (809.8, "number", "weekly disability payments come to 809.80", "disability rate: $809.80 weekly,"),
        (1250, "number", "the clinic was paid in full", "Paid to Harbor Clinic: $1,250.00"),
        (
            "2025-03-14",
            "date",
            "it is weekly and its rate counts from March 14th, 2025",
            "rate: $809.80 weekly, from 03/14/2025",
        ),
    ],
)
def test_the_pages_own_words_around_the_value_are_quoted(
    value: object, kind: str, quoted: str, said: str
) -> None:
    found = cite(value, kind, quoted)
    assert "repaired" in found.warnings
    assert (found.status, found.reason) == (CitationStatus.FLAGGED, "repaired")
    assert found.confidence < 0.5  # never with the certainty of what was quoted right
    assert found.snippet_text == quoted  # what the model said stays what it said
    assert words(found) == said
    assert found.value


def test_a_date_quoted_alone_in_another_form_is_rewritten_not_repaired() -> None:
    found = cite("2025-03-14", "date", "March 14th, 2025")
    assert (found.status, found.reason, words(found)) == (CitationStatus.FLAGGED, "rewritten", "03/14/2025")
    assert found.confidence <= 0.8


@pytest.mark.parametrize(
    ("value", "kind", "quoted"),
    [
        (1250, "number", "the clinic of the harbor and its money"),  # either line
        (1250, "number", "$1250"),  # two places, nothing to tell them apart
        (44000, "number", "mediation was held before the judge in January"),  # about something else
        (
            44000,
            "number",
            "the judge offered coffee before mediation in January",
        ),  # one word of five is shared
        ("Harbor Clinic", "string", "the harbour practice"),  # no typed value
    ],
)
def test_nothing_is_quoted_where_it_is_open_what_was_meant(value: object, kind: str, quoted: str) -> None:
    assert "repaired" not in cite(value, kind, quoted).warnings


def test_the_dataset_shows_both_what_was_quoted_and_what_the_page_says() -> None:
    quoted = "weekly disability payments come to 809.80"
    field = ExtractedField("f", 809.8, "number", (Snippet("letter", quoted),))
    dataset = build_viewer_dataset(
        "claim",
        schema=Schema("own", "Own", "", (Field("f", "number", "F", "own"),), "1"),
        documents=[PAGE],
        fields=[field],
        citations=resolve_claim([PAGE], [field]),
    )
    (citation,) = dataset["fields"][0]["citations"]
    assert (citation["snippet"], citation["requoted"]) == (quoted, "disability rate: $809.80 weekly,")
    assert citation["status"] == "flagged"

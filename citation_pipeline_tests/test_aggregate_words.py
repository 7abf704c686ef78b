"""Aggregates asked for in words: what is read, and what could mean two things and is refused."""

import pytest

from citation_pipeline.core.retrieval.aggregate_words import read_aggregate
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline_tests.test_conditions import FIELDS


@pytest.mark.parametrize(
    ("query", "operation", "field", "where"),
    [
        (
            "how many claims are litigated",
            "count",
            "litigation.is_litigated",
            "litigation.is_litigated is yes",
        ),
        ("how many claims have an mmi date", "count", "mmi_status.mmi_date", ""),
        ("sum of total paid where litigated", "sum", "payments.total_paid", "litigated"),
    ],
)
def test_an_aggregate_in_words_counts_what_was_asked(
    query: str, operation: str, field: str, where: str
) -> None:
    read = read_aggregate(query, FIELDS)
    assert (read.operation, read.field, read.where) == (operation, field, where)


@pytest.mark.parametrize(
    "query",
    [
        "how many liens",  # of one claim's list, or claims with a list
        "how many claims have liens",
        "how many examiners",  # different ones, or claims that have one
        "how many claims are not litigated",
        "sum of total paid and total incurred",
        "median of total paid",
    ],
)
def test_an_aggregate_that_could_mean_two_things_is_refused(query: str) -> None:
    with pytest.raises(NotUnderstoodError):
        read_aggregate(query, FIELDS)

"""The drawn quotations end as they were approved: a change of the matcher is seen quotation by quotation."""

import difflib

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline_tests.quotation_outcomes import approved, drawn_cases, outcome_of

KINDS = sorted(approved())
REMEDY = "If that is right: python -m citation_pipeline_tests.quotation_outcomes, and read the diff."


def test_every_drawn_kind_is_approved() -> None:
    assert KINDS == list(drawn_cases()[0])


@pytest.mark.parametrize("kind", KINDS)
def test_quotations_end_as_approved(kind: str) -> None:
    before, now = approved()[kind], [outcome_of(case) for case in drawn_cases()[0][kind]]
    changed = [line for line in difflib.ndiff(before, now) if line[0] in "+-"]
    assert not changed, "\n".join([f"{kind}: {len(changed)} lines changed. {REMEDY}", *changed[:20]])


def test_hardly_an_altered_quotation_is_approved_as_resolved() -> None:
    honest = {
        kind: [case.honest or case.flag_ok for case in cases] for kind, cases in drawn_cases()[0].items()
    }
    resolved = [
        (is_honest, line.split()[1] == CitationStatus.RESOLVED)
        for kind, lines in approved().items()
        for is_honest, line in zip(honest[kind], lines, strict=True)
    ]
    false = sum(is_resolved for is_honest, is_resolved in resolved if not is_honest)
    right = sum(is_resolved for is_honest, is_resolved in resolved if is_honest)
    assert false <= 0.01 * sum(not is_honest for is_honest, _ in resolved)
    assert right >= 0.8 * sum(is_honest for is_honest, _ in resolved)

"""The drawn quotations end as they were approved: a change of the matcher is seen quotation by quotation."""

import pytest

from citation_pipeline_tests.approvals import FOLDER, Approve, read
from citation_pipeline_tests.quotation_outcomes import drawn_cases, outcome_of

KINDS = sorted(path.stem for path in (FOLDER / "quotations").glob("*.txt"))


def test_every_drawn_kind_is_approved() -> None:
    assert list(drawn_cases()[0]) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_quotations_end_as_approved(kind: str, approve: Approve) -> None:
    approve(f"quotations/{kind}", [outcome_of(case) for case in drawn_cases()[0][kind]])


def test_no_altered_quotation_is_approved_as_certain() -> None:
    certain = [
        (
            case.honest or case.flag_ok,
            line.split()[1] == "resolved" and float(line.split("; ")[3].split()[0]) >= 0.8,
        )
        for kind, cases in drawn_cases()[0].items()
        for case, line in zip(cases, read(f"quotations/{kind}"), strict=True)
    ]
    assert not any(is_certain for is_honest, is_certain in certain if not is_honest)
    assert sum(is_certain for is_honest, is_certain in certain if is_honest) >= 700

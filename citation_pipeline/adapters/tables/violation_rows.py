"""What does not agree in a claim, as rows: one a violation, with the places that contradict each other."""

from collections.abc import Sequence

import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.consistency.violations import Statement, Violation


def violation_table(claim_id: str, violations: Sequence[Violation]) -> pa.Table:
    """Return a claim's violations as the table `violations`."""
    rows = [
        {
            "claim_id": claim_id,
            "code": violation.code,
            "rule_id": violation.rule_id,
            "severity": violation.severity,
            "says": violation.says,
            "field_keys": list(violation.field_keys),
            "statements": [
                {
                    "source_id": one.source_id,
                    "field_key": one.field_key,
                    "citation_index": one.citation_index,
                    "page": one.page,
                    "boxes": [box.as_dict(digits=None) for box in one.boxes],
                }
                for one in violation.statements
            ],
        }
        for violation in violations
    ]
    return pa.Table.from_pylist(rows, schema=SHAPES["violations"])


def read_violations(store: ClaimStore, claim_id: str) -> list[Violation]:
    """Return a claim's violations."""
    return [
        Violation(
            code=row["code"],
            says=row["says"],
            severity=row["severity"],
            rule_id=row["rule_id"],
            field_keys=tuple(row["field_keys"]),
            statements=tuple(
                Statement(
                    source_id=one["source_id"],
                    field_key=one["field_key"],
                    citation_index=one["citation_index"],
                    page=one["page"],
                    boxes=tuple(Box(**box) for box in one["boxes"]),
                )
                for one in row["statements"]
            ),
        )
        for row in store.read_rows("violations", claim_id)
    ]

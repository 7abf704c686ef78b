"""Keeps the boxes that people drew over pages, to be blackened in what is handed out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, insert, select

from citation_pipeline.adapters.redactions.shapes import DRAWN_REDACTIONS
from citation_pipeline.adapters.verifications.database import Database
from citation_pipeline.core.boxes import Box


@dataclass(frozen=True, slots=True)
class DrawnRedaction:
    """A box on a page of one version of a document."""

    redaction_id: int
    source_id: str
    sha256: str
    page: int
    box: Box
    drawn_by: str
    drawn_at: str


class RedactionStore:
    """The drawn boxes of one database; safe to share between threads."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)

    def draw(
        self, claim_id: str, *, source_id: str, sha256: str, page: int, box: Box, by: str
    ) -> DrawnRedaction:
        """Keep a box."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        row = {
            "claim_id": claim_id,
            "source_id": source_id,
            "sha256": sha256,
            "page": page,
            **{side: getattr(box, side) for side in ("left", "top", "width", "height")},
            "drawn_by": by,
            "drawn_at": at,
        }
        with self._database.writing() as connection:
            made = connection.execute(insert(DRAWN_REDACTIONS).values(**row)).inserted_primary_key
        assert made is not None
        return DrawnRedaction(int(made[0]), source_id, sha256, page, box, by, at)

    def remove(self, claim_id: str, redaction_id: int) -> bool:
        """Remove a claim's box; tells whether it was there."""
        table = DRAWN_REDACTIONS
        wanted = (table.c.claim_id == claim_id) & (table.c.redaction_id == redaction_id)
        with self._database.writing() as connection:
            return connection.execute(delete(table).where(wanted)).rowcount > 0

    def of_claim(self, claim_id: str) -> Sequence[DrawnRedaction]:
        """Return a claim's boxes, oldest first."""
        table = DRAWN_REDACTIONS
        query = select(table).where(table.c.claim_id == claim_id).order_by(table.c.redaction_id)
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [
            DrawnRedaction(
                row["redaction_id"],
                row["source_id"],
                row["sha256"],
                row["page"],
                Box(row["left"], row["top"], row["width"], row["height"]),
                row["drawn_by"],
                row["drawn_at"],
            )
            for row in rows
        ]

    def close(self) -> None:
        """Give the database's connections back."""
        self._database.close()

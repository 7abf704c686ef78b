"""The store as pandas data frames, for analysts: one call opens it, a method each gives a table.

    import citation_pipeline

    store = citation_pipeline.open_store("data/store")
    fields = store.fields()                                   # a row per field and claim
    weak = fields[fields.confidence < 0.8].groupby("field_key", observed=True).size()
    store.quality().plot.bar(y="located_share")
    store.evaluation("truths/").to_html("report.html")        # or, without a truth, what people signed
    store.to_excel("claims.xlsx")

Types are nullable, words that repeat are categories, and nothing is written. A claim whose table was never
made has no rows in it. Fields and citations are those that the viewer shows: of a claim with a set that is
held back, or that was refused, the earlier ones.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from citation_pipeline.adapters.pictures import series
from citation_pipeline.adapters.sql_engines import is_unused
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.analysis.reviewed_fields import reviewed_fields
from citation_pipeline.analysis.shown_tables import shown_confidences, shown_table
from citation_pipeline.analysis.workbooks import printable
from citation_pipeline.core.review.verifications import FieldReview, Verification

if TYPE_CHECKING:
    from citation_pipeline.analysis.evaluations import EvaluationFrames

_CATEGORIES = frozenset(
    ("claim_id", "source_id", "cited_source_id", "field_key", "status", "method", "change", "value_type")
    + (
        "provenance",
        "model",
        "schema",
        "media_type",
        "parser",
        "error_code",
        "reason",
        "extraction_confidence",
        "review",
    )
)
_FIELDS = ("field_key", "value", "value_type", "confidence", "provenance", "model", "schema", "warnings")
_CITATIONS = (
    ("citation_id", "field_key", "citation_index", "item_path", "source_id", "cited_source_id", "page")
    + ("snippet", "status", "method", "score", "confidence", "equal_places", "margin", "reason", "warnings")
    + ("text_start", "text_end")
)
_DOCUMENTS = (
    "source_id",
    "name",
    "file",
    "sha256",
    "media_type",
    "bytes",
    "page_count",
    "status",
    "error_code",
) + ("error", "parser", "parser_version", "duplicate_of", "warnings")
_CHANGES = ("citation_id", "field_key", "change", "overlap", "is_verified")


class StoreFrames:
    """A store's tables as data frames; `claim_ids` of every method are all claims by default.

    A table that an older version wrote raises OutdatedTableError, which names claim and remedy.
    """

    def __init__(self, store: ClaimStore, *, verifications_url: str = "") -> None:  # noqa: D107
        self._store = store
        self._verifications_url = verifications_url or default_url(store.root)

    def claim_ids(self) -> list[str]:
        """Return the registered claims, sorted."""
        return self._store.claim_ids()

    def fields(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a row per field that was answered.

        `value` is the stored value as text, `number` and `date` the same where it is one; `confidence` is the
        field's own (0-1), `extraction_confidence` the extractor's word; `status` the best of its citations.
        All of these are the pipeline's: `review` is what people's verdict is worth today (`confirmed`,
        `corrected`, `needs_review`, ...), `verified_value` the value that they signed, where it holds.
        """
        frame = self._table("fields", _FIELDS, claim_ids)
        values = frame["value"].map(_loaded, na_action="ignore")
        frame["value"] = values.map(_text, na_action="ignore").astype("string")
        frame["number"] = pd.to_numeric(values.where(values.map(_is_number)), errors="coerce").astype(
            "Float64"
        )
        is_date = frame["value_type"].eq("date").fillna(value=False)
        frame["date"] = pd.to_datetime(frame["value"].where(is_date), format="%Y-%m-%d", errors="coerce")
        frame = frame.rename(columns={"confidence": "extraction_confidence"})
        sure = shown_confidences(
            self._store,
            self._wanted(claim_ids),
            self._table("field_confidences", ("field_key", "confidence"), claim_ids),
        )
        frame = _plain(frame).merge(_plain(sure), on=["claim_id", "field_key"], how="left")
        cited = self._table("citations", ("field_key", "status"), claim_ids)
        best = _plain(cited).assign(rank=lambda f: f["status"].map(_RANKS)).sort_values("rank")
        best = best.drop_duplicates(["claim_id", "field_key"])[["claim_id", "field_key", "status"]]
        frame = frame.merge(best, on=["claim_id", "field_key"], how="left")
        reviewed = reviewed_fields(self._store, self._reviews(claim_ids))
        frame = _plain(frame).merge(reviewed, on=["claim_id", "field_key"], how="left")
        return _typed(frame.fillna({"review": "unreviewed"}))

    def citations(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a row per citation: what was quoted, where it is, how sure that is."""
        return self._table("citations", _CITATIONS, claim_ids)

    def documents(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a row per document: its file, its pages, and why it could not be read."""
        return self._table("documents", _DOCUMENTS, claim_ids)

    def changes(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return what the last re-match changed: a row per citation, `same`, `moved`, `lost` and so on."""
        return self._table("citation_changes", _CHANGES, claim_ids)

    def quality(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a row per claim, indexed by it: counts and shares that can be plotted as they are."""
        documents, fields, citations = (
            make(claim_ids) for make in (self.documents, self.fields, self.citations)
        )
        claims = pd.Index(sorted(claim_ids if claim_ids is not None else self.claim_ids()), name="claim_id")
        frame = pd.DataFrame(index=claims)
        frame["documents"] = _count(documents, claims)
        frame["unreadable_documents"] = _count(documents[~documents["status"].isin(_READABLE)], claims)
        frame["pages"] = documents.groupby("claim_id", observed=True)["page_count"].sum().reindex(claims)
        frame["fields_found"] = _count(fields[fields["value"].notna()], claims)
        frame["mean_confidence"] = (
            fields.groupby("claim_id", observed=True)["confidence"].mean().reindex(claims)
        )
        frame["citations"] = _count(citations, claims)
        for status in _RANKS:
            frame[status] = _count(citations[citations["status"] == status], claims)
        located = frame["resolved"] + frame["flagged"]
        frame["located_share"] = (located / frame["citations"].where(frame["citations"] > 0)).astype(
            "Float64"
        )
        return frame.astype({"pages": "Int64", "mean_confidence": "Float64"})

    def verifications(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a row per event of review, oldest first: who did what to which field, and when (UTC)."""
        wanted = None if claim_ids is None else set(claim_ids)
        rows = [
            {
                "verification_id": event.verification_id,
                "claim_id": event.claim_id,
                "field_key": event.field_key,
                "action": event.action.value,
                "reviewer": event.reviewer,
                "made_at": event.made_at,
                "seen_value": _text(event.seen_value),
                "seen_confidence": event.seen_confidence,
                "value": _text(event.value),
                "places": len(event.places),
            }
            for event in self._events()
            if wanted is None or event.claim_id in wanted
        ]
        frame = pd.DataFrame(rows, columns=list(_VERIFICATIONS)).astype(_VERIFICATIONS)
        frame["made_at"] = pd.to_datetime(frame["made_at"], utc=True)
        return frame

    def locate_rate(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a row per day on which a value or place changed: cited fields by status, and `share`."""
        days = series.locate_days(self._store, self._wanted(claim_ids))
        rows = [(day.day, day.resolved, day.flagged, day.unresolved, day.share) for day in days]
        columns = ["day", "resolved", "flagged", "unresolved", "share"]
        types = {"resolved": "Int64", "flagged": "Int64", "unresolved": "Int64", "share": "Float64"}
        frame = pd.DataFrame(rows, columns=columns).astype(types)
        frame["day"] = pd.to_datetime(frame["day"])
        return frame.set_index("day")

    def reliability(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return confidence against outcome: a row per tenth of confidence that people judged fields of.

        The confidence is the one that the person saw when they decided.
        """
        bins = series.reliability(self._reviews(claim_ids))
        rows = [(one.low, one.high, one.count, one.mean_confidence, one.share_right) for one in bins]
        columns = ["from", "to", "count", "mean_confidence", "share_right"]
        return pd.DataFrame(rows, columns=columns).astype(
            {n: "Float64" for n in columns} | {"count": "Int64"}
        )

    def disagreements(self) -> pd.DataFrame:
        """Return a row per field that people decided on: verdicts, corrections, `share` that was wrong."""
        found = series.disagreements(self._events())
        rows = [(one.field_key, one.verdicts, one.corrected, one.marked_absent, one.share) for one in found]
        columns = ["field_key", "verdicts", "corrected", "marked_absent", "share"]
        types = {name: "Int64" for name in columns[1:4]} | {"share": "Float64", "field_key": "category"}
        return pd.DataFrame(rows, columns=columns).astype(types)

    def costs(self, claim_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a row per claim, indexed by it: US dollars of extraction and parsing, and their sum."""
        found = series.claim_costs(self._store, self._wanted(claim_ids))
        rows = [(one.claim_id, one.extraction, one.parsing, one.dollars) for one in found]
        frame = pd.DataFrame(rows, columns=["claim_id", "extraction", "parsing", "dollars"])
        types = {name: "Float64" for name in ("extraction", "parsing", "dollars")}
        return frame.astype(types | {"claim_id": "string"}).set_index("claim_id")

    def evaluation(
        self, truth: "str | Path | Mapping[str, Any] | None" = None, claim_ids: Sequence[str] | None = None
    ) -> "EvaluationFrames":
        """Return claims against their truth, as frames that can be told as HTML.

        `truth` is a truth file, a folder with `<claim_id>/truth.json`, or a truth's content; without one it
        is what people signed. Claims without a truth are left out.
        """
        from citation_pipeline.analysis.evaluations import EvaluationFrames
        from citation_pipeline.analysis.truths import evaluate_against, evaluate_signed

        wanted = self._wanted(claim_ids)
        if truth is None:
            found = evaluate_signed(self._store, self._reviews(wanted))
        else:
            found = evaluate_against(self._store, wanted, truth)
        return EvaluationFrames(found)

    def to_excel(self, path: "str | Path", claim_ids: Sequence[str] | None = None) -> None:
        """Write the tables as one workbook: quality, fields, citations, documents, changes, a sheet each."""
        sheets = {
            "quality": self.quality(claim_ids).reset_index(),
            "fields": self.fields(claim_ids),
            "citations": self.citations(claim_ids),
            "documents": self.documents(claim_ids),
            "changes": self.changes(claim_ids),
        }
        with pd.ExcelWriter(path, engine="openpyxl") as writer:
            for name, frame in sheets.items():
                printable(frame).to_excel(writer, sheet_name=name, index=False, freeze_panes=(1, 0))

    def _wanted(self, claim_ids: Sequence[str] | None) -> list[str]:
        return self.claim_ids() if claim_ids is None else list(claim_ids)

    def _events(self) -> list[Verification]:
        if is_unused(self._verifications_url):
            return []
        kept = VerificationStore(self._verifications_url)
        try:
            return kept.events_since("")
        finally:
            kept.close()

    def _reviews(self, claim_ids: Sequence[str] | None) -> dict[str, dict[str, FieldReview]]:
        if is_unused(self._verifications_url):
            return {}
        kept = VerificationStore(self._verifications_url)
        try:
            reviewed = set(kept.last_ids())
            return {one: kept.reviews(one) for one in self._wanted(claim_ids) if one in reviewed}
        finally:
            kept.close()

    def _table(self, name: str, columns: Sequence[str], claim_ids: Sequence[str] | None) -> pd.DataFrame:
        wanted = ["claim_id", *columns]
        parts = []
        for claim_id in claim_ids if claim_ids is not None else self.claim_ids():
            try:
                parts.append(
                    self._store.read_table(shown_table(self._store, name, claim_id), claim_id, wanted)
                )
            except MissingTableError:
                continue
        shape = pa.schema([SHAPES[name].field(column) for column in wanted])
        table = pa.concat_tables(parts) if parts else shape.empty_table()
        return _typed(table.to_pandas(types_mapper=_NULLABLE.get))


_READABLE = ("parsed", "duplicate")
_VERIFICATIONS = {
    "verification_id": "Int64",
    "claim_id": "category",
    "field_key": "category",
    "action": "category",
    "reviewer": "category",
    "made_at": "string",
    "seen_value": "string",
    "seen_confidence": "Float64",
    "value": "string",
    "places": "Int64",
}
_RANKS = {"resolved": 0, "flagged": 1, "unresolved": 2}
_NULLABLE: dict[pa.DataType, Any] = {
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.float32(): pd.Float32Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(),
}


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype({name: "category" for name in frame.columns if name in _CATEGORIES})


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return categories as text: categories of two frames cannot be joined."""
    return frame.astype(
        {name: "string" for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)}
    )


def _count(frame: pd.DataFrame, claims: "pd.Index[Any]") -> "pd.Series[Any]":
    counts = frame.groupby("claim_id", observed=True).size()
    return counts.reindex(claims, fill_value=0).astype("Int64")


def _loaded(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

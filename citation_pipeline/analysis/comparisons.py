"""Comparisons of extractors as data frames: what `compare --json` printed, a table of each kind."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

_WHOLE = ("answered", "placed", "resolved", "sure", "right", "wrong", "missing", "calls")
_TOKENS = ("input_tokens", "output_tokens")
_SHARES = ("precision", "recall", "f1", "dollars", "paid_now", "seconds")


@dataclass(frozen=True, eq=False)
class ComparisonFrames:
    """Claims that several extractors were asked for; `claims` are the objects of `compare --json`.

    `extractors` has a row per claim and extractor, `types` per claim, type of value and extractor, `fields`
    per claim, field and extractor. What nothing can be said of is `<NA>`.
    """

    claims: Sequence[Mapping[str, Any]]

    @property
    def extractors(self) -> pd.DataFrame:
        """Figures, tokens, dollars and seconds of each extractor on each claim."""
        rows = [{"claim_id": one["claim_id"], **side} for one in self.claims for side in one["extractors"]]
        columns = ["claim_id", "extractor", "model", "failure", *_WHOLE, *_TOKENS, *_SHARES]
        return _nullable(rows, columns)

    @property
    def types(self) -> pd.DataFrame:
        """Figures of each extractor by type of value."""
        rows = [
            {"claim_id": one["claim_id"], "type": kind, "extractor": name, **figures}
            for one in self.claims
            for kind, sides in one["by_type"].items()
            for name, figures in sides.items()
        ]
        return _nullable(rows, ["claim_id", "type", "extractor", *_WHOLE[:-1], *_SHARES[:3]])

    @property
    def fields(self) -> pd.DataFrame:
        """Each extractor's answer to each field that any of them answers: `value` as JSON text."""
        rows = [
            {
                "claim_id": one["claim_id"],
                "field_key": row["field_key"],
                "type": row["type"],
                "agree": row["agree"],
                "same_place": row["same_place"],
                "extractor": name,
                **{
                    key: cell[key]
                    for key in ("status", "source_id", "page", "confidence", "right", "word_box_f1")
                },
                "value": None if cell["value"] is None else json.dumps(cell["value"], ensure_ascii=False),
            }
            for one in self.claims
            for row in one["fields"]
            for name, cell in row["answers"].items()
        ]
        return _nullable(rows, _FIELD_COLUMNS)

    def disagreements(self) -> pd.DataFrame:
        """Return a row per field: on how many claims the extractors disagree, of how many, most first."""
        found = self.fields.drop_duplicates(["claim_id", "field_key"])
        counted = found.groupby("field_key", observed=True)["agree"].agg(claims="size", agreed="sum")
        counted["disagreed"] = counted["claims"] - counted["agreed"]
        return counted.astype("Int64").sort_values("disagreed", ascending=False)


_FIELD_COLUMNS = [
    *("claim_id", "field_key", "type", "extractor", "value", "status", "source_id", "page", "confidence"),
    *("right", "word_box_f1", "agree", "same_place"),
]
_NAMES = frozenset(("field_key", "type", "extractor", "model", "status", "source_id"))
_TRUTHS = frozenset(("agree", "same_place"))


def read_comparison(path: str | Path) -> ComparisonFrames:
    """Return what `citation-pipeline compare … --json > FILE` wrote; the line of totals is left out.

    Raises OSError, or ValueError for a file that is none.
    """
    lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
    if not all(isinstance(one, dict) and "extractors" in one for one in lines):
        raise ValueError(f"{path} holds no comparison: write one with `compare … --json`")
    return ComparisonFrames([one for one in lines if one.get("claim_id")])


def _nullable(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows as a frame whose types hold, also of no rows; further keys are left out."""
    types: dict[str, Any] = {}
    for name in columns:
        if name in _NAMES:
            types[name] = "category"
        elif name in _TRUTHS or (name == "right" and "value" in columns):
            types[name] = "boolean"
        elif name in (*_WHOLE, *_TOKENS, "page"):
            types[name] = "Int64"
        elif name in ("claim_id", "failure", "value"):
            types[name] = "string"
        else:
            types[name] = "Float64"
    return pd.DataFrame(list(rows), columns=list(columns)).astype(types)

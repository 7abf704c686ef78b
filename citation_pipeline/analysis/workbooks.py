"""Data frames as the sheets of a workbook can hold them."""

from typing import Any

import pandas as pd

_CONTROLS = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"  # a sheet cannot hold them
_LONGEST_CELL = 32_767  # characters that Excel takes
_FORMULA = ("=", "+", "-", "@")  # what a document says is never a formula


def printable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame as a sheet can hold it: lists as text, no control characters, no formulas."""
    shown = frame.copy()
    for name in shown.columns:
        column = shown[name]
        if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype == object:
            column = column.map(_cell, na_action="ignore").astype("string")
        if isinstance(column.dtype, pd.StringDtype):
            column = column.str.replace(_CONTROLS, "", regex=True).str.slice(0, _LONGEST_CELL - 1)
            column = column.where(~column.str.startswith(_FORMULA).fillna(value=False), "'" + column)
        shown[name] = column
    return shown


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else "; ".join(str(one) for one in value)

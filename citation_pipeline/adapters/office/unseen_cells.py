"""Cells of a workbook that no screen shows: letters in the colour of their ground, numbers as `####`."""

from typing import Any

_THEME = {0: "FFFFFF", 1: "000000"}  # the two that every theme has for paper and print
_INDEXED = {0: "000000", 1: "FFFFFF", 8: "000000", 9: "FFFFFF", 64: "000000", 65: "FFFFFF"}
_PAPER = "FFFFFF"
_NARROW = ",.'; "  # half as wide as a figure
_ROOM = 0.3  # of a figure's width: what a printer's metrics may differ


def is_unseen(cell: Any) -> bool:
    """Tell whether a cell's letters have the colour of its ground; a pattern or a tint shows them."""
    letters = _colour(cell.font.color)
    return letters is not None and letters == _ground(cell.fill)


def is_too_narrow(cell: Any, text: str, widths: dict[str, float]) -> bool:
    """Tell whether a column is too narrow for a number, which is then shown as `####`.

    `widths` are the columns' own, in figures. A number without a format is rounded to what fits.
    """
    width = widths.get(cell.column_letter)
    if width is None or cell.data_type not in ("n", "d") or cell.number_format == "General":
        return False
    if cell.alignment is not None and (cell.alignment.shrink_to_fit or cell.alignment.textRotation):
        return False
    return sum(0.5 if letter in _NARROW else 1.0 for letter in text) > width + _ROOM


def column_widths(sheet: Any) -> dict[str, float]:
    """Return the widths that a sheet sets for its columns, hidden ones aside."""
    found: dict[str, float] = {}
    for letter, column in sheet.column_dimensions.items():
        if column.customWidth and column.width and not column.hidden and column.min == column.max:
            found[letter] = float(column.width)
    return found


def _ground(fill: Any) -> str | None:
    if fill is None or not fill.fill_type:
        return _PAPER
    return _colour(fill.fgColor) if fill.fill_type == "solid" else None


def _colour(colour: Any) -> str | None:
    """Return a colour as six digits; None where nothing is said, or only a shade of something."""
    if colour is None or colour.tint:
        return None
    if colour.type == "rgb":
        return str(colour.rgb)[-6:].upper()
    if colour.type == "theme":
        return _THEME.get(colour.theme)
    return _INDEXED.get(colour.indexed) if colour.type == "indexed" else None

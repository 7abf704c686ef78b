"""Sheets and what is set on them: styles, words, rules and pictures, in points, origin top left, y down."""

from dataclasses import dataclass, field

from citation_pipeline.adapters.office.font_metrics import REGULAR


@dataclass(frozen=True, slots=True)
class Style:
    """How a paragraph is set, and the block type it becomes."""

    block_type: str = "Text"
    font: str = REGULAR
    size: float = 11.0
    indent: float = 0.0
    space_before: float = 6.0
    keeps_spaces: bool = False  # columns of a plain text are made of spaces


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word with its baseline's start and its width, in points."""

    text: str
    x: float
    baseline: float
    width: float
    font: str
    size: float


@dataclass(frozen=True, slots=True)
class PlacedPicture:
    """A picture's file and its edges (left, top, right, bottom) in points."""

    data: bytes
    edges: tuple[float, float, float, float]


@dataclass(slots=True)
class PlacedPage:
    """A page's words, rules (left, top, right, bottom) and pictures, in points."""

    width: float
    height: float
    words: list[PlacedWord] = field(default_factory=list)
    rules: list[tuple[float, float, float, float]] = field(default_factory=list)
    pictures: list[PlacedPicture] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet's size and margins in points; US Letter with an inch by default."""

    width: float = 612.0
    height: float = 792.0
    left: float = 72.0
    top: float = 72.0
    right: float = 72.0
    bottom: float = 72.0


@dataclass(frozen=True, slots=True)
class RunningLines:
    """A section's header and footer, and those of its first page where they differ."""

    header: str = ""
    footer: str = ""
    first: tuple[str, str] | None = None

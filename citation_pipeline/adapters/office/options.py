"""What setting an office file onto pages needs besides its bytes."""

from collections.abc import Callable
from dataclasses import dataclass, field

from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.core.layout.content import RecognizePage


@dataclass(frozen=True, slots=True)
class OfficeOptions:
    """The limits, whom to tell of each page begun, and who reads the pictures in a document.

    Without `recognize_page` pictures are placed, not read: drawing a page for a viewer needs no words.
    """

    limits: ParseLimits = field(default_factory=ParseLimits)
    on_page: Callable[[], None] = lambda: None
    recognize_page: RecognizePage | None = None

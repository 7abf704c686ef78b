"""Lines that a machine printed on a page's edge: a fax's day, sender and page, or numbers of a production.

They come and go with every copy and are no part of what the page says.
"""

import re
from collections.abc import Sequence

from citation_pipeline.core.documents.parsed import Words

# `FAX  04/02/24  10:15  FROM QUORN CLINIC  TO CLAIMS  P 2/5`: the pages are those of the call
_FAX_LINE = re.compile(
    r"^(?=.*\b(?:fax|from|to|tx|rx)\b)(?=.*\d{1,2}:\d\d)"
    r".*\bp(?:a?ge?)?\.?\s?:?\s?\d{1,3}\s?(?:/|of)\s?\d{1,3}\b",
    re.IGNORECASE,
)
_LONGEST_FAX_LINE = 160
_EDGE = 0.045  # of the height, above and below; nobody types so near to the paper's edge


def is_edge_line(words: Words, line: Sequence[int]) -> bool:
    """Tell whether the words of one line are on the edge with a number among them."""
    middles = words.boxes[list(line), 1] + words.boxes[list(line), 3] / 2
    on_edge = bool((middles < _EDGE).all() or (middles > 1 - _EDGE).all())
    return on_edge and any(letter.isdigit() for word in line for letter in words.texts[word])


def is_fax_line(text: str) -> bool:
    """Tell whether a line is what a fax machine prints above a page: the hour, the sender, which page."""
    return len(text) <= _LONGEST_FAX_LINE and _FAX_LINE.match(" ".join(text.split())) is not None

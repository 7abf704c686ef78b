"""Lines that a machine printed on a page's edge: a fax's day, sender and page, or numbers of a production.

They come and go with every copy and are no part of what the page says.
"""

from collections.abc import Sequence

from citation_pipeline.core.documents.parsed import Words

_EDGE = 0.045  # of the height, above and below; nobody types so near to the paper's edge


def is_edge_line(words: Words, line: Sequence[int]) -> bool:
    """Tell whether the words of one line are on the edge with a number among them."""
    middles = words.boxes[list(line), 1] + words.boxes[list(line), 3] / 2
    on_edge = bool((middles < _EDGE).all() or (middles > 1 - _EDGE).all())
    return on_edge and any(letter.isdigit() for word in line for letter in words.texts[word])

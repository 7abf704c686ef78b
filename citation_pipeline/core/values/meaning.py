"""Sums, shares and days that a text gives as something else: an authority, a demand, an offer, an estimate.

`Authority to settle for $45,000` holds a sum and the word `settle`, and no settlement. Looks at the words
between the value and the clause's edges, up to the next value.
"""

import re
from collections.abc import Iterable, Sequence

from citation_pipeline.core.values.polarity import clause_around
from citation_pipeline.core.values.spans import ValueSpan, fold_words

_OTHER = re.compile(
    r"\b(?:authority|authorization|demand(?:s|ed|ing)?|offer(?:s|ed|ing)?|counter(?:[- ]?(?:offer|"
    r"demand)\w*|s|ed)?|"
    r"propos(?:e|es|ed|al|als|ing)|estimat(?:e|es|ed|ing|ion)|reserve[sd]?|draft(?:s|ed)?|anticipat(?:e|es|ed|ing)|"
    r"project(?:ed|ion|ions)|expect(?:s|ed|ing|ation)?|tentative(?:ly)?|hypothetical(?:ly)?|exposure|asking|"
    r"suggest(?:s|ed|ion)?|unsigned|threaten(?:s|ed)?)\b",
    re.IGNORECASE,
)
# What came about takes the word back: `settled, within the authority, for`.
_CAME_ABOUT = re.compile(
    r"\b(?:settled|agreed|paid|resolved|executed|accepted|awarded|ordered|stipulated|held|took\s+place)\b",
    re.IGNORECASE,
)
_WORDS_BEFORE, _WORDS_BEHIND = 9, 4


def has_other_meaning(
    text: str, span: tuple[int, int], *, others: Sequence[ValueSpan] = (), own: Iterable[str] = ()
) -> bool:
    """Tell whether the words nearest to a value make it something else than what came about.

    `others` are the values of the same type in the text, which own the words beyond them; `own` the words
    of the field itself, which ask for such a value: a reserve is what a reserve's field is for.
    """
    start, end = span
    begin, stop = clause_around(text, start, end)
    begin = max([begin, *(one.end for one in others if one.end <= start)])
    stop = min([stop, *(one.start for one in others if one.start >= end)])
    mine = {word[:_STEM] for phrase in own for word in fold_words(phrase)}
    before = " ".join(text[begin:start].split()[-_WORDS_BEFORE:])
    behind = " ".join(text[end:stop].split()[:_WORDS_BEHIND])
    if _CAME_ABOUT.search(before):
        return False
    found = (match[0] for words in (before, behind) for match in _OTHER.finditer(words))
    return any(fold_words(word)[0][:_STEM] not in mine for word in found)


_STEM = 6

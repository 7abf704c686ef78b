"""A passage cut into sentences: which full stops end one, and which belong to an abbreviation or a name."""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.rules.pages.passages import Passage

# Abbreviations whose full stop ends no sentence.
_NO_STOP = re.compile(
    r"(?:^|[\s(/])(?:[A-Z]|Mr|Mrs|Ms|Dr|Drs|No|Nos|Inc|Co|Corp|Ltd|St|Ave|Blvd|Ste|v|vs|eff|approx|est|Ex|Jr|Sr|"
    r"Hon|Esq|Lic|Cert|Sec|Secs|Reg|cf|i\.e|e\.g|a\.m|p\.m|M\.D|D\.O|D\.C|D\.P\.M|Ph\.D|Psy\.D|P\.O|U\.S|Dept|"
    r"Rev|Tel|Ext|Fig|wk|hr|hrs|lbs?|max|min|incl|appt|rec'd|Attn|Admin|P|D\.D\.S|L\.Ac|P\.C|L\.P|No)\.$",
)
_STOP = re.compile(r"[.?!][\"'\u201d\u2019)\]]*$")
_NEW_SENTENCE = re.compile(r"^[\"'\u201c(\[\u2022*-]*(?:[A-Z\u00c0-\u00de0-9$]|\[)")


def cut_sentences(passage: Passage) -> Iterator[Passage]:
    """Split a passage into sentences; a degree's or an initial's full stop ends none."""
    begin = 0
    for place, word in enumerate(passage.texts):
        last = place + 1 == len(passage.texts)
        if not last and not (_STOP.search(word) and _begins(passage.texts, place)):
            continue
        if not last and _NO_STOP.search(f" {word}") and not _is_surely_new(passage.texts, place):
            continue
        yield Passage(passage.words[begin : place + 1], passage.texts[begin : place + 1])
        begin = place + 1


def _begins(texts: Sequence[str], place: int) -> bool:
    return bool(_NEW_SENTENCE.match(texts[place + 1]))


_DEGREE = re.compile(r"^(?:[A-Z]\.){2,4}$|^(?:Inc|Co|Corp|Ltd)\.$")
_OPENING_WORDS = """
The On He She It This That In At We I There They A An His Her Applicant Patient Your You Please If All No
Not As For PTP P&S TD According Claim Next Work Restrictions: Nine Current IW EE RTW UR WPI
"""
_OPENERS = frozenset(_OPENING_WORDS.split())


def _is_surely_new(texts: Sequence[str], place: int) -> bool:
    """Tell whether a sentence opens after a degree or a firm's form: `by Ana Ruiz, M.D. The patient`."""
    return bool(_DEGREE.match(texts[place])) and texts[place + 1] in _OPENERS

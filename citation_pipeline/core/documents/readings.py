"""Whether two readings at one place of a page may be of the same print, and which words change what is said.

What a scanner takes for what is known (letters that look alike, a comma for a point), and a misread word is
seldom another word. A number is itself to its last figure.
"""

import re

import numpy as np
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching.box_signs import BOX
from citation_pipeline.core.matching.confusions import misreading_cost
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.marks import compare_marks
from citation_pipeline.core.matching.vocabulary import NEGATIONS, everyday_words, is_listed, is_name
from citation_pipeline.core.values.polarity import holds_negation

SURE = 0.95
"""Recognition that is so sure misreads one word in a hundred."""

_LEAST_ALIKE = 0.6  # of the letters of a word and its misreading
_OUTER = ".,;:()[]"  # what may be around a number without being part of it
_LOOKS = bytes.maketrans(b"i1!|05", b"llllos")  # letters and figures that look alike
_DRAWN = str.maketrans("Il!|OoSs", "11110055")
_LETTERS_A_SLIP = 4  # of a misread word: one letter in four
_LEAST_MISREAD = 5  # letters of a signed word that is known again with one misread
_LEAST_LETTERS = 3  # of a word that tells one subject from another
# What makes a statement another one without denying it: its time, its standing, its certainty, its unit.
_LIMITS = re.compile(
    r"(?:dispute|disputed|former|formerly|prior|previous|previously|alleged|allegedly|estimate|estimated|expected|"
    r"proposed|projected|tentative|draft|void|voided|superseded|supersedes|replaced|replaces|amended|corrected|"
    r"correction|revised|withdrawn|cancelled|canceled|rescinded|revoked|expired|incorrect|incorrectly|erroneous|"
    r"erroneously|error|wrong|invalid|obsolete|pending|conditional|provisional|unverified|unconfirmed|if|sample|"
    r"example|template|dollars|pesos|euros?|cents|thousands|millions|hourly|daily|weekly|biweekly|monthly|yearly|"
    r"annual|annually|gross|net)",
    re.IGNORECASE,
)


def reads_alike(before: str, after: str) -> bool:
    """Tell whether a word is the same: a number to the last figure, any other word but for case and marks."""
    if before == after:
        return True
    if holds_digit(before + after):
        return is_same_number(before, after)
    return bool(fold(before)) and fold(before) == fold(after)


def is_signed_print(before: str, after: str) -> bool:
    """Tell whether words that somebody signed for are there: numbers to the last figure and sign.

    A letter may be read as a figure that looks the same, and of a word no other word was made.
    """
    if before == after:
        return True
    a, b = fold(before), fold(after)
    if not a or not b or boxes_in(before) != boxes_in(after):
        return False
    if a != b:
        if _drawn(before) == _drawn(after):
            return not (a.isdigit() and b.isdigit())
        # small letters are of no name
        return before.islower() and len(a) >= _LEAST_MISREAD and is_misread(before, after, unsure=False)
    if compare_marks(before, after):
        return False
    return not holds_digit(before) or is_same_number(before.replace(" ", ""), after.replace(" ", ""))


def is_alike(ours: str, theirs: str) -> bool:
    """Tell whether two readings are the same print but for case, marks and letters that look alike."""
    if ours == theirs:
        return True
    if boxes_in(ours) != boxes_in(theirs):
        return False
    a, b = fold(ours), fold(theirs)
    if a == b:
        return not a.isdigit() or is_same_number(ours, theirs)
    if a.isdigit() and b.isdigit():
        return False
    return a.translate(_LOOKS) == b.translate(_LOOKS) and not (is_known(a) and is_known(b))


def is_misread(ours: str, theirs: str, *, unsure: bool) -> bool:
    """Tell whether one of two readings is no word and may be a misreading of the other.

    Of a name nobody knows whether it is another one: only an unsure reading of it is excused.
    """
    a, b = fold(ours), fold(theirs)
    if holds_digit(ours + theirs) or (is_known(a) and is_known(b)):
        return False
    true, seen = (a, b) if _is_mere_word(ours) else (b, a)
    if not unsure and not _is_mere_word(ours) and not _is_mere_word(theirs):
        return False
    return misreading_cost(true, seen) <= max(1.0, len(true) / _LETTERS_A_SLIP)


def _is_mere_word(text: str) -> bool:
    """Tell whether a text is a word that is nobody's name, or hardly ever."""
    key = fold(text)
    return key in everyday_words() or (is_listed(key) and not is_name(key) and text.islower())


def is_known(key: bytes) -> bool:
    """Tell whether a key is a word or a name."""
    return is_listed(key) or is_name(key)


def boxes_in(text: str) -> list[str]:
    """Return the boxes in a text in order: `empty` or `ticked`."""
    return [str(found.lastgroup) for found in BOX.finditer(text)]


def _drawn(text: str) -> str:
    """Return a text's letters and figures as they are drawn: I as l and 1, not as L or a dotted i."""
    drawn = text.translate(_DRAWN)
    return "".join(letter for letter in drawn if letter.isalnum() or letter in "|!").casefold()


def is_misreading(ours: str, theirs: str) -> bool:
    """Tell whether two readings may be of one printed word: nearly alike, and one of them no word."""
    if is_one_print(ours, theirs):
        return True
    if holds_digit(ours + theirs):
        return False
    a, b = fold(ours), fold(theirs)
    if is_listed(a) and is_listed(b):
        return False
    return Levenshtein.normalized_similarity(a, b) >= _LEAST_ALIKE


def is_one_print(ours: str, theirs: str) -> bool:
    """Tell whether two readings are of the same print: the same number, or letters that look the same."""
    if holds_digit(ours) and holds_digit(theirs):
        return is_same_number(ours, theirs)
    return fold(ours).translate(_LOOKS) == fold(theirs).translate(_LOOKS)


def is_same_number(ours: str, theirs: str) -> bool:
    """Tell whether two readings have the same figures in the same groups.

    A comma and a point are one dot on a scan. With one of them alone it may change what is said (1,500 and
    1.500), with two it cannot.
    """
    a, b = ours.strip(_OUTER), theirs.strip(_OUTER)
    if a == b:
        return True
    return a.replace(",", ".") == b.replace(",", ".") and a.count(".") + a.count(",") >= 2  # noqa: PLR2004


def holds_digit(text: str) -> bool:
    """Tell whether there is a figure in a text."""
    return any(letter.isdigit() for letter in text)


def is_sure(words: Words, word: int) -> bool:
    """Tell whether a word is one to go by: long enough, and from a text layer or surely recognized."""
    confidence = float(words.confidence[word])
    return len(fold(words.texts[word])) >= _LEAST_LETTERS and (np.isnan(confidence) or confidence >= SURE)


def denies(text: str) -> bool:
    """Tell whether a word denies."""
    return fold(text) in NEGATIONS or holds_negation(text)


def limits(text: str) -> bool:
    """Tell whether a word speaks of a statement's time, standing, certainty or unit."""
    return _LIMITS.fullmatch(text.strip(".,;:!?()[]*\"'")) is not None

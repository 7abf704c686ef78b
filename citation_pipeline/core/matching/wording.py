"""Whether two words that differ are one word misread, or two.

A slip is excused only where noise lives: on the page's side, where the page's word is no word or was
recognized with low confidence; on the quotation's side, where the quoted word is no word. Two words are two
words.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from citation_pipeline.core.matching.confusions import (
    are_alike_capitals,
    misreading_cost,
    readings_of,
    slips_between,
)
from citation_pipeline.core.matching.folding import fold, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import has_digit, is_look_alike, states_no_number
from citation_pipeline.core.matching.page_slips import is_likelier, is_nearest, is_remnant
from citation_pipeline.core.matching.vocabulary import (
    NEGATION_PARTS,
    NEGATIONS,
    everyday_words,
    is_compound,
    is_inverted,
    is_listed,
    is_name,
    is_nearly_inverted,
    is_rare,
    known_words,
)
from citation_pipeline.core.matching.written_words import (
    AROUND,
    are_identifiers,
    is_address,
    is_capitalized,
    is_evenly_cased,
    is_name_like,
    is_roman,
    is_word,
    is_worse_spelt,
)

# share of a word's characters that noise may change before it is another word
_NOISE_SHARE = 0.5
_LETTERS_PER_COMMON_SLIP, _LETTERS_PER_LONE_SLIP = 3, 10  # in a snippet that is clean otherwise
_NOISY_SHARE, _MANY_NOISY = 0.67, 2  # where as many other words are noisy
_VERY_NOISY = 2  # other words misread before a single stroke may have been
_AWASH = 3  # where any letter may have been misread
_LETTERS_PER_SLIP = 5  # of a word on a noisy page
_SHORT_TERM = 4  # letters of an abbreviation: qd, qid
_JOINED = re.compile(r"[/:‐‑–—-]")
_SLASHED = re.compile(r"\w{1,2}/\w{0,2}")  # w/o, r/o, s/p
_STROKES = frozenset(b"il1")
_LIGATURES = (b"fi", b"fl", b"ff", b"ffi", b"ffl")
_LOST = tuple((whole, left) for whole in _LIGATURES for left in (whole[1:], whole[:1], b""))
_LEAST_TORN, _LEAST_LOST = 4, 2  # letters of a word that lost one, and such words of a font that loses them
_LEAST_DENIAL, _LEAST_LONG = 5, 9  # letters of words of another language that one slip leaves what they are
_LEAST_TORN_WORD, _LEAST_NOUN = 7, 12  # letters of such words of which one letter was read as two
_FREQUENCIES = frozenset(b"bid tid qid qd qod qhs qam qpm prn stat".split())
_PRINTED_OFTEN, _LEAST_OFTEN_LENGTH = 3, 5  # a misreading recurs, but seldom of a longer word


def compare_spellings(quoted: str, printed: str) -> str:
    """Return what differs between two texts of a script whose misreadings nobody here knows.

    One character of such a script may be a whole word, so none is ever taken for noise.
    """
    ours, theirs = spell(quoted), spell(printed)
    if "".join(filter(str.isdigit, ours)) != "".join(filter(str.isdigit, theirs)):
        return "digits_differ"
    if [ours.count(part) for part in NEGATION_PARTS] != [theirs.count(part) for part in NEGATION_PARTS]:
        return "negation_differs"
    if (fold(quoted) in NEGATIONS) != (fold(printed) in NEGATIONS):
        return "negation_differs"
    return "word_replaced"


class Side(StrEnum):
    """Where noise is."""

    QUOTATION = "quotation"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class WordPair:
    """A quoted word or two against the page's, as keys and as written, and what surrounds them.

    `noisy` is how many other words of the snippet are plainly noise, `misquoted` how many of those on the
    quotation's side; `is_doubted` whether the recognizer gave the page's word a low confidence,
    `is_unsure` whether it was not sure of it;
    `is_noisy_page` whether many words around it are no words, `is_misread_page` whether they are
    misreadings; `is_foreign` whether most of the snippet is in another language than English; `words` are the
    ids of the page's words.
    """

    quoted: bytes
    printed: bytes
    quoted_text: str
    printed_text: str
    noisy: int = 0
    misquoted: int = 0
    is_doubted: bool = False
    is_unsure: bool = False
    is_noisy_page: bool = False
    is_misread_page: bool = False
    is_foreign: bool = False
    words: tuple[int, ...] = ()


def is_misread(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether two words that differ are one, misread by a scanner or mistyped by a quoter."""
    # every character of an address counts, and every letter of `b.i.d.`
    if pair.quoted in _FREQUENCIES and pair.printed in _FREQUENCIES:
        return False
    is_clean = not (pair.noisy or pair.is_doubted or pair.is_unsure or pair.is_misread_page)
    if is_clean and (is_address(pair.printed_text) or pair.quoted in _FREQUENCIES):
        return False
    parts = differing_parts(pair) if pair.noisy == 0 else []
    if len(parts) == 1:
        pair = parts[0]
    quoted, printed = pair.quoted, pair.printed
    if all(_SLASHED.fullmatch(text.strip(AROUND)) for text in (pair.quoted_text, pair.printed_text)):
        return False
    # of strokes alone their number counts: what is left of II is no I
    if _STROKES.issuperset(quoted + printed) and len(quoted) != len(printed):
        return False
    if is_inverted(quoted, printed) or is_nearly_inverted(quoted, printed):
        return False
    if are_identifiers(pair.quoted_text, pair.printed_text, (quoted, printed)):
        return _is_misread_identifier(pair)
    is_ours, is_theirs = _is_quoted_word(pair, index), _is_page_word(pair, index)
    is_denied = quoted in NEGATIONS or (printed in NEGATIONS and not is_listed(printed))
    if pair.noisy == 0 and is_denied and is_theirs:
        return False  # of other languages nobody here knows which of the two is a word
    # noise on the page: could a scanner have read the quoted word so, and no other word likelier?
    if not is_theirs:
        if misreading_cost(quoted, printed) > 1 and _are_two_names(pair):
            return False
        if is_ours or pair.misquoted < _VERY_NOISY:
            return _is_likely_misreading(pair, index) or (is_ours and _is_remnant(pair, index))
        if misreading_cost(quoted, printed) > 1 and _has_nearer_reading(pair, index):
            return False
    # two words: Maria is not Mario, however alike they look
    elif is_ours:
        is_denial = quoted in NEGATIONS or printed in NEGATIONS
        if not is_denial and _is_page_to_blame(pair) and is_likelier(quoted, printed, pair.words, index):
            return True
        return _is_slip_between_words(pair, index)
    # only the quotation can be wrong now; in a clean one a lone odd word is likelier a name or a term
    if pair.noisy == 0:
        return _is_lone_slip(pair, index)
    if is_look_alike(quoted, printed):
        return True
    # of another language nobody here knows which words there are: only shapes that are mistaken count
    if pair.is_foreign and min(misreading_cost(quoted, printed), misreading_cost(printed, quoted)) > _most(
        pair
    ):
        return False
    slips, longest = slips_between(quoted, printed), max(len(quoted), len(printed))
    return slips <= (_NOISE_SHARE if pair.noisy < _MANY_NOISY else _NOISY_SHARE) * longest


def is_ligature_lost(quoted: bytes, printed: bytes) -> bool:
    """Tell whether a printed word that is none lacks letters of a ligature only: `signiicant`, `dificulty`.

    Fonts without a table of characters lose them at every place, so that the word may be printed often.
    """
    if len(printed) >= len(quoted) or is_listed(printed) or not is_listed(quoted):
        return False
    return any(
        quoted[:at] + left + quoted[at + len(whole) :] == printed
        for whole, left in _LOST
        for at in range(len(quoted) - len(whole) + 1)
        if quoted.startswith(whole, at)
    )


def is_left_of_ligature(quoted: bytes, printed: bytes, index: DocumentIndex) -> bool:
    """Tell whether a printed word may be what a font without the letters `fi` or `fl` left of the quoted one.

    Only where it left no such word whole and others that are no words: `low` for `flow` beside `signiicant`.
    """
    for whole in (b"fi", b"fl"):
        for at in range(len(quoted) - 1):
            if quoted.startswith(whole, at) and quoted[:at] + quoted[at + 1 :] == printed:
                return is_listed(quoted) and _loses_ligatures(index, whole)
    return False


def _loses_ligatures(index: DocumentIndex, whole: bytes) -> bool:
    """Tell whether a document prints a ligature nowhere, and words without the first letter of one."""
    lost = 0
    for key in set(index.keys):
        if whole in key and is_listed(key):
            return False
        if len(key) < _LEAST_TORN or not key.isalpha() or is_listed(key):
            continue
        lost += any(
            key[at : at + 1] in b"il" and key[:at] + b"f" + key[at:] in known_words()
            for at in range(len(key))
        )
    return lost >= _LEAST_LOST


def _is_page_to_blame(pair: WordPair) -> bool:
    """Tell whether what differs can only be the page's noise: all else is quoted as it is printed."""
    if pair.misquoted or not pair.is_misread_page or not pair.words:
        return False
    # of two names a letter apart either may be printed
    return not (is_name_like(pair.printed_text, pair.printed) and is_name(pair.printed))


def _is_likely_misreading(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether a scanner could have read the quoted word as what the page has, and no likelier one so."""
    slips = misreading_cost(pair.quoted, pair.printed)
    if slips > 1 and _has_nearer_reading(pair, index):
        return False
    return slips <= _most(pair)


def _most(pair: WordPair) -> int:
    return 1 + len(pair.quoted) // _LETTERS_PER_SLIP + (pair.noisy > 0)


def _are_two_names(pair: WordPair) -> bool:
    """Tell whether the page's word may be a name as well as the quoted one, though letters were misread."""
    if pair.misquoted or not pair.printed.isalpha():
        return False
    return is_name_like(pair.printed_text, pair.printed) and is_name_like(pair.quoted_text, pair.quoted)


def _is_remnant(pair: WordPair, index: DocumentIndex) -> bool:
    return _is_page_to_blame(pair) and is_remnant(pair.quoted, pair.printed, index)


def may_be_another(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether a word that is excused may still be another one than the page has.

    Both are words, or what the page has may be left of several, or it is a name that it prints again.
    """
    if is_address(pair.printed_text) and is_address(pair.quoted_text):
        return True
    if pair.is_foreign and not is_listed(pair.printed) and not _is_likely_slip(pair.quoted, pair.printed):
        return True
    if not _is_page_to_blame(pair) or _is_page_word(pair, index):
        return are_both_words(pair, index)
    if _is_likely_misreading(pair, index):
        is_repeated = index.count_of(pair.printed) > 1 and index.count_of(pair.quoted) == 0
        is_far = misreading_cost(pair.quoted, pair.printed) > 1 and is_capitalized(pair.quoted_text)
        if (is_repeated or is_far) and is_name_like(pair.printed_text, pair.printed):
            return True
        # Ashdown or Ashdawn: of two names that are spelt as well, either may be printed
        is_even = pair.printed_text.strip(AROUND).isalpha() and is_evenly_cased(pair.printed_text)
        if is_even and _are_two_names(pair) and not is_worse_spelt(pair.printed, than=pair.quoted):
            return True
        return not is_remnant(pair.quoted, pair.printed, index)
    # of a word that no list has, as a drug, nobody here knows which others are as near
    is_unknown = not is_listed(pair.quoted) and index.count_of(pair.quoted) == 0
    return is_unknown or pair.quoted in NEGATIONS or not is_nearest(pair.quoted, pair.printed, index)


def are_both_words(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether the quoted and the page's word are words both.

    Of capitals that stand for words (MMI, TTD) each is one, in no list or not.
    """
    keys = (pair.quoted, pair.printed)
    if all(key.isalpha() for key in keys) and are_identifiers(pair.quoted_text, pair.printed_text, keys):
        return True
    return _is_quoted_word(pair, index) and _is_page_word(pair, index)


def _is_lone_slip(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether a quoted word that is none is a slip, where all other words are quoted as printed."""
    quoted, printed = pair.quoted, pair.printed
    if is_address(pair.quoted_text) or is_address(pair.printed_text):
        return False
    is_odd = is_evenly_cased(pair.printed_text) and not is_evenly_cased(pair.quoted_text)
    is_alike = is_look_alike(quoted, printed)
    if is_name_like(pair.printed_text, printed) and not is_odd and not has_digit(quoted):
        # names differ by a letter: one of them is a misreading only where nobody is called that
        is_beheaded = printed.endswith(quoted) and not is_capitalized(pair.quoted_text)
        return _is_likely_slip(quoted, printed) and (is_beheaded or is_worse_spelt(quoted, than=printed))
    if is_alike:
        return True
    longest = max(len(quoted), len(printed))
    # the page has a common word: what is near it and no word itself can be nothing else
    if is_listed(printed):
        slips = slips_between(quoted, printed)
        is_left = 2 * slips < longest and printed in everyday_words() and is_remnant(printed, quoted, index)
        return is_left or slips <= max(1, longest // _LETTERS_PER_COMMON_SLIP)
    # a term of some trade, or another language: its neighbours are in no list either
    if len(printed) <= _SHORT_TERM or pair.is_foreign:
        return False
    return misreading_cost(printed, quoted) <= 1 + longest // _LETTERS_PER_LONE_SLIP


def differing_parts(pair: WordPair) -> list[WordPair]:
    """Return the parts in which two words joined by slashes or hyphens differ, as in `dose/week`; none where
    they have not as many parts."""
    ours, theirs = (_JOINED.split(text.strip(AROUND)) for text in (pair.quoted_text, pair.printed_text))
    if len(ours) != len(theirs) or len(ours) < 2:
        return []
    return [
        replace(pair, quoted=fold(a), printed=fold(b), quoted_text=a, printed_text=b)
        for a, b in zip(ours, theirs, strict=True)
        if fold(a) != fold(b)
    ]


def unjoined(pair: WordPair) -> list[WordPair]:
    """Return what differs of words of which one side runs some together: `our` and `your` of `our account`
    and `youraccount`; none where less than a whole word is the same."""
    ours, theirs = pair.quoted_text.split(), pair.printed_text.split()
    if (len(ours) > 1) == (len(theirs) > 1) or has_digit(pair.quoted) or has_digit(pair.printed):
        return []
    parts, whole = (ours, pair.printed) if len(ours) > 1 else (theirs, pair.quoted)
    while len(parts) > 1 and (key := fold(parts[-1])) and whole.endswith(key):
        parts, whole = parts[:-1], whole[: -len(key)]
    while len(parts) > 1 and (key := fold(parts[0])) and whole.startswith(key):
        parts, whole = parts[1:], whole[len(key) :]
    if len(parts) > 1 or not whole or len(parts) == max(len(ours), len(theirs)):
        return []
    text, key = parts[0], fold(parts[0])
    if len(ours) > 1:
        return [replace(pair, quoted=key, quoted_text=text, printed=whole, printed_text=whole.decode())]
    return [replace(pair, printed=key, printed_text=text, quoted=whole, quoted_text=whole.decode())]


def is_unsure_slip(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether a word of which the recognizer was not sure is one slip from the quoted one, before its
    last letter: there a word of another language may have another ending."""
    if not pair.is_unsure or index.count_of(pair.printed) > 1:
        return False
    return slips_between(pair.quoted, pair.printed) <= 1 and pair.quoted[-1:] == pair.printed[-1:]


def is_foreign_slip(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether a word of another language, printed once, is one likely slip inside a long quoted one.

    The first and last letters tell forms and names. A misread denial is told by its shape.
    """
    quoted, printed = pair.quoted, pair.printed
    if not pair.is_foreign or not (quoted.isalpha() and printed.isalpha()) or index.count_of(printed) > 1:
        return False
    if printed in NEGATIONS or is_listed(printed) or misreading_cost(quoted, printed) > 1:
        return False
    if quoted in NEGATIONS:
        return pair.noisy > 0 and len(quoted) == len(printed) >= _LEAST_DENIAL
    # two letters for one (`ri` for `n`) are no ending and hardly another word
    if slips_between(quoted, printed) > 1:
        is_repeated = len(quoted) >= _LEAST_DENIAL and index.count_of(quoted) > 0
        is_noun = is_capitalized(pair.printed_text)
        return is_repeated or len(quoted) >= (_LEAST_NOUN if is_noun else _LEAST_TORN_WORD)
    # among other noise a shorter word, or a noun with its capital, is as likely misread
    is_long = len(quoted) >= _LEAST_LONG and not is_capitalized(pair.printed_text)
    if not is_long and not (pair.noisy > 0 and len(quoted) >= _LEAST_DENIAL):
        return False
    return quoted[:1] == printed[:1] and quoted[-2:] == printed[-2:]


def _is_misread_identifier(pair: WordPair) -> bool:
    """Tell whether noise changed a few capitals: never one Roman numeral into another.

    Every capital is a word of its own there: on a clean page only one that looks like another counts.
    """
    if is_roman(pair.quoted) and is_roman(pair.printed):
        return False
    if pair.noisy < _VERY_NOISY:
        return False
    if pair.is_noisy_page or pair.is_doubted:
        return _is_likely_slip(pair.quoted, pair.printed, most=2 if pair.noisy >= _AWASH else 1)
    if are_alike_capitals(pair.quoted, pair.printed):
        return True
    # a letter that was dropped or a speck, among as much noise that it may well be
    is_other_length = len(pair.quoted) != len(pair.printed)
    return pair.noisy >= _AWASH and is_other_length and _is_likely_slip(pair.quoted, pair.printed)


def _is_quoted_word(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether the quoted word is one in its own right.

    Names made of two words count where the quotation is clean otherwise; several words that are run together
    to be compared are as many words.
    """
    parts = pair.quoted_text.split()
    if len(parts) > 1 and all(is_word(fold(part), part, index) for part in parts):
        return True
    if is_word(pair.quoted, pair.quoted_text, index):
        return True
    if not pair.quoted_text.strip(AROUND).isalpha():
        return False
    return is_rare(pair.quoted) or (pair.misquoted == 0 and is_compound(pair.quoted))


def _has_nearer_reading(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether one likely slip leads from what was read to another word than the quoted one.

    Where the document prints the quoted word elsewhere, a word counts that it prints too, or a common one;
    where it does so often, only one that it prints too.
    """
    often = index.count_of(pair.quoted)
    for key in readings_of(pair.printed):
        if key == pair.quoted or not is_listed(key):
            continue
        if often == 0 or key in index.vocabulary or (often < _PRINTED_OFTEN and key in known_words()):
            return True
    return False


def _is_slip_between_words(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether noise made a word of a word: it does now and then, but never alone.

    Where the noise is the page's, the page's word is believed unless the document prints it nowhere else
    and the quoted one elsewhere.
    """
    quoted, printed = pair.quoted, pair.printed
    if quoted in NEGATIONS or (printed in NEGATIONS and pair.misquoted < _AWASH):
        return False
    is_likely = _is_likely_slip(quoted, printed)
    # one likely slip may change two letters: `rn` for `m`
    if pair.noisy == 0 or (slips_between(quoted, printed) > 1 and not is_likely):
        return False
    # the noise is all on the page, so its word may be wrong; but one printed twice was hardly misread twice
    if pair.misquoted == 0 and (
        pair.noisy < _VERY_NOISY or index.count_of(printed) > 1 or index.count_of(quoted) == 0
    ):
        return False
    return pair.misquoted >= _AWASH or is_likely


def _is_likely_slip(ours: bytes, theirs: bytes, *, most: int = 1) -> bool:
    return min(misreading_cost(ours, theirs), misreading_cost(theirs, ours)) <= most


def side_of_slip(pair: WordPair, index: DocumentIndex) -> Side | None:
    """Return the side that is plainly noise: no word, a few characters off; None where nothing is plain."""
    if is_inverted(pair.quoted, pair.printed) or is_nearly_inverted(pair.quoted, pair.printed):
        return None
    is_ours, is_theirs = is_word(pair.quoted, pair.quoted_text, index), _is_page_word(pair, index)
    if is_ours and is_theirs:
        return None
    slips = slips_between(pair.quoted, pair.printed)
    if not is_look_alike(pair.quoted, pair.printed) and slips > max(1, len(pair.printed) // 3):
        return None
    return Side.QUOTATION if is_theirs else Side.PAGE


def _is_page_word(pair: WordPair, index: DocumentIndex) -> bool:
    """Tell whether the page's word is to be taken as it stands.

    What is no word on a page of clean print is a name, a term or another language.
    """
    if pair.is_doubted:
        return False
    printed = pair.printed
    if is_listed(printed) or (is_capitalized(pair.printed_text) and is_name(printed)):
        return True
    often = index.count_of(printed)
    # a figure inside a word is a recognizer's
    if often <= 1 and (pair.is_unsure or states_no_number(printed)):
        return False
    if len(printed) >= _LEAST_OFTEN_LENGTH and often >= max(_PRINTED_OFTEN, index.count_of(pair.quoted)):
        return True
    # Nicholas is not Nickolaus: of two names either may be printed
    if is_rare(printed) and is_name(pair.quoted) and is_name_like(pair.printed_text, printed):
        return True
    # of a noisy page only listed words are believed; of another language nothing is listed
    if pair.is_misread_page and not pair.is_foreign:
        return False
    if is_rare(printed):
        return True
    if pair.is_foreign:
        return True
    # a lone misreading of clean print: the quoted word is a word, and the page's is one likely slip from it
    if not is_listed(pair.quoted) or misreading_cost(pair.quoted, printed) > 1:
        return True
    return is_name_like(pair.printed_text, printed) and not is_worse_spelt(printed, than=pair.quoted)

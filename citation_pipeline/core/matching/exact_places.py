"""The places where a snippet's letters and digits are printed as quoted: whole words, or a part of a line."""

import re
import unicodedata
from collections.abc import Sequence
from functools import partial

from citation_pipeline.core.matching.alignment import EqualBlock
from citation_pipeline.core.matching.checks import Findings, examine
from citation_pipeline.core.matching.clipped_denials import code_of_clipping
from citation_pipeline.core.matching.cut_clauses import TURNED
from citation_pipeline.core.matching.cut_words import around_cut, code_of_cut, codes_of_marks
from citation_pipeline.core.matching.folding import is_unspaced, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.marks import MARKED
from citation_pipeline.core.matching.matches import Match
from citation_pipeline.core.matching.mixed_rows import place_reads_on
from citation_pipeline.core.matching.numerals import is_number_torn, outline, plain
from citation_pipeline.core.matching.occurrences import Occurrences, gather, one_occurrence
from citation_pipeline.core.matching.omissions import cuts_denial
from citation_pipeline.core.matching.options import read_options
from citation_pipeline.core.matching.page_crossings import words_over_pages
from citation_pipeline.core.matching.pairing import pair_blocks
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.streams import KeyStream
from citation_pipeline.core.matching.word_breaks import (
    moves_comma,
    turns_by_hyphen,
    turns_by_spaces,
    turns_by_stops,
)
from citation_pipeline.core.matching.word_signs import part_figures, with_end_signs

_LEADER = 4  # characters without letter or digit that are a dotted leader or a rule, not punctuation
_LEAST_INSIDE, _MOST_INSIDE = 3, 50  # characters of a part of a line, and places of it that are looked at
_MOST_PLAIN = 16  # letters and digits of ASCII that may be a part of a line
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\d]")


def find_exact(index: DocumentIndex, snippet: PreparedSnippet) -> list[Occurrences]:
    """Return the places where the whole key is from a word's start to a word's end."""
    found: list[Occurrences] = []
    for method in ("exact", "row"):
        stream = index.reading if method == "exact" else index.visual
        places = stream.find_all(snippet.key)
        if len(places):
            look = partial(_exact_match, index, snippet, stream, method=method)
            found += gather(index, stream, places, len(snippet.key), look, is_exact=True)
        # a hit in reading order is not looked for in rows, it would be the same words; unless these were
        # only read behind each other
        if any("row_differs" not in each.match.findings.codes for each in found):
            break
    return found


def _exact_match(
    index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, place: int, *, method: str
) -> Match:
    first, last = stream.positions_of(place, place + len(snippet.key))
    words = tuple(range(first, last)) if stream.words is None else tuple(stream.words[first:last].tolist())
    keys, texts = index.keys, index.words.texts
    words = tuple(
        [w for w in words if keys[w] or len(texts[w]) < _LEADER or texts[w][:_LEADER] in snippet.bare]
    )
    length = len(snippet.key)
    begin, words = words[0], with_end_signs(index, snippet.bare, words)
    printed = "".join([texts[w] for w in words])
    is_mixed = stream.words is None and place_reads_on(index, first, last - 1)
    if not _may_differ(snippet, printed) and not _is_number_torn(snippet, index, words):
        codes = ("row_differs",) if is_mixed else ()
        codes = (
            *codes,
            *_codes_of_boxes(index, snippet, words),
            *_codes_of_breaks(index, snippet, words, begin, printed),
            *_clipped(index, snippet, words),
        )
        return Match(words, method, 1.0, (), Findings(codes, length, 0, 0, 0), length, len(snippet.pieces))
    block = EqualBlock(0, place, length)
    pairs = pair_blocks(
        snippet,
        index,
        stream,
        [block],
        first_token=0,
        last_token=len(snippet.tokens),
        open_head=False,
        open_tail=False,
    )
    findings = examine(snippet, index, pairs)
    if is_mixed:
        findings = findings.with_code("row_differs")
    for code in (
        *_codes_of_boxes(index, snippet, words),
        *_codes_of_breaks(index, snippet, words, begin, printed),
        *_clipped(index, snippet, words),
    ):
        findings = findings.with_code(code)
    return Match(words, method, 1.0, tuple(pairs), findings, length, len(snippet.tokens))


def _clipped(index: DocumentIndex, snippet: PreparedSnippet, words: Sequence[int]) -> tuple[str, ...]:
    code = code_of_clipping(index, words[0], words[-1], asks=snippet.bare.endswith("?"))
    return (code,) if code else ()


def _codes_of_breaks(
    index: DocumentIndex, snippet: PreparedSnippet, words: Sequence[int], begin: int, printed: str
) -> tuple[str, ...]:
    """Tell whether letters that are quoted as they are printed say something else for the blanks, hyphens,
    commas and stops between them."""
    texts = [index.words.texts[word] for word in words]
    if len(texts) != len(snippet.pieces) and turns_by_spaces(snippet.pieces, texts):
        return ("negation_differs",)
    if printed == snippet.bare:
        return ()
    if cuts_denial(index, snippet.text, begin) or turns_by_stops(snippet.pieces, texts):
        return ("negation_differs",)
    if "-" in printed + snippet.bare and turns_by_hyphen(snippet.pieces, texts):
        return ("word_replaced",)
    is_moved = "," in printed and "," in snippet.bare and moves_comma(snippet.pieces, texts)
    return ("mark_differs",) if is_moved else ()


def _is_number_torn(snippet: PreparedSnippet, index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether blanks alone may make other numbers: before a fraction, or of figures that stand apart."""
    if not snippet.has_numbers:
        return False
    texts = index.words.texts
    # most quotations have a piece for every word: only where one is of several can figures have been joined
    is_joined = len(snippet.pieces) < len(words)
    printed = part_figures(index, words) if is_joined else [texts[w] for w in words]
    if is_joined and printed != [texts[w] for w in words]:
        return True
    return is_number_torn(snippet.text, " ".join(printed))


def _codes_of_boxes(index: DocumentIndex, snippet: PreparedSnippet, words: Sequence[int]) -> tuple[str, ...]:
    """Return what is left out by a quotation without the box of its option, which is not ticked."""
    if not index.boxed_texts:
        return ()
    reading = read_options(index, snippet.text, words)
    return ("mark_differs",) if reading.is_contradicted else (TURNED,) if reading.is_unticked else ()


def _may_differ(snippet: PreparedSnippet, printed: str) -> bool:
    """Tell whether texts of one key may still differ: in marks, or in letters that share a byte."""
    # most quotations are verbatim: one comparison settles them before anything is normalized
    if printed == snippet.bare or plain(printed) == snippet.plain:
        return False
    if not snippet.key.isascii() and spell(printed) != spell(snippet.text):
        return True
    if not snippet.has_numbers and not MARKED.search(snippet.text) and not MARKED.search(printed):
        return False
    # case, ligatures and the end of a sentence aside, the marks may still be the same ones
    return outline(printed) != outline(snippet.text)


def find_inside(index: DocumentIndex, snippet: PreparedSnippet) -> list[Occurrences]:
    """Return the places of a part of a line in a script without spaces, whose word is the whole line."""
    if len(snippet.key) < _LEAST_INSIDE:
        return []
    # a figure or an abbreviation of such a line
    if snippet.key.isascii() and (len(snippet.key) > _MOST_PLAIN or not index.has_unspaced_lines):
        return []
    found = []
    for place in index.reading.find_anywhere(snippet.key, limit=_MOST_INSIDE):
        first, last = index.reading.positions_of(place, place + len(snippet.key))
        match = _part_of(index, snippet, tuple(w for w in range(first, last) if index.keys[w]))
        if match is not None:
            found.append(one_occurrence(match))
    return found


def find_over_pages(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the first place of a text in a script without spaces that goes on over a page's end."""
    if snippet.key.isascii() or not is_unspaced(snippet.text):
        return []
    matches = (_part_of(index, snippet, words) for words in words_over_pages(index, snippet))
    return [match for match in matches if match is not None][:1]


def _part_of(index: DocumentIndex, snippet: PreparedSnippet, words: tuple[int, ...]) -> Match | None:
    """Return the match of words that are printed as quoted, the first and the last one perhaps in part."""
    wanted, raw = spell(snippet.text), " ".join(index.words.texts[w] for w in words)
    printed = spell(raw)
    at = printed.find(wanted)
    if at < 0 or not (_is_unspaced(printed[:at]) and _is_unspaced(printed[at + len(wanted) :])):
        return None
    code = code_of_cut(raw, at, len(wanted), wanted) or code_of_clipping(
        index, words[0], words[-1], around=around_cut(raw, at, len(wanted))
    )
    length = len(snippet.key)
    codes = dict.fromkeys([code] if code else [])
    if snippet.has_numbers or MARKED.search(snippet.text):
        codes |= dict.fromkeys(codes_of_marks(raw, at, len(wanted), snippet.text))
    findings = Findings(tuple(codes), length, 0, 0, 0)
    return Match(words, "inside", 1.0, (), findings, length, len(snippet.tokens))


def _is_unspaced(rest: str) -> bool:
    """Tell whether what is left of a word is in a script that sets no spaces, or sets them freely."""
    return all(_UNSPACED.match(unicodedata.normalize("NFC", character)) for character in rest)

"""The search of one document for one snippet: exact first, then aligned, then put together from parts.

The answer is places with evidence. Which place is meant, and what status it scores, is `resolution`'s work.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from citation_pipeline.core.matching.alignment import (
    EARLY_STOP,
    MORE_EDITS,
    Alignment,
    EqualBlock,
    align_best,
    align_further,
    align_near_words,
    may_be_noisy,
)
from citation_pipeline.core.matching.chains import chain
from citation_pipeline.core.matching.checks import Findings, examine
from citation_pipeline.core.matching.folding import spell
from citation_pipeline.core.matching.headed_rows import find_headed_rows
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.jumps import Jump
from citation_pipeline.core.matching.linking import pair_links
from citation_pipeline.core.matching.loci import dense_places
from citation_pipeline.core.matching.marks import MARKED
from citation_pipeline.core.matching.neighbourhoods import neighbourhood_at
from citation_pipeline.core.matching.numerals import look, outline, plain
from citation_pipeline.core.matching.occurrences import Occurrences, gather, one_occurrence
from citation_pipeline.core.matching.pairing import Pair, PairKind, pair_blocks
from citation_pipeline.core.matching.rewriting import merge_rewritten
from citation_pipeline.core.matching.snippets import PreparedSnippet, has_ellipsis, prepare, undecorate
from citation_pipeline.core.matching.stated_values import states_a_value
from citation_pipeline.core.matching.stitching import find_parts
from citation_pipeline.core.matching.streams import GRAM, KeyStream
from citation_pipeline.core.matching.vocabulary import NEGATION_PARTS

MOST_SHORT_KEY = 16
"""Key length up to which one slip may break every gram."""

MOST_SKIPPED_WORDS = 4
"""Words that a quotation may drop silently and keep its place; more is flagged, and leaves a gap in the
place."""

_MOSTLY_FOUND = 0.7  # below it, pieces may lie apart even where no missing token is a word of the document
_LEADER = 4  # characters without letter or digit that are a dotted leader or a rule, not punctuation
_MOST_ALIKE, _MOST_SHORT_PLACES = 4, 40
_ALL_FOUND = 0.95
_LEAST_INSIDE, _MOST_INSIDE = 3, 50  # characters of a part of a line, and places of it that are looked at
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\d]")
_NO_DIGITS = bytes(set(range(256)) - set(b"0123456789"))
_MOST_ALIGNED = 5  # places with (nearly) the fewest edits whose differences are looked at


@dataclass(frozen=True)
class Match:
    """A place that a snippet may stand for.

    `words` are the ids of the words meant, in the snippet's order; `similarity` is the share of the
    snippet's key that was found there; `method` says how.
    """

    words: tuple[int, ...]
    method: str
    similarity: float
    pairs: tuple[Pair, ...]
    findings: Findings
    key_length: int
    token_count: int
    jumps: tuple[Jump, ...] = ()
    alignment: Alignment | None = None


def find_matches(index: DocumentIndex, text: str) -> list[Match]:
    """Return the first place of each way in which a snippet is printed, best first. Empty when nothing is
    near."""
    return [found.match for found in find_occurrences(index, text)]


def find_occurrences(index: DocumentIndex, text: str) -> list[Occurrences]:
    """Return all places of a snippet, those that are printed alike together, the best group first. Empty when
    nothing is near."""
    snippet = prepare(text)
    if not snippet.key or not index.words.texts:
        return []
    exact = find_exact(index, snippet)
    if exact:
        return exact
    plain_text = undecorate(text)
    if plain_text == text:
        return _find_near(index, text, snippet)
    # a source mark or a page number may be text of the page: both readings are looked for
    found = _find(index, plain_text)
    return found if found and _is_as_quoted(found[0].match) else found + _find_near(index, text, snippet)


def _is_as_quoted(match: Match) -> bool:
    return set(match.findings.codes) <= {"noise"} and match.similarity >= 1 - EARLY_STOP


def _find(index: DocumentIndex, text: str) -> list[Occurrences]:
    snippet = prepare(text)
    if not snippet.key or not index.words.texts:
        return []
    return find_exact(index, snippet) or _find_near(index, text, snippet)


def _find_near(index: DocumentIndex, text: str, snippet: PreparedSnippet) -> list[Occurrences]:
    """Return the places of a snippet that is not printed as it is quoted, word by word."""
    inside = find_inside(index, snippet)
    if inside:
        return inside
    found = find_aligned(index, snippet)
    if found and _is_as_quoted(found[0]):
        return _with_repeats(index, snippet, found)
    if len(snippet.key) <= MOST_SHORT_KEY:
        found += find_short(index, snippet)
    if not found or _may_stand_elsewhere(index, snippet, found[0]):
        found += find_chained(index, text, snippet)
    found += find_headed(index, snippet)
    if has_ellipsis(text) and not any(_is_settled(match) for match in found):
        found += find_stitched(index, text)
    return _with_repeats(index, snippet, found)


def _is_settled(match: Match) -> bool:
    """Tell whether a place holds all parts of a quotation, be it that its ellipsis hides something."""
    return match.similarity >= _ALL_FOUND and set(match.findings.codes) <= {"noise", "ellipsis_hides"}


def find_headed(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the table rows that are quoted with header words between their cells."""
    length, count = len(snippet.key), len(snippet.tokens)
    return [
        Match(row.words, "headed_row", row.findings.matched / length, (), row.findings, length, count)
        for row in find_headed_rows(index, snippet)
    ]


def find_stitched(index: DocumentIndex, text: str) -> list[Match]:
    """Return the parts of a quotation with ellipses, each found by itself, as one place."""
    found = find_parts(index, text, _find)
    if found is None:
        return []
    words, findings, length = found
    count = len(prepare(text).tokens)
    return [Match(words, "stitched", findings.matched / length, (), findings, length, count)]


def find_inside(index: DocumentIndex, snippet: PreparedSnippet) -> list[Occurrences]:
    """Return the places of a part of a line in a script without spaces, whose word is the whole line."""
    if snippet.key.isascii() or len(snippet.key) < _LEAST_INSIDE:
        return []
    wanted, found = spell(snippet.text), []
    for place in index.reading.find_anywhere(snippet.key, limit=_MOST_INSIDE):
        first, last = index.reading.positions_of(place, place + len(snippet.key))
        words = tuple(w for w in range(first, last) if index.keys[w])
        printed = spell("".join(index.words.texts[w] for w in words))
        at = printed.find(wanted)
        if at < 0 or not (_is_unspaced(printed[:at]) and _is_unspaced(printed[at + len(wanted) :])):
            continue
        before, behind = printed[:at], printed[at + len(wanted) :]
        is_cut = before.endswith(NEGATION_PARTS) or behind.startswith(NEGATION_PARTS)
        codes = ("negation_differs",) if is_cut else ()
        length = len(snippet.key)
        findings = Findings(codes, length, 0, 0, 0)
        match = Match(words, "inside", 1.0, (), findings, length, len(snippet.tokens))
        found.append(one_occurrence(match))
    return found


def _is_unspaced(rest: str) -> bool:
    """Tell whether what is left of a word is in a script that sets no spaces, or sets them freely."""
    return all(_UNSPACED.match(unicodedata.normalize("NFC", character)) for character in rest)


def _with_repeats(index: DocumentIndex, snippet: PreparedSnippet, found: list[Match]) -> list[Occurrences]:
    """Return the matches, each with every other place where what it was aligned with is printed again."""
    groups: list[Occurrences] = []
    known: set[tuple[str, int]] = set()
    for match in found:
        if not match.words:
            continue
        if match.alignment is None:
            groups.append(one_occurrence(match))
            continue
        stream = index.reading if match.method == "aligned" else index.visual
        # what differs at either end belongs to the print too: "page 1" does not repeat "page 2"
        head, tail = match.alignment.uncovered(len(snippet.key))
        low, high = match.alignment.start - head, match.alignment.end + tail
        first, last = stream.positions_of(max(0, low), min(len(stream), high))
        start, end = int(stream.starts[first]), int(stream.starts[last])
        if (match.method, start) in known:
            continue
        places = stream.find_all(stream.key[start:end])
        known.update((match.method, place) for place in places.tolist())
        if len(places) <= 1:
            groups.append(one_occurrence(match))
        else:
            look = partial(_moved_match, index, snippet, stream, match.alignment, match.method, start)
            groups += gather(index, stream, places, end - start, look)
    return groups


def _moved_match(
    index: DocumentIndex,
    snippet: PreparedSnippet,
    stream: KeyStream,
    alignment: Alignment,
    method: str,
    start: int,
    place: int,
) -> Match:
    """Return the match of an alignment whose first word, at `start`, is moved to `place`."""
    return aligned_match(index, snippet, stream, alignment.moved(place - start), method)


def _may_stand_elsewhere(index: DocumentIndex, snippet: PreparedSnippet, match: Match) -> bool:
    """Tell whether the document has, as words, any of the tokens that a match could not place."""
    if has_ellipsis(snippet.text) or match.findings.skipped_words:
        return True
    for pair in match.pairs:
        if pair.kind is PairKind.SAME:
            continue
        for token in snippet.tokens[slice(*pair.tokens)]:
            if snippet.key[token.start : token.end] in index.vocabulary:
                return True
    return match.similarity < _MOSTLY_FOUND


def find_exact(index: DocumentIndex, snippet: PreparedSnippet) -> list[Occurrences]:
    """Return the places where the whole key is from a word's start to a word's end."""
    for method in ("exact", "row"):
        stream = index.reading if method == "exact" else index.visual
        places = stream.find_all(snippet.key)
        if len(places):
            look = partial(_exact_match, index, snippet, stream, method=method)
            return gather(index, stream, places, len(snippet.key), look)
    return []


def _exact_match(
    index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, place: int, *, method: str
) -> Match:
    first, last = stream.positions_of(place, place + len(snippet.key))
    words = tuple(range(first, last)) if stream.words is None else tuple(stream.words[first:last].tolist())
    words = tuple(w for w in words if index.keys[w] or len(index.words.texts[w]) < _LEADER)
    length = len(snippet.key)
    printed = "".join(index.words.texts[w] for w in words)
    if not _may_differ(snippet, printed):
        return Match(words, method, 1.0, (), Findings((), length, 0, 0, 0), length, len(snippet.tokens))
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
    return Match(
        words, method, 1.0, tuple(pairs), examine(snippet, index, pairs), length, len(snippet.tokens)
    )


def _may_differ(snippet: PreparedSnippet, printed: str) -> bool:
    """Tell whether texts of one key may still differ: in marks, or in letters that share a byte."""
    if plain(printed) == snippet.plain:
        return False
    if not snippet.key.isascii() and spell(printed) != spell(snippet.text):
        return True
    if not snippet.has_numbers and not MARKED.search(snippet.text) and not MARKED.search(printed):
        return False
    # case, ligatures and the end of a sentence aside, the marks may still be the same ones
    return outline(printed) != outline(snippet.text)


def find_aligned(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the places where the key is with edits."""
    found: list[Match] = []
    for method, stream_name in (("aligned", "reading"), ("row_aligned", "visual")):
        stream: KeyStream = getattr(index, stream_name)
        alignments = align_best(snippet.key, stream)
        near = _nearest(snippet, stream, alignments)
        matches = [aligned_match(index, snippet, stream, a, method) for a in near]
        is_doubtful = bool(matches) and all(match.findings.contradictions for match in matches)
        if is_doubtful and may_be_noisy(snippet.key, alignments):
            noisy_at = partial(_is_noisy_at, index, stream)
            further = align_further(snippet.key, stream, alignments, noisy_at)
            noisy = _nearest(snippet, stream, further, more_edits=MORE_EDITS)
            matches += [aligned_match(index, snippet, stream, a, method) for a in noisy if a not in near]
        found += matches
        if alignments and alignments[0].edits <= EARLY_STOP * len(snippet.key):
            break
    return sorted(found, key=lambda m: (-m.similarity, m.words[:1]))


def _is_noisy_at(index: DocumentIndex, stream: KeyStream, place: int) -> bool:
    position = min(stream.position_at(min(place, len(stream) - 1)), len(stream.starts) - 2)
    return index.is_noisy_near(stream.word_of(position))


def _nearest(
    snippet: PreparedSnippet, stream: KeyStream, alignments: Sequence[Alignment], *, more_edits: int = 1
) -> Sequence[Alignment]:
    """Return the alignments with (nearly) the fewest edits, those that look most alike first, and before them
    ones with the digits of the key: a scanner makes letters of digits, hardly other digits."""
    # what differs in half its characters is shown as a candidate at most: one is enough
    is_near = bool(alignments) and alignments[0].edits <= len(snippet.key) // 2
    most = alignments[0].edits + more_edits if is_near else -1
    near = [a for a in alignments if a.edits <= most] or list(alignments[:1])
    if len(near) > 1:
        looked, key = look(snippet.key), stream.key
        digits = _digits_of(snippet.key)
        near.sort(
            key=lambda a: (
                more_edits > 1 and _digits_of(key[a.start : a.end]) != digits,
                Levenshtein.distance(looked, look(key[a.start : a.end])),
                a.edits,
                a.start,
            )
        )
    return near[:_MOST_ALIGNED]


def _digits_of(key: bytes) -> bytes:
    return key.translate(None, _NO_DIGITS)


def find_short(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the places of a short snippet near words that are like one of its own: it may share no gram."""
    stream = index.reading
    places: list[int] = []
    for token in snippet.tokens:
        key = snippet.key[token.start : token.end]
        if len(key) < GRAM:
            continue
        for length in range(len(key) - 1, len(key) + 2):
            choices = index.keys_by_length.get(length, ())
            for other, _, _ in process.extract(
                key, choices, scorer=OSA.distance, score_cutoff=1, limit=_MOST_ALIKE
            ):
                places += (p - token.start for p in index.offsets_of(other, most=_MOST_ALIGNED))
    alignments = align_near_words(snippet.key, stream, sorted(set(places))[:_MOST_SHORT_PLACES])
    return [aligned_match(index, snippet, stream, a, "aligned") for a in alignments[:_MOST_ALIGNED]]


def find_chained(index: DocumentIndex, text: str, snippet: PreparedSnippet) -> list[Match]:
    """Return the places where the snippet can be put together from pieces."""
    if has_ellipsis(text):
        snippet = prepare(text, split_ellipsis=True)
    found: list[Match] = []
    for place in dense_places(index.reading, snippet.key):
        near = neighbourhood_at(index, index.reading.word_of(index.reading.position_at(place)))
        links = chain(snippet, near)
        if not links:
            continue
        linked = pair_links(snippet, index, near, links)
        match = build_match(
            index, snippet, list(linked.pairs), "chained", free_skips=linked.free_skips, jumps=linked.jumps
        )
        found.append(match)
        if match.similarity > 0.95:
            break
    return found


def aligned_match(
    index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, alignment: Alignment, method: str
) -> Match:
    """Turn an alignment into a match."""
    pairs = pair_blocks(
        snippet, index, stream, alignment.blocks, first_token=0, last_token=len(snippet.tokens)
    )
    return build_match(index, snippet, pairs, method, alignment=alignment)


def build_match(
    index: DocumentIndex,
    snippet: PreparedSnippet,
    pairs: list[Pair],
    method: str,
    *,
    free_skips: frozenset[int] = frozenset(),
    jumps: tuple[Jump, ...] = (),
    alignment: Alignment | None = None,
) -> Match:
    """Collect the words and the evidence of pairs."""
    if not free_skips and states_a_value(snippet.text):
        pairs = merge_rewritten(snippet, index, pairs)
    words: list[int] = []
    for number, pair in enumerate(pairs):
        # a word or two left out of a quoted line belong to the place all the same
        is_short_skip = (
            pair.kind is PairKind.SKIPPED
            and bool(words)
            and number not in free_skips
            and len(pair.words) <= MOST_SKIPPED_WORDS
        )
        if pair.kind in (PairKind.SAME, PairKind.LIKE, PairKind.REWRITTEN) or is_short_skip:
            words += pair.words
    findings = examine(snippet, index, pairs, free_skips=free_skips)
    length = len(snippet.key)
    return Match(
        tuple(words),
        method,
        findings.matched / length,
        tuple(pairs),
        findings,
        length,
        len(snippet.tokens),
        jumps,
        alignment,
    )

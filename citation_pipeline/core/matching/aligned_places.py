"""The places of a snippet that is printed with edits: aligned windows, and words alike for a short one."""

from collections.abc import Sequence
from functools import partial

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from citation_pipeline.core.matching.alignment import (
    EARLY_STOP,
    MORE_EDITS,
    Alignment,
    align_best,
    align_further,
    align_near_words,
    may_be_noisy,
)
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.matches import Match, aligned_match
from citation_pipeline.core.matching.numerals import look
from citation_pipeline.core.matching.occurrences import Occurrences, gather, one_occurrence
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.streams import GRAM, KeyStream

_MOST_ALIKE, _MOST_SHORT_PLACES = 4, 40
_MOST_ALIGNED = 5  # places with (nearly) the fewest edits whose differences are looked at
_NO_DIGITS = bytes(set(range(256)) - set(b"0123456789"))


def find_aligned(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the places where the key is with edits."""
    found: list[Match] = []
    for method, stream_name in (("aligned", "reading"), ("row_aligned", "visual")):
        stream: KeyStream = getattr(index, stream_name)
        alignments = align_best(snippet.key, stream)
        near = _printed_once(snippet, stream, _nearest(snippet, stream, alignments))
        matches = [aligned_match(index, snippet, stream, a, method) for a in near]
        # a clean place of other words may beat the right one, whose page was misread: look further
        is_doubtful = bool(matches) and all(match.findings.contradictions for match in matches)
        if is_doubtful and may_be_noisy(snippet.key, alignments):
            noisy_at = partial(_is_noisy_at, index, stream, len(snippet.key))
            further = align_further(snippet.key, stream, alignments, noisy_at)
            noisy = _nearest(snippet, stream, further, more_edits=MORE_EDITS)
            matches += [aligned_match(index, snippet, stream, a, method) for a in noisy if a not in near]
        found += matches
        # the row order reads the same words: it helps only where the reading order tears the text apart
        if alignments and alignments[0].edits <= EARLY_STOP * len(snippet.key):
            break
    return sorted(found, key=lambda m: (-m.similarity, m.words[:1]))


def _is_noisy_at(index: DocumentIndex, stream: KeyStream, length: int, place: int) -> bool:
    """Tell whether any word of a stretch of the stream may be misread: no listed word, and no number."""
    first, last = stream.positions_of(min(place, len(stream) - 1), min(place + length, len(stream)))
    keys, is_odd = index.keys, index.is_odd
    if stream.words is None:
        return any(map(is_odd, keys[first:last]))
    return any(is_odd(keys[word]) for word in stream.words[first:last].tolist())


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


def _printed_once(
    snippet: PreparedSnippet, stream: KeyStream, alignments: Sequence[Alignment]
) -> Sequence[Alignment]:
    """Return the first alignment of each text: `with_repeats` finds the other places that print the same."""
    if len(alignments) == 1:
        return alignments
    found: dict[bytes, Alignment] = {}
    for alignment in alignments:
        start, end = _whole_words(stream, alignment, len(snippet.key))
        found.setdefault(stream.key[start:end], alignment)
    return list(found.values())


def _whole_words(stream: KeyStream, alignment: Alignment, length: int) -> tuple[int, int]:
    """Return the stretch of the stream that an alignment of a key of `length` takes, up to whole words."""
    # what differs at either end belongs to the print too: "page 1" does not repeat "page 2"
    head, tail = alignment.uncovered(length)
    low, high = alignment.start - head, alignment.end + tail
    first, last = stream.positions_of(max(0, low), min(len(stream), high))
    return int(stream.starts[first]), int(stream.starts[last])


def _digits_of(key: bytes) -> bytes:
    return key.translate(None, _NO_DIGITS)


def find_short(index: DocumentIndex, snippet: PreparedSnippet, known: Sequence[Match]) -> list[Match]:
    """Return the places of a short snippet near words that are like one of its own: it may share no gram.

    `known` are the matches of `find_aligned`: the same alignment is not judged again.
    """
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
    judged = {match.alignment: match for match in known if match.method == "aligned"}
    return [
        judged[a] if a in judged else aligned_match(index, snippet, stream, a, "aligned")
        for a in alignments[:_MOST_ALIGNED]
    ]


def with_repeats(index: DocumentIndex, snippet: PreparedSnippet, found: list[Match]) -> list[Occurrences]:
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
        start, end = _whole_words(stream, match.alignment, len(snippet.key))
        if (match.method, start) in known:
            continue
        places = stream.find_all(stream.key[start:end])
        known.update((match.method, place) for place in places.tolist())
        if len(places) <= 1:
            groups.append(one_occurrence(match))
        else:
            look = partial(_moved_match, index, snippet, stream, match, start)
            groups += gather(index, stream, places, end - start, look)
    return groups


def _moved_match(
    index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, match: Match, start: int, place: int
) -> Match:
    """Return a match by alignment whose first word, at `start`, is moved to `place`."""
    if place == start or match.alignment is None:
        return match
    return aligned_match(index, snippet, stream, match.alignment.moved(place - start), match.method)

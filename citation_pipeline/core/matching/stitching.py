"""A quotation stitched from parts of different pages: every part is looked for by itself.

A part that is nowhere is named by its number; parts in another order than the page's are named too.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from citation_pipeline.core.matching.checks import Findings
from citation_pipeline.core.matching.folding import is_unspaced, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.occurrences import Occurrences
from citation_pipeline.core.matching.omissions import (
    code_of_joint,
    cuts_denial,
    ends_sentence,
    hides_meaning,
)
from citation_pipeline.core.matching.snippets import PreparedSnippet, prepare, split_at_ellipses
from citation_pipeline.core.matching.vocabulary import NEGATION_PARTS

_LEAST_PART, _LEAST_TOKENS = 9, 2  # characters and words: less identifies no place of its own
_LEAST_ANCHOR = 4  # words of at least one part that is found as quoted
_FOUND, _ALIKE = 0.95, 0.62  # of a part's key: as quoted, and altered
_LEAST_UNSPACED = 4  # characters of a part in a script without spaces
_MOST_PARTS = 12

_STOPS = ("。", "！", "？", "；", ".", ";")
_NUMBER = re.compile(r"\A\W*(?:第?[\d一二三四五六七八九十]+[条條項项节節款號号]?\W*)")  # of a clause

Find = Callable[[DocumentIndex, str], list[Occurrences]]


def find_parts(index: DocumentIndex, text: str, find: Find) -> tuple[tuple[int, ...], Findings, int] | None:
    """Return the words of all parts, what was found of them and the length of their keys; None where the
    text has no parts, or none of them is found as quoted."""
    parts = [part for part in split_at_ellipses(text) if prepare(part).key]
    prepared = [prepare(part) for part in parts]
    if not 2 <= len(parts) <= _MOST_PARTS:
        return None
    # a part of one or two short words is on every page
    if any(_is_too_short(part) for part in prepared):
        return None
    words: list[int] = []
    codes: dict[str, None] = {}
    sums = np.zeros(4, np.int64)
    is_anchored = False
    before: Sequence[int] | None = None
    said = ""
    for number, part in enumerate(parts):
        groups = [group for group in find(index, part) if group.match.similarity >= _ALIKE]
        if not groups:
            codes[f"part_missing:{number + 1}"] = None
            before = None
            continue
        clean = [group for group in groups if _is_clean(group)]
        is_anchored |= bool(clean) and _identifies_a_place(prepared[number])
        group, at = _nearest(clean or groups[:1], before)
        match = group.at(at)
        if number == 1 and before is not None and _joins_denied(index, parts[0], before, match.words):
            codes["negation_differs"] = None
        if before is not None:
            codes.update(dict.fromkeys(_gap_codes(index, before, match.words, said, parts[number])))
        findings = match.findings
        codes.update(dict.fromkeys(findings.codes))
        sums += (findings.matched, findings.noise, findings.added, findings.skipped_words)
        words += match.words
        before, said = match.words, parts[number]
    # all parts are altered: nothing shows that this is the document at all
    if not is_anchored and (codes or not _are_of_one_line(index, words, prepared)):
        return None
    matched, noise, added, skipped = (int(number) for number in sums)
    found = Findings(tuple(codes), matched, noise, added, skipped)
    return tuple(dict.fromkeys(words)), found, sum(len(part.key) for part in prepared)


def _is_clean(group: Occurrences) -> bool:
    findings = group.match.findings
    return group.match.similarity >= _FOUND and not findings.contradictions and not findings.added


def _nearest(groups: Sequence[Occurrences], before: Sequence[int] | None) -> tuple[Occurrences, int]:
    """Return the first place behind the part before, else the first place at all, of the best group."""
    if before is not None:
        for group in groups:
            behind = np.flatnonzero(group.first > max(before))
            if len(behind):
                return group, int(behind[np.argmin(group.first[behind])])
    return groups[0], 0


def _joins_denied(index: DocumentIndex, part: str, before: Sequence[int], after: Sequence[int]) -> bool:
    """Tell whether a part that begins behind its denial is joined to another sentence."""
    is_parted = ends_sentence(index, range(max(before) + 1, min(after)))
    return cuts_denial(index, part, before[0], is_parted=is_parted)


def _identifies_a_place(part: PreparedSnippet) -> bool:
    if is_unspaced(part.text):
        return len(part.key) >= _LEAST_PART
    return len(part.tokens) >= _LEAST_ANCHOR


def _are_of_one_line(index: DocumentIndex, words: Sequence[int], parts: Sequence[PreparedSnippet]) -> bool:
    """Tell whether short parts of a script without spaces are together enough, and near each other."""
    if not all(is_unspaced(part.text) for part in parts):
        return False
    is_near = index.words.block.item(min(words)) == index.words.block.item(max(words))
    return is_near and sum(len(part.key) for part in parts) >= _LEAST_PART


def _is_too_short(part: PreparedSnippet) -> bool:
    if is_unspaced(part.text):
        return len(part.key) < _LEAST_UNSPACED
    return len(part.key) < _LEAST_PART or len(part.tokens) < _LEAST_TOKENS


def _gap_codes(
    index: DocumentIndex, before: Sequence[int], after: Sequence[int], said: str, then: str
) -> list[str]:
    """Tell what is between two parts: `said` and `then` are their texts, which may be of one line without
    spaces."""
    low, high = max(before) + 1, min(after)
    if high == low - 1 and is_unspaced(said):
        line = spell(index.words.texts[high])
        begin = line.find(spell(said)) + len(spell(said))
        end = line.find(spell(then), begin)
        if end >= 0:
            hides = any(part in line[begin:end] for part in NEGATION_PARTS)
            joins = _joins_sentences(index.words.texts[high], said, then)
            return ["ellipsis_hides"] if hides else ["ellipsis_joins"] if joins else []
    if high < low:
        return ["parts_disordered"]
    if hides_meaning(index, range(low, high)):
        return ["ellipsis_hides"]
    # two clauses of a script without spaces, each a line of its own, one of them cut at its end or its begin
    if is_unspaced(said) and is_unspaced(then):
        printed = "".join(index.words.texts[min(before) : max(after) + 1])
        return ["ellipsis_joins"] if _joins_sentences(printed, said, then) else []
    code = code_of_joint(index, range(low, high), after) if low < high else ""
    return [code] if code else []


def _joins_sentences(printed: str, said: str, then: str) -> bool:
    """Tell whether two parts are of two sentences, of which one's end and the other's begin are left out.

    What one says of its subject would be said of the other's.
    """
    begin = printed.find(said) + len(said)
    end = printed.find(then, begin)
    if begin < len(said) or end < 0 or said.endswith(_STOPS):
        return False
    ends = [at for at, sign in enumerate(printed[begin:end]) if sign in _STOPS]
    if not ends:
        return False
    lead = printed[begin + ends[-1] + 1 : end]
    return ends[0] > 0 and bool(spell(_NUMBER.sub("", lead)))

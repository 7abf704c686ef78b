"""The search of one document for one snippet: exact first, then aligned, then put together from parts.

The answer is places with evidence. Which place is meant, and what status it scores, is `resolution`'s work.
"""

from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.core.matching.aligned_places import find_aligned, find_short, with_repeats
from citation_pipeline.core.matching.alignment import EARLY_STOP
from citation_pipeline.core.matching.box_signs import BOX
from citation_pipeline.core.matching.bracketed import adds_words, stand_for_pronouns
from citation_pipeline.core.matching.chains import chain
from citation_pipeline.core.matching.checks import EXCUSED
from citation_pipeline.core.matching.columns import find_column
from citation_pipeline.core.matching.exact_places import find_exact, find_inside, find_over_pages
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.headed_rows import find_headed_rows
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.linking import pair_links
from citation_pipeline.core.matching.loci import dense_places
from citation_pipeline.core.matching.matches import Match, build_match
from citation_pipeline.core.matching.mixed_rows import mixes_rows, runs_read_on
from citation_pipeline.core.matching.neighbourhoods import Neighbourhood, neighbourhood_at
from citation_pipeline.core.matching.numerals import letters_of
from citation_pipeline.core.matching.occurrences import Occurrences
from citation_pipeline.core.matching.pairing import PairKind
from citation_pipeline.core.matching.restated import restatements
from citation_pipeline.core.matching.retold import (
    numbers_rows,
    with_cells_parted,
    with_label_first,
    with_labels_parted,
    with_other_masks,
    without_row_number,
    without_speaker,
)
from citation_pipeline.core.matching.snippets import (
    PreparedSnippet,
    has_ellipsis,
    prepare,
    turn_boxes,
    undecorate,
    unescape,
    without_bracketed,
)
from citation_pipeline.core.matching.stitching import find_parts

MOST_SHORT_KEY = 16
"""Key length up to which one slip may break every gram."""

_MOSTLY_FOUND = 0.7  # below it, pieces may lie apart even where no missing token is a word of the document
_ALL_FOUND = 0.95
_VERBATIM = frozenset({"exact", "row", "inside"})
_MOST_OPEN = 4  # places whose rows are looked at for what they lack


def find_occurrences(index: DocumentIndex, text: str) -> list[Occurrences]:
    """Return all places of a snippet, those that are printed alike together, the best group first. Empty when
    nothing is near."""
    snippet = prepare(text)
    if not snippet.key or not index.words.texts:
        return []
    turned = turn_boxes(text)
    if turned != text.rstrip():
        return _find_options(index, text, turned)
    # three quarters of all quotations end here: nothing dearer is tried before
    exact = find_exact(index, snippet)
    if exact and _heads_another(index, text, exact[0].match):
        return _as_quoted(_find(index, with_label_first(text))) or [_marked(exact[0], "column_differs")]
    if exact:
        return exact if _as_quoted(exact) else _without_escapes(index, text) or exact
    plain_text = undecorate(text)
    if plain_text == text:
        found = _find_near(index, text, snippet)
        return _as_quoted(found) or _rewritten(found) or _find_retold(index, text) or found
    # a source mark or a page number may be text of the page: both readings are looked for
    found = _find(index, plain_text)
    if found and _cuts_bracket(index, text, found[0].match):
        return _find_near(index, text, snippet)
    if found and _is_as_quoted(found[0].match) and found[0].match.method in _VERBATIM:
        return found
    whole = _find_near(index, text, snippet)
    return (
        _as_quoted(whole)
        or _as_quoted(found)
        or _rewritten(found)
        or _find_retold(index, plain_text)
        or whole + found
    )


def _heads_another(index: DocumentIndex, text: str, match: Match) -> bool:
    """Tell whether a label quoted behind a value is printed there, with a colon: before the next value."""
    return index.words.texts[match.words[-1]].endswith(":") and bool(with_label_first(text))


def _find_retold(index: DocumentIndex, text: str) -> list[Occurrences]:
    """Return the places of a quotation that no page sets as it is set, where they are as quoted otherwise."""
    for number, other in enumerate(restatements(index, text)):
        snippet = prepare(other)
        found = _as_quoted(find_exact(index, snippet) or find_inside(index, snippet))
        if not found and not number:
            near = _find_near(index, other, snippet) if has_ellipsis(other) else []
            found = _as_quoted(near or with_repeats(index, snippet, find_headed(index, snippet)))
        if found:
            return [_marked(each, "rewritten") for each in found]
    label_first = with_label_first(text)
    row, label = without_row_number(text)
    for other in filter(None, (label_first, row, *with_other_masks(text))):
        found = _as_quoted(_find(index, other))
        if found and not (other == row and numbers_rows(index.keys, found[0].match.words[0], label)):
            return found
    parted = with_labels_parted(text)
    if parted:
        snippet = prepare(parted)
        found = _as_quoted(with_repeats(index, snippet, find_headed(index, snippet)))
        if found:
            return found
    said = without_speaker(text)
    if said:
        # that he said it stands nowhere
        found = [_marked(each, "attributed") for each in _find(index, said) if _is_as_quoted(each.match)]
        if found:
            return found
    return _find_bracketed(index, text)


def _find_bracketed(index: DocumentIndex, text: str) -> list[Occurrences]:
    """Return the places of a quotation whose own words in brackets stand for pronouns of the page.

    Who is meant by a pronoun the page does not say there, so that such a place is never sure.
    """
    if not adds_words(text):
        return []
    return [
        _marked(each, "words_bracketed")
        for each in _find(index, without_bracketed(text))
        if _is_as_quoted(each.match) and stand_for_pronouns(index, text, each.match.words)
    ]


def _marked(found: Occurrences, code: str) -> Occurrences:
    def marked(match: Match) -> Match:
        return replace(match, findings=match.findings.with_code(code))

    return Occurrences(marked(found.match), found.ends, lambda place: marked(found.build(place)))


def _find_options(index: DocumentIndex, text: str, turned: str) -> list[Occurrences]:
    """Return the places of options whose boxes are quoted behind them: as printed where the page has them
    there, else `turned`, each before its option."""
    count = len(BOX.findall(text))
    found = [each for each in _find(index, text) if _has_boxes_behind(index, each.match.words, count)]
    return _as_quoted(found) or _find(index, turned)


def _has_boxes_behind(index: DocumentIndex, words: Sequence[int], count: int) -> bool:
    """Tell whether a place has as many boxes as are quoted, each behind its option: none before the first
    one's."""
    boxes = [word for word in words if not index.keys[word] and BOX.search(index.words.texts[word])]
    if len(boxes) != count or boxes[-1] != words[-1]:
        return False
    before = boxes[0] - 2
    return before < 0 or bool(index.keys[before])


def _without_escapes(index: DocumentIndex, text: str) -> list[Occurrences]:
    """Return the places of a text without its escapes, Markdown's notes, or the signs between its cells,
    where they are as quoted: of what is printed letter by letter only these can make marks of its own."""
    plain_text = undecorate(text) if "[^" in text else unescape(text)
    if plain_text == text:
        plain_text = with_cells_parted(text) or text
    return _as_quoted(_find(index, plain_text)) if plain_text != text else []


def _cuts_bracket(index: DocumentIndex, text: str, match: Match) -> bool:
    """Tell whether the page goes on with brackets like those that were taken off a quotation's end:
    `(p. 6)` of `(p. 5)` is another text, not a mark of its source."""
    behind = match.words[-1] + 1 if match.words else 0
    if not behind or behind >= len(index.keys) or index.words.texts[behind][:1] not in ("(", "["):
        return False
    begin = max(text.rfind("("), text.rfind("["))
    letters = letters_of(fold(text[begin:].split()[0])) if begin >= 0 else b""
    return bool(letters) and letters == letters_of(index.keys[behind])


def _as_quoted(found: list[Occurrences]) -> list[Occurrences]:
    """Return the occurrences if the best of them is as quoted, else none."""
    return found if any(_is_as_quoted(each.match) for each in found) else []


def _rewritten(found: list[Occurrences]) -> list[Occurrences]:
    """Return the occurrences if one of them differs in the form of a date or a number only, else none."""
    is_only = any(
        "rewritten" in each.match.findings.codes
        and set(each.match.findings.codes) <= {*EXCUSED, "rewritten"}
        and each.match.similarity >= 1 - EARLY_STOP
        for each in found
    )
    return found if is_only else []


def _is_as_quoted(match: Match) -> bool:
    return set(match.findings.codes) <= EXCUSED and match.similarity >= 1 - EARLY_STOP


def _find(index: DocumentIndex, text: str) -> list[Occurrences]:
    snippet = prepare(text)
    if not snippet.key or not index.words.texts:
        return []
    return find_exact(index, snippet) or _find_near(index, text, snippet)


def _find_near(index: DocumentIndex, text: str, snippet: PreparedSnippet) -> list[Occurrences]:
    """Return the places of a snippet that is not printed as it is quoted, word by word."""
    # from the cheapest way to the dearest; each is tried only where those before left a doubt
    inside = find_inside(index, snippet)
    if inside:
        return inside
    found = find_over_pages(index, snippet) or find_aligned(index, snippet)
    if found and _is_as_quoted(found[0]):
        return with_repeats(index, snippet, found)
    if len(snippet.key) <= MOST_SHORT_KEY:
        found += find_short(index, snippet, found)
    # an alignment is one stretch: pieces that lie apart, in cells or beyond a footer, are only found by
    # chaining
    if not found or _may_stand_elsewhere(index, snippet, found[0]):
        found += find_chained(index, text, snippet, near=found)
    if not any(_is_as_quoted(match) for match in found):
        found += find_headed(index, snippet) or find_column(index, snippet)
    if has_ellipsis(text) and not any(_is_settled(match) for match in found):
        found += find_stitched(index, text)
    return with_repeats(index, snippet, found)


def _is_settled(match: Match) -> bool:
    """Tell whether a place holds all parts of a quotation, be it that its ellipsis hides something."""
    return match.similarity >= _ALL_FOUND and set(match.findings.codes) <= EXCUSED | {"ellipsis_hides"}


def _may_stand_elsewhere(index: DocumentIndex, snippet: PreparedSnippet, match: Match) -> bool:
    """Tell whether the document has, as words, any of the tokens that a match could not place."""
    if has_ellipsis(snippet.text) or match.findings.skipped_words:
        return True
    for pair in match.pairs:
        if pair.kind is PairKind.SAME:
            continue
        for token in snippet.tokens[slice(*pair.tokens)]:
            # what the document prints nowhere was misread or invented: no other place has it
            if snippet.key[token.start : token.end] in index.vocabulary:
                return True
    return match.similarity < _MOSTLY_FOUND


def find_chained(
    index: DocumentIndex, text: str, snippet: PreparedSnippet, *, near: Sequence[Match] = ()
) -> list[Match]:
    """Return the places where the snippet can be put together from pieces.

    `near` are the places found so far: what one of them lacks at an end may be in its row.
    """
    if has_ellipsis(text):
        snippet = prepare(text, split_ellipsis=True)
    reading = index.reading
    dense = [reading.word_of(reading.position_at(place)) for place in dense_places(reading, snippet.key)]
    found: list[Match] = []
    tried: list[Neighbourhood] = []
    for word in (*dense, *_open_ends(near)):
        around = neighbourhood_at(index, word)
        if around in tried:
            continue
        tried.append(around)
        links = chain(snippet, around)
        if not links:
            continue
        linked = pair_links(snippet, index, around, links)
        match = build_match(
            index, snippet, list(linked.pairs), "chained", free_skips=linked.free_skips, jumps=linked.jumps
        )
        if mixes_rows(around, links) or runs_read_on(index, match.words):
            match = replace(match, findings=match.findings.with_code("row_differs"))
        found.append(match)
        # the next dense place could only tie
        if match.similarity > 0.95:
            break
    return found


def _open_ends(near: Sequence[Match]) -> list[int]:
    """Return the first words of places that lack only what is quoted before or behind them."""
    return [
        match.words[0]
        for match in near[:_MOST_OPEN]
        if match.similarity >= _MOSTLY_FOUND
        and match.words
        and PairKind.ADDED in (match.pairs[0].kind, match.pairs[-1].kind)
    ]


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

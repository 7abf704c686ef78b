"""Readers of what is printed beside a name that another field has: its specialty, its firm, its address.

`Ana Ruiz, M.D., F.A.C.S.  Hand Surgery`; below a lawyer's name the firm; behind or below an employer its
address. Which field's name is looked for comes from the lexicon (`beside`). Read after that field was chosen.
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.readers.candidates import Candidate, candidate_of
from citation_pipeline.core.rules.readers.kinds import take
from citation_pipeline.core.values.names import is_firm_like, without_degree
from citation_pipeline.core.values.spans import fold_words

# Degrees and honours behind a name, a lawyer's title, and the mark that parts a name from what is its.
_DEGREES = re.compile(
    r"^(?:[\s,;./|\u2013-]*(?:(?-i:(?:[A-Z]\.){2,5}|(?:MD|DO|DC|DPM|PT|DPT|OT|RN|NP|PA|PA-C|FNP|CRNP|APRN|ARNP|CNP|LCSW|OD|DDS|"
    r"DMD|JD|QME|AME|CIME|CCM|CRC|CDMS|MPH|MS|MBA|II|III|F[A-Z]{2,5}|AB[A-Z]{2,4})\b)|Ph\.?D\.?|Psy\.?D\.?|Esq(?:uire)?\.?|Jr\.?|Sr\.?))*"
    r"[\s,;:./|(\u2013\u2014-]*(?:(?:of|at|with|from)\s+(?:the\s+)?)?",
    re.IGNORECASE,
)
# Before the specialty of a diplomate stands the board.
_BOARD = re.compile(
    r"^(?:(?:a )?diplomate|board[- ]certified|certified|fellow(?:ship)?[- ]trained|specialist|specializing|"
    r"practice)[\w ,.-]{0,40}?\b(?:board of|in|of)\s+|^american board of\s+|"
    r"^board[- ](?:certified|eligible)[,:]?\s+(?!in\b|by\b|of\b)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"^(?:Drs?|Mrs?|Ms|Miss|Hon)\.?\s+", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:$|[,;.()|\u00b7\u2022\u2013\u2014/-])")
_LINES_BELOW = 3
_SAME_EDGE = 0.012


def read_beside(
    reading: DocumentReading, rules: FieldRules, name: str, affinity: float
) -> Iterator[Candidate]:
    """Return the values of the field's kind behind and below each print of the name."""
    words = fold_words(_TITLE.sub("", without_degree(name)))
    if len(words) < 2:
        return
    labelled = _labelled(reading, rules)
    whole = {pair.value.words[0]: pair.value for pair in reading.pairs if pair.value.words}
    for row in reading.rows:
        for place, segment in enumerate(row.segments):
            told = whole.get(segment.words[0]) if segment.text.endswith(",") else None
            if told is not None and len(told.words) > len(segment.words):
                # the label's value goes on on the next line: `Ana Ruiz, Ruiz & Poole,` `P.C.`
                at = _end_of_name(told, words)
                read = (
                    _taken(reading, rules, told, told.text[at:], affinity * 0.95) if at is not None else None
                )
                if read is not None:
                    yield read
                    continue
            end = _end_of_name(segment.passage, words) or _end_of_name(
                segment.passage, [words[-1], *words[:-1]]
            )
            if end is None:
                continue
            unit, text = segment.passage, segment.text[end:]
            is_name = not _DEGREES.sub("", text)
            if (
                is_name
                and row.segments[place + 1 : place + 2]
                and row.segments[place + 1].words[0] not in labelled
            ):
                beside = row.segments[place + 1]
                unit, text = join((unit, beside.passage)), f"{text} {beside.text}"
            read = _taken(reading, rules, unit, text, affinity * 0.95)
            if read is not None:
                yield read
            elif is_name:
                # the name itself ends its line: what belongs to it may be on the next
                yield from _below(reading, rules, row, segment, affinity * 0.9)


def _labelled(reading: DocumentReading, rules: FieldRules) -> frozenset[int]:
    """Return the words that open another field's label or value: `Spec` beside a physician."""
    others = (pair for pair in reading.pairs if pair.keys - {""} and rules.field.key not in pair.keys)
    return frozenset(part.words[0] for pair in others for part in (pair.label, pair.value) if part.words)


def _end_of_name(passage: Passage, words: Sequence[str]) -> int | None:
    """Return where a passage's first print of a name ends, None without one."""
    folded = [fold_words(text) for text in passage.texts]
    for place in range(len(folded)):
        rest = list(words)
        at = place
        while rest and at < len(folded) and folded[at] and rest[: len(folded[at])] == folded[at]:
            rest = rest[len(folded[at]) :]
            at += 1
        if not rest:
            return passage.starts[at - 1] + len(passage.texts[at - 1])
    return None


def _taken(
    reading: DocumentReading, rules: FieldRules, unit: Passage, text: str, weight: float
) -> Candidate | None:
    """Return the value that a text opens with, behind degrees and a board's name."""
    bare = _BOARD.sub("", _DEGREES.sub("", text))
    found = take(bare, rules)
    if re.match(r"\s*(?:&|and\b)", text):
        return None  # the name is a firm's first part
    if not found or found[0].start > 1:
        return None
    value = found[0].value
    if rules.shape is not None and not _ENDS.match(bare[found[0].end :]):
        return None  # `Physical therapy three times a week`
    if rules.kind == "firm":
        value = re.split(r",\s+(?=[\da-z])|\s*[;)]", str(value))[0].strip(" ,")
        if not is_firm_like(value) or len(value.split()) < 2:
            return None
    return candidate_of(reading, rules, value, unit, reading.date, weight, "beside")


def _below(
    reading: DocumentReading, rules: FieldRules, row: Row, segment: Segment, weight: float
) -> Iterator[Candidate]:
    """Read the lines below a name, an address also over two of them."""
    labelled = _labelled(reading, rules)
    lines: list[Segment] = []
    bottom = segment.box.bottom
    for following in reading.rows[row.number + 1 : row.number + 1 + _LINES_BELOW]:
        if following.page != row.page or following.box.top - bottom > 1.3 * segment.height:
            break
        under = [other for other in following.segments if _is_under(other, segment)]
        if len(under) != 1 or under[0].words[0] in labelled:
            break
        lines.append(under[0])
        bottom = following.box.bottom
    for number, line in enumerate(lines):
        unit = join((segment.passage, *(other.passage for other in lines[: number + 1])))
        texts = [line.text]
        if rules.kind == "address":
            # street and town are on two lines
            texts = [", ".join(other.text.rstrip(",") for other in lines[number : number + 2]), line.text]
            unit = join((segment.passage, *(other.passage for other in lines[: number + 2])))
        for text in texts:
            read = _taken(reading, rules, unit, text, weight)
            if read is not None:
                yield read
                return
        if rules.kind == "firm":
            return  # the firm is the first line, a street the next


def _is_under(line: Segment, name: Segment) -> bool:
    left = abs(line.box.left - name.box.left) < _SAME_EDGE
    middle = abs((line.box.left + line.box.right - name.box.left - name.box.right) / 2) < _SAME_EDGE
    return left or middle

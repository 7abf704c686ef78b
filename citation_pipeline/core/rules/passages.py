"""Passages: runs of words that are read together - a value, a sentence, a note, an answer.

Word ids go along with the text, so that whatever is read in a passage can be cited to the word. Labels and
patterns live elsewhere.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from citation_pipeline.core.documents import Block, ParsedDocument
from citation_pipeline.core.layout.forms import fields_of
from citation_pipeline.core.layout.tables import tables_of


@dataclass(frozen=True)
class Passage:
    """Words in the order in which they are read, as one text with single spaces between them."""

    words: tuple[int, ...]
    texts: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(self.texts)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each word begins in `text`."""
        places, at = [], 0
        for text in self.texts:
            places.append(at)
            at += len(text) + 1
        return tuple(places)

    def words_between(self, start: int, end: int) -> tuple[int, ...]:
        """Return the ids of the words that overlap a range of `text`."""
        return tuple(
            word
            for word, at, text in zip(self.words, self.starts, self.texts, strict=True)
            if at < end and start < at + len(text)
        )

    def part(self, start: int, end: int) -> "Passage":
        """Return the passage of the words that overlap a range of `text`."""
        first, last = words_overlapping(self.starts, self.texts, start, end)
        return Passage(self.words[first:last], self.texts[first:last])


def words_overlapping(starts: Sequence[int], texts: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Return which words overlap a range of their joined text: the first, and the one behind the last."""
    first = max(bisect_right(starts, start) - 1, 0)
    if first < len(texts) and starts[first] + len(texts[first]) <= start:
        first += 1
    return first, max(bisect_left(starts, end), first)


EMPTY = Passage((), ())


def join(passages: Iterable[Passage]) -> Passage:
    """Return the passages one after the other."""
    parts = list(passages)
    return Passage(
        tuple(word for part in parts for word in part.words),
        tuple(text for part in parts for text in part.texts),
    )


def passage_of(document: ParsedDocument, words: Iterable[int]) -> Passage:
    """Return a passage of the document's words by their ids."""
    ids = tuple(words)
    return Passage(ids, tuple(document.words.texts[word] for word in ids))


_LEADER = re.compile(r"^[.\u2026\u00b7_]{2,}$")


def without_leaders(passage: Passage) -> Passage:
    """Return a passage without its dotted leaders."""
    kept = [n for n, text in enumerate(passage.texts) if not _LEADER.match(text)]
    return Passage(tuple(passage.words[n] for n in kept), tuple(passage.texts[n] for n in kept))


_RUNNING = frozenset({"Header", "Footer", "Page Number"})
_ENDS = re.compile(r"[.?!:;][\"'\u201d\u2019)\]]*$")
_OPENS = re.compile(r"^[a-z(\u2013-]")


def paragraphs(document: ParsedDocument) -> list[Passage]:
    """Return the running text as paragraphs in reading order; what a page break tore is put together.

    A form's field (label and value) and a table's cell are paragraphs of their own.
    """
    fields: dict[int, list[Passage]] = {}
    for field in fields_of(document):
        if len(field.value_ids):
            words = (*field.label_ids, *field.value_ids)
            fields.setdefault(field.block_id, []).append(without_leaders(passage_of(document, words)))
    for table in tables_of(document):
        fields[table.block_id] = [passage_of(document, cell.word_ids) for cell in table.cells]
    found: list[Passage] = []
    open_type = ""
    for block in document.blocks:
        if block.type in _RUNNING or block.word_end == block.word_start:
            continue
        if block.block_id in fields:
            found.extend(passage for passage in fields[block.block_id] if passage.words)
            open_type = ""
            continue
        passage = _passage_of_block(document, block)
        joins = (
            found
            and open_type == block.type
            and not _ENDS.search(found[-1].text)
            and _OPENS.match(passage.text)
            and block.type in ("Text", "List Item")
        )
        if joins:
            found[-1] = join((found[-1], passage))
        else:
            found.append(passage)
        open_type = block.type
    return found


def _passage_of_block(document: ParsedDocument, block: Block) -> Passage:
    return passage_of(document, range(block.word_start, block.word_end))


# Abbreviations whose full stop ends no sentence.
_NO_STOP = re.compile(
    r"(?:^|[\s(/])(?:[A-Z]|Mr|Mrs|Ms|Dr|Drs|No|Nos|Inc|Co|Corp|Ltd|St|Ave|Blvd|Ste|v|vs|eff|approx|est|Ex|Jr|Sr|"
    r"Hon|Esq|Lic|Cert|Sec|Secs|Reg|cf|i\.e|e\.g|a\.m|p\.m|M\.D|D\.O|D\.C|D\.P\.M|Ph\.D|Psy\.D|P\.O|U\.S|Dept|"
    r"Rev|Tel|Ext|Fig|wk|hr|hrs|lbs?|max|min|incl|appt|rec'd|Attn|Admin|P|D\.D\.S|L\.Ac|P\.C|L\.P|No)\.$",
)
_STOP = re.compile(r"[.?!][\"'\u201d\u2019)\]]*$")
_NEW_SENTENCE = re.compile(r"^[\"'\u201c(\[\u2022*-]*(?:[A-Z\u00c0-\u00de0-9$]|\[)")


def sentences(passage: Passage) -> Iterator[Passage]:
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
_OPENERS = frozenset(
    [
        "The",
        "On",
        "He",
        "She",
        "It",
        "This",
        "That",
        "In",
        "At",
        "We",
        "I",
        "There",
        "They",
        "A",
        "An",
        "His",
        "Her",
    ]
    + [
        "Applicant",
        "Patient",
        "Your",
        "You",
        "Please",
        "If",
        "All",
        "No",
        "Not",
        "As",
        "For",
        "PTP",
        "P&S",
        "TD",
    ]
    + [
        "According",
        "Claim",
        "Next",
        "Work",
        "Restrictions:",
        "Nine",
        "Current",
        "IW",
        "EE",
        "RTW",
        "UR",
        "WPI",
    ]
)


def _is_surely_new(texts: Sequence[str], place: int) -> bool:
    """Tell whether a sentence opens after a degree or a firm's form: `by Ana Ruiz, M.D. The patient`."""
    return bool(_DEGREE.match(texts[place])) and texts[place + 1] in _OPENERS

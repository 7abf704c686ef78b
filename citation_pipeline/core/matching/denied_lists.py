"""Whether what is quoted is a member of a list whose heading denies it: `Not covered:` above `storm damage`.

By itself the member reads as if the page stated it. A date or an amount is left as it is, and so is what a
label gives the reason or the day of (`Reason denied:`).
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from math import inf

import numpy as np

from citation_pipeline.core.matching.folding import is_unspaced
from citation_pipeline.core.matching.governing_labels import (
    additions,
    ends,
    governs,
    governs_clauses,
    is_made_void,
    leads,
)
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.neighbourhoods import are_cells_apart
from citation_pipeline.core.matching.omissions import denies
from citation_pipeline.core.matching.sentence_parts import SentencePart
from citation_pipeline.core.matching.turns import nouns_of_texts, words_of
from citation_pipeline.core.matching.unspaced_turns import denies_label, heads_kin
from citation_pipeline.core.matching.vocabulary import NEGATION_PARTS, NEGATIONS
from citation_pipeline.core.matching.written_words import OPENING, SENTENCE_ENDS

_MOST_LINES, _MOST_WORDS = 12, 90  # above what is quoted in which its heading is looked for
_LONGEST_HEADING, _LONGEST_ITEM = 8, 8  # words; of an item without a bullet
_LONGEST_ANNOUNCED = 14  # words of a heading in capitals, of `any of the following:` and of `Example of`
_CLOSING = "\"'”’“»)]"
_NEAR = 10  # words before what is quoted in which a label of its own line ends
_MOST_PLAIN_LINES, _SAME_INDENT = 5, 0.01  # of a list without marks
_LONGEST_MARK = 5  # characters of the mark of a list: `(iv).`
_FULL_LINE = 0.75  # of the page's width, behind which a line goes on below
_COLONS = frozenset((":", "："))
_ENDING = frozenset((*SENTENCE_ENDS, ";"))
_BULLET = re.compile(r"[-–—•·*▪◦●○■□☐☑☒①-⑳]|\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,4}|[가-하а-я])[.)]", re.ASCII)
_LONGEST_TITLE = 4  # words of a heading without a colon that is one by its word
_LONGEST_NAME = 2  # words of a name in a script without capitals
_LONGEST_KIN = 5  # words of a label that names another person
_TAKEN = frozenset((b"sample", b"samples"))  # of blood as often as of a text
_OTHER_LABELS = frozenset((b"no", b"for", b"by"))  # last words of `Claim No:`, `Denied for:`


@cache
def _denying() -> frozenset[bytes]:
    kinds = ("example", "kin", "undone", "ceased", "astray")
    return _heading().union(NEGATIONS, *map(words_of, kinds))


@cache
def _heading() -> frozenset[bytes]:
    return words_of("heading") | words_of("void")


def is_denied_item(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell whether the words [first, last] are of a list or behind a label that denies them."""
    headings = _denied_headings(index)
    at = bisect_left(headings, first) - 1
    if at < 0 or headings[at] < first - _MOST_WORDS:
        return False
    texts, line = index.words.texts, index.words.line
    is_item = line.item(first) != line.item(first - 1)
    for word in () if is_item else range(first - 1, max(-1, first - 1 - _NEAR), -1):
        text = texts[word]
        if text.isalnum():
            continue
        if text[-1:] == ":":
            return _is_on_line(index, word, first) and _is_turned_by(index, word, first, last)
        if len(text) <= _LONGEST_MARK and _BULLET.fullmatch(text):
            is_item = is_item or _line_start(index, first, least=word) == word
        if is_item or text.rstrip(_CLOSING)[-1:] in _ENDING:
            break
    if not is_item:
        return False
    above = heading_above(index, first)
    return above >= 0 and _is_turned_by(index, above, first, last)


def _is_turned_by(index: DocumentIndex, end: int, first: int, last: int) -> bool:
    """Tell whether the label that ends with a word turns the words [first, last]."""
    label = label_of(index, end)
    if _heads_example(index, end) or governs(index, label) or is_made_void(index, label):
        return names_something(index, first, last)
    if governs_clauses(index, label) and SentencePart(index, first, last).is_said():
        return True
    if _says_so_itself(index, first, last) or not _denies(index, end):
        return False
    if _is_of_kin(index, end) and index.words.line.item(first) == index.words.line.item(end):
        return _is_no_name(index, first, last)
    return names_something(index, first, last)


def _says_so_itself(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell whether what is quoted denies as its heading does."""
    if not index.keys[first].isascii() or index.is_foreign_near(first):
        return False
    return any(denies(index, word) for word in range(first, last + 1) if index.keys[word].isascii())


def label_of(index: DocumentIndex, end: int) -> range:
    """Return the words of the label that ends with a word."""
    return range(heading_start(index, end), end + 1)


def _heads_example(index: DocumentIndex, end: int) -> bool:
    """Tell whether a label names an example before any addition: `Sample entry - how to fill it in`."""
    label, keys = label_of(index, end), index.keys
    if words_of("example").isdisjoint(keys[label.start : label.stop]):
        return False
    behind = next((addition[0] for addition in additions(index, label)), end + 1)
    head = [keys[word] for word in label if word < behind and keys[word]]
    if len(head) > 1 and head[0] in words_of("example") and (head[1] in nouns_of_texts() or head[1] == b"of"):
        return True
    return behind <= end and 0 < len(head) <= _LONGEST_TITLE and head[-1] in words_of("example") - _TAKEN


def _denied_headings(index: DocumentIndex) -> list[int]:
    """Return the last words of a document's labels that deny what they head; found once."""
    found = index.denied_headings
    if found is None:
        texts, line = index.words.texts, index.words.line
        known = leads()
        starts = np.flatnonzero(line[1:] != line[:-1]) + 1
        begun = [word for word in (0, *starts.tolist()) if index.keys[word] in known]
        found_at = {
            end
            for word in (*index.keyed(_denying()), *begun)
            for end in range(word, min(len(texts), word + _LONGEST_ANNOUNCED))
            if texts[end][-1:] == ":"
        }
        found_at.update(
            index.written({text for text, key in index.key_of.items() if text[-1:] == ":" and key in ends()})
        )
        if not index.reading.key.isascii():
            found_at.update(
                [word for word, text in enumerate(texts) if not text.isascii() and text[-1:] in _COLONS]
            )
        listed = words_of("lists") | _heading() | words_of("example")
        found_at.update([_line_end(index, word) for word in index.keyed(listed)])
        found = [end for end in sorted(found_at) if _may_turn(index, end)]
        index.denied_headings = found
    return found


def _may_turn(index: DocumentIndex, end: int) -> bool:
    """Tell whether a label turns what is below it, or some of that."""
    label = label_of(index, end)
    said, texts = index.keys[label.start : label.stop], index.words.texts
    # of most labels no word denies, leads or is beyond ASCII
    is_plain = _denying().isdisjoint(said) and said[0] not in leads() and said[-1] not in ends()
    if is_plain and all(map(str.isascii, texts[label.start : label.stop])):
        return False
    if governs(index, label) or governs_clauses(index, label) or _heads_example(index, end):
        return True
    return _denies(index, end)


def _is_on_line(index: DocumentIndex, label: int, first: int) -> bool:
    """Tell whether a label is on the line of what is quoted, and in the same cell as all but its value."""
    if index.words.line.item(label) != index.words.line.item(first):
        return False
    return not any(are_cells_apart(index, word) for word in range(label + 1, first))


def names_something(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell whether there is a word among what is quoted, not a figure, a date or a label alone."""
    if index.words.texts[last].endswith(":"):
        return False
    if not index.keys[first].isascii():
        return True
    keys = [key for key in index.keys[first : last + 1] if key]
    letters = [sum(map(bytes.isalpha, (key[at : at + 1] for at in range(len(key))))) for key in keys]
    # a row of figures is no member of a list; `25-hydroxy` and `of` are no figures
    named = sum(count > 2 and count * 2 > len(key) for key, count in zip(keys, letters, strict=True))
    figures = sum(count * 2 <= len(key) for key, count in zip(keys, letters, strict=True))
    return named > figures


def _line_start(index: DocumentIndex, word: int, *, least: int = 0) -> int:
    line, number = index.words.line, index.words.line.item(word)
    while word > least and line.item(word - 1) == number:
        word -= 1
    return word


def _line_end(index: DocumentIndex, word: int) -> int:
    line, number = index.words.line, index.words.line.item(word)
    while word + 1 < len(index.keys) and line.item(word + 1) == number:
        word += 1
    return word


def heading_above(index: DocumentIndex, first: int) -> int:
    """Return the last word of the heading of the list that a word begins a member of, or -1."""
    words, texts = index.words, index.words.texts
    start = _line_start(index, first)
    is_listed = _BULLET.fullmatch(texts[start]) is not None
    if not is_listed and first != start:
        return -1
    left, right = words.boxes.item(start, 0), _right(index, start)
    is_announced = is_listed or not index.keys[first].isascii()
    for _ in range(_MOST_LINES if is_listed else _MOST_PLAIN_LINES):
        if not start or first - start > _MOST_WORDS or words.page.item(start - 1) != words.page.item(first):
            return -1
        end, below = start - 1, start
        start = _line_start(index, end)
        if texts[end][-1:] in _COLONS or (is_announced and _announces(index, start, end)):
            return end
        if _is_title(index, start, end):
            return end
        if is_capitals(index.words.texts[start : end + 1]):
            return -1  # another heading
        if _BULLET.fullmatch(texts[start]):
            continue
        if is_listed and words.block.item(end) != words.block.item(below) and _begins_block(index, start):
            return -1  # a text of its own
        is_ended = texts[end].rstrip(_CLOSING).endswith(SENTENCE_ENDS)
        if is_ended and (not is_listed or _BULLET.fullmatch(texts[below])):
            return -1
        shift = min(abs(words.boxes.item(start, 0) - left), abs(_right(index, start) - right))
        # a long line may go on in the next one, but not in another block
        is_item = _begins_block(index, below) and not _is_row(index, first)
        longest = _LONGEST_ANNOUNCED if is_item else _LONGEST_ITEM
        if not is_listed and (end - start >= longest or shift > _SAME_INDENT):
            return -1
    return -1


def _begins_block(index: DocumentIndex, word: int) -> bool:
    return not word or index.words.block.item(word - 1) != index.words.block.item(word)


def _is_row(index: DocumentIndex, word: int) -> bool:
    """Tell whether the line of a word has cells."""
    return any(are_cells_apart(index, each) for each in range(word, _line_end(index, word)))


def _right(index: DocumentIndex, word: int) -> float:
    """Return where a word ends, by which lines of a script from right to left are set; nowhere for others."""
    box = index.words.boxes[word]
    return float(box[0] + box[2]) if "\u0590" <= index.words.texts[word][:1] <= "\u06ff" else inf


def _announces(index: DocumentIndex, start: int, end: int) -> bool:
    """Tell whether a line with no colon heads a list: `Items not insured`."""
    texts = index.words.texts
    if end - start >= _LONGEST_HEADING or _BULLET.fullmatch(texts[start]):
        return False
    if not texts[end][-1:].isalnum() or texts[start][:1].islower():
        return False
    return any(index.keys[word] in words_of("lists") for word in range(start, end + 1))


def _is_title(index: DocumentIndex, start: int, end: int) -> bool:
    """Tell whether a line is nothing but a heading that denies: `EXCLUSIONS`, `Denied items`."""
    texts = index.words.texts
    if texts[end][-1:].isalnum() and texts[start][:1].isupper() and _heads_example(index, end):
        return True
    are_capitals = is_capitals(texts[start : end + 1])
    longest = _LONGEST_ANNOUNCED if are_capitals else _LONGEST_TITLE
    if end - start >= longest or not texts[end][-1:].isalnum() or not texts[start][:1].isupper():
        return False
    if any(are_cells_apart(index, word) for word in range(start, end)):
        return False
    keys = index.keys[start : end + 1]
    is_denied = any(key in _heading() or key in NEGATIONS for key in keys)
    # `Denied` alone is as often what became of something
    return is_denied and (
        any(key in words_of("lists") for key in keys) or are_capitals or keys[-1].endswith(b"ions")
    )


def is_capitals(texts: Sequence[str]) -> bool:
    """Tell whether words are printed in capitals: two of several letters, or all there is."""
    words = [text for text in texts if sum(map(str.isalpha, text)) > 2]
    return len(words) > (len(texts) > 1) and all(text.isupper() for text in words)


def is_bullet(text: str) -> bool:
    """Tell whether a word is the mark of a member of a list."""
    return len(text) <= _LONGEST_MARK and _BULLET.fullmatch(text) is not None


def _is_of_kin(index: DocumentIndex, end: int) -> bool:
    """Tell whether a label names another person: `Mother:`, `Family history:`."""
    begin = end
    while begin and end - begin < _LONGEST_KIN and not _ends_label(index, begin):
        begin -= 1
    kin = words_of("kin")
    keys = [key for key in index.keys[begin : end + 1] if key]  # `Père :`
    if not index.keys[end].isascii() and heads_kin("".join(index.words.texts[begin : end + 1])):
        return True
    return any(key in kin for key in keys) and all(key in kin or key in words_of("kinlabel") for key in keys)


def _ends_label(index: DocumentIndex, begin: int) -> bool:
    """Tell whether a label begins with a word: it is the first of its line or cell, or follows a mark."""
    words = index.words
    if words.line.item(begin - 1) != words.line.item(begin) or are_cells_apart(index, begin - 1):
        return True
    return not words.texts[begin - 1][-1:].isalnum()


def _is_no_name(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell whether what is quoted behind `Mother:` is not who she is: a word in small letters, or several."""
    texts = index.words.texts[first : last + 1]
    if index.keys[first].isascii():
        return any(text[:1].islower() for text in texts) and names_something(index, first, last)
    is_cased = any(text[:1].lower() != text[:1].upper() for text in texts)
    return any(text[:1].islower() for text in texts) if is_cased else len(texts) > _LONGEST_NAME


def _denies(index: DocumentIndex, end: int) -> bool:
    """Tell whether a label that ends with a word denies what it heads, and does not ask why or when."""
    texts, keys = index.words.texts, index.keys
    begin = heading_start(index, end)
    if (
        begin
        and texts[begin - 1].endswith(":")
        and index.words.line.item(begin - 1) == index.words.line.item(begin)
    ):
        return False  # `Licensed: no Insured:` are two labels and the first one's value
    # the end of a sentence that goes on from the line before is no heading; `b)` is its mark
    is_marked = _BULLET.fullmatch(texts[begin]) is not None
    if texts[begin].lstrip(OPENING)[:1].islower() and not is_marked:
        return False
    if is_made_void(index, range(begin, end + 1)):
        return True
    if _is_too_long(index, begin, end):
        return False
    # what is in brackets limits the label, not what is below
    label = [word for word in range(begin, end + 1) if not _is_bracketed(texts, begin, word)]
    if any(keys[word] in words_of("asks") for word in label):
        return False
    # `Denied for:` has a reason behind it, `is not liable for:` what is denied
    if keys[label[-1] if label else end] in _OTHER_LABELS:
        is_reason = keys[end] != b"for" or not any(
            denies(index, word) and keys[word] not in _heading() for word in label[:-1]
        )
        if is_reason:
            return False
    if _is_of_kin(index, end) or _is_example(index, label):
        return True
    if not keys[end].isascii() and denies_label("".join(texts[word] for word in label)):
        return True
    if is_unspaced(texts[end]):
        clause = re.split("[，,。；]", "".join(texts[word] for word in label).rstrip("。"))[-1]
        return any(part in clause for part in NEGATION_PARTS)
    # `incluídos no preço`: between accents `no` is `in the`
    is_foreign = not all(texts[word].isascii() for word in label)
    return any(
        keys[word] in _heading() or (denies(index, word) and not (is_foreign and keys[word] == b"no"))
        for word in label
    )


def heading_start(index: DocumentIndex, end: int) -> int:
    """Return the first word of the label that ends with a word."""
    texts, line, begin = index.words.texts, index.words.line, end
    while begin and end - begin < _LONGEST_ANNOUNCED:
        if line.item(begin - 1) != line.item(begin):
            if not _goes_on(index, begin):
                break
        elif are_cells_apart(index, begin - 1):
            break
        if texts[begin - 1].endswith(":") or (
            texts[begin - 1].endswith(SENTENCE_ENDS) and not _BULLET.fullmatch(texts[begin - 1])
        ):
            break
        begin -= 1
    return begin


def _is_example(index: DocumentIndex, label: Sequence[int]) -> bool:
    """Tell whether a label heads what is made up or only alleged: `Example:`, `Allegations:`."""
    begin = label if len(label) <= _LONGEST_TITLE else label[:1]
    return any(index.keys[word] in words_of("example") for word in begin)


def _is_too_long(index: DocumentIndex, begin: int, end: int) -> bool:
    """Tell whether a label is a sentence by its length, and neither announces a list nor is in capitals."""
    length = end - begin
    if length < _LONGEST_HEADING or length >= _LONGEST_ANNOUNCED:
        return length >= _LONGEST_HEADING
    keys = index.keys
    is_announced = any(keys[word] in words_of("following") for word in range(end - 1, end + 1))
    return not (
        is_announced or keys[begin] in words_of("example") or is_capitals(index.words.texts[begin : end + 1])
    )


def _goes_on(index: DocumentIndex, begin: int) -> bool:
    """Tell whether a heading goes on in a line: the one before is full, or this one begins small."""
    words, before = index.words, begin - 1
    if words.block.item(before) != words.block.item(begin) or _BULLET.fullmatch(words.texts[begin]):
        return False
    if not words.texts[before][-1:].isalnum():
        return False
    box = words.boxes[before]
    is_full = index.keys[before].isascii() and float(box[0] + box[2]) >= _FULL_LINE
    return words.texts[begin][:1].islower() or is_full


def _is_bracketed(texts: Sequence[str], begin: int, word: int) -> bool:
    before = "".join(texts[begin : word + 1])
    return before.count("(") > before[: -len(texts[word])].count(")")

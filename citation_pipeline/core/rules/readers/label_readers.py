"""Readers of values that are behind something: a label, or a transcript's question."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.rules.document_sentences import Sentence, is_readable
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules, Lexicon
from citation_pipeline.core.rules.lexicons.meanings import MEANT
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.pairs import Pair, is_one_of_columns, read_pairs
from citation_pipeline.core.rules.pages.passages import EMPTY, Passage
from citation_pipeline.core.rules.readers.candidates import (
    DOUBTED,
    Candidate,
    Item,
    affinity_of,
    candidate_of,
)
from citation_pipeline.core.rules.readers.kinds import count_rivals, take, take_near
from citation_pipeline.core.rules.readers.lists import read_items
from citation_pipeline.core.values.polarity import Polarity, polarity_at
from citation_pipeline.core.values.reality import is_no_fact
from citation_pipeline.core.values.spans import fold_words

# How far each way of being beside a label is to be trusted.
_METHODS = {
    "grid": 1.0,
    "field": 1.0,
    "inline": 1.0,
    "right": 0.95,
    "below": 0.92,
    "under": 0.9,
    "column": 0.85,
    "loose": 0.6,
}
# What answers a yes-or-no label is in the first sentence behind it.
_FIRST_SENTENCE = re.compile(r"(?<=[a-z0-9)]{2})\.\s+(?=[A-Z])")
# A form's next question ends the answer: `Struck by a bale. What part of the body was hurt? Left knee.`
_NEXT_QUESTION = re.compile(r"(?<=[.!])\s+(?=[A-Z][^.?!]{5,90}\?)")
# Behind a short description a paper goes on: `two sessions, with sedation. One session meets the guideline.`
_NEXT_SENTENCE = re.compile(r"(?<=[a-z0-9)]{4})\.\s+(?=[A-Z][a-z]*\s+[a-z]+\s+[a-z])")
_OF_TITLE = 1.15
_LONGEST_TITLE = 3
_AT_ONCE = 12
_BRACKET = re.compile(r"\s+\(")
# A screen prints its code or count before the word: `0 NONE NOTED`, `N NO PETITION FILED`.
_NONE_AT_ALL = re.compile(r"^(?:0 +|N +)?(?:none|no)\b", re.IGNORECASE)
_SHORT_DENIAL = 40
# A table's cell is of its row and of its column; a label above and one beside are two labels.
_BELOW = frozenset({"below", "under"})
_CLAIMED_TWICE = 0.6
# A number without a currency among more words than these counts something else: hours, weeks.
_BARE_NUMBER = 2
_SUMS = frozenset({"money", "percent"})
_ONE_OF_COLUMNS = 0.6
# Under a heading the shares of a rating come first, and then what they make together.
_ONE_OF_SHARES = 0.6
# Above its notes a log prints the claim's own screen.
_HEAD_OF_LOG = 0.95
# What no list of labels holds is told by its words.
_MEANT = 0.95
_SURE_KINDS = frozenset({"date", "last_date", "money", "percent", "adj", "icd", "code"})


def read_labels(reading: DocumentReading, lexicon: Lexicon) -> Iterator[Candidate]:
    """Return what is behind the labels of all fields, in a log also inside its notes."""
    if reading.first_entry is not None:
        for sentence in (s for s in reading.sentences if not s.is_head):
            for pair in read_pairs([_as_row(sentence.passage)], lexicon.labels):
                yield from _of_pair(reading, lexicon, pair, sentence)
    read: set[tuple[str, int]] = set()
    titles = _title_words(reading)
    claimed = _claimed_twice(reading.pairs)
    for pair in reading.pairs:
        if reading.first_entry is None or pair.row < reading.first_entry:
            for candidate in _of_pair(reading, lexicon, pair, None):
                # below a label only what was not right of it
                place = (candidate.key, pair.label.words[0])
                if pair.is_second and place in read:
                    continue
                read.add(place)
                # a field that the parser found has its value, whatever is above
                if pair.method != "field" and pair.value.words[:1] and pair.value.words[0] in claimed:
                    candidate = replace(candidate, weight=candidate.weight * _CLAIMED_TWICE)
                is_own = lexicon.fields[candidate.key].kind == "code" and pair.name[0] in titles
                yield replace(candidate, weight=candidate.weight * _OF_TITLE) if is_own else candidate


def _claimed_twice(pairs: Sequence[Pair]) -> frozenset[int]:
    """Return the first words of values that stand beside one label and below another one.

    Where two columns of a screen run into one another, which label a value is of its place does not say.
    """
    beside: defaultdict[int, set[frozenset[str]]] = defaultdict(set)
    below: defaultdict[int, set[frozenset[str]]] = defaultdict(set)
    for pair in pairs:
        fields = pair.keys - {""}
        if fields and pair.value.words and not pair.is_second:
            places = below if pair.method in _BELOW else beside
            places[pair.value.words[0]].add(fields)
    return frozenset(
        word
        for word in beside.keys() & below.keys()
        if any(one.isdisjoint(other) for one in beside[word] for other in below[word])
    )


def _title_words(reading: DocumentReading) -> frozenset[str]:
    """Return the words of what the document calls itself: `INVOICE` has an invoice's number."""
    short = (s.text for row in reading.rows[:8] for s in row.segments if len(s.texts) <= _LONGEST_TITLE)
    return frozenset(word for text in short if text.isupper() for word in fold_words(text))


def _as_row(passage: Passage) -> Row:
    """Return a sentence as a row of one segment, so that labels inside notes read like those of forms."""
    segment = Segment(
        page=1,
        row=0,
        words=passage.words,
        texts=passage.texts,
        box=Box(0.0, 0.0, 1.0, 0.01),
        height=0.01,
        aspect=1.0,
    )
    return Row(page=1, number=0, segments=(segment,))


def _of_pair(
    reading: DocumentReading, lexicon: Lexicon, pair: Pair, sentence: Sentence | None
) -> Iterator[Candidate]:
    for key in pair.keys:
        rules = lexicon.fields.get(key)
        if rules is None or not reading.unticked.isdisjoint(pair.label.words):
            continue
        limited = rules.label_documents.get(pair.name)
        affinity = affinity_of(rules, reading)
        if affinity > 0 and reading.first_entry is not None and sentence is None:
            affinity = max(affinity, _HEAD_OF_LOG)
        if affinity <= 0 or (limited and reading.type not in limited) or _is_heading(pair, rules):
            continue
        weight = affinity * _METHODS[pair.method] * (1.0 if pair.is_firm else 0.75)
        own = rules.label_weights.get(pair.name, _MEANT if pair.name[:1] == (MEANT,) else 1.0)
        weight *= max(own, _OWNED) if own < _OWNED and _is_of_owner(reading, pair, rules) else own
        if rules.kind in _SUMS and sentence is None and is_one_of_columns(reading.rows, pair):
            weight *= _ONE_OF_COLUMNS
        around = sentence or _sentence_of(reading, pair)
        if around is not None and _is_no_statement(around.passage, pair, key):
            weight *= DOUBTED
        as_of = sentence.as_of if sentence else reading.date
        unit = sentence.unit if sentence else pair.unit
        yield from read_value(reading, rules, pair.value, unit, as_of, weight, pair.method)


def _is_heading(pair: Pair, rules: FieldRules) -> bool:
    """Tell whether a label is a heading with a full stop, under which `section_readers` read."""
    label = pair.label.text
    if pair.method != "inline" or not label.endswith("."):
        return False
    return any(section.fullmatch(label.rstrip(".")) for section in rules.sections)


def _sentence_of(reading: DocumentReading, pair: Pair) -> Sentence | None:
    """Return the sentence in whose middle a label is, if it is in one: `If all goes well, MMI 05/20`."""
    first = pair.label.words[0]
    for sentence in reading.sentences:
        words = sentence.passage.words
        if words and words[0] < first <= words[-1]:
            return sentence if first in words else None
    return None


_OWNED = 0.92
_OWNER_WITHIN = 4  # labels: `Employer`, `Federal ID`, `Telephone`, `Mailing address`


def _is_of_owner(reading: DocumentReading, pair: Pair, rules: FieldRules) -> bool:
    """Tell whether a label that anybody's form has, as `Address`, follows the name of the field's owner."""
    if not rules.beside:
        return False
    ordered = reading.pairs_in_order
    place = bisect_left(ordered, pair.label.words[0], key=lambda other: other.label.words[0])
    before = ordered[max(0, place - _OWNER_WITHIN) : place]
    names = [key for p in before for key in p.keys if key.endswith("name")]
    return bool(names) and names[-1] == rules.beside


def _is_no_statement(passage: Passage, pair: Pair, key: str) -> bool:
    """Tell whether what a sentence says around a label is denied, imagined, or somebody else's."""
    if pair.label.words[0] not in passage.words:
        return False
    place = passage.words.index(pair.label.words[0])
    start = passage.starts[place]
    end = min(start + len(pair.label.text), len(passage.text))
    is_denied = place > 0 and polarity_at(passage.text, start, end) is Polarity.NEGATED
    return is_denied or is_no_fact(key, passage.text, start, end)


def read_value(
    reading: DocumentReading,
    rules: FieldRules,
    value: Passage,
    unit: Passage,
    as_of: str,
    weight: float,
    method: str,
) -> Iterator[Candidate]:
    """Read a value of the field's kind, or a list, out of the passage behind a label or a question."""
    value = _of_boxes(value, reading, is_ahead=rules.ahead and rules.kind == "list")
    text = value.text
    if not text.strip() or not is_readable(text, longest=900):
        return
    if rules.unless is not None and rules.unless.search(text):
        return
    # `meloxicam 15 mg (no opioids)` does not say that there is none
    denials = (match for p in rules.negations if (match := p.expression.search(text)))
    if any(rules.kind != "list" or match.start() <= _AT_ONCE for match in denials):
        if rules.kind == "list":
            yield candidate_of(reading, rules, None, unit, as_of, weight, method, items=(), is_list=True)
            return
        if rules.kind == "boolean":
            yield candidate_of(reading, rules, False, unit, as_of, weight, method)
            return
    if rules.kind == "list":
        if _NONE_AT_ALL.match(text) and len(text) < _SHORT_DENIAL:
            yield candidate_of(reading, rules, None, unit, as_of, weight, method, items=(), is_list=True)
            return
        items = read_items(value, rules)
        if items and method not in ("loose", "column"):
            apart = method == "below" and len(items) > 1
            shown = items if apart else [Item(i.value, unit, i.members) for i in items]
            yield candidate_of(reading, rules, None, unit, as_of, weight, method, items=shown, is_list=True)
        return
    is_told = method == "section" and rules.kind == "enum"
    text = _answer_in(text, rules, is_told=is_told)
    taken = take_near(text, rules, as_of, is_terse=reading.first_entry is not None)
    if not taken:
        return
    best = taken[0]
    if is_told:
        # running text tells what was and then what is: `TTD through May 5. Back to modified work since.`
        best = max(taken, key=lambda one: one.start)
    if method == "loose" and not (rules.kind in _SURE_KINDS and best.start <= 2 and best.is_sure):
        return
    if rules.kind not in ("text", "firm", "address") and best.start > 60:
        weight *= 0.6
    if rules.kind == "money" and not best.is_sure:
        weight *= 0.5 if len(text.split()) > _BARE_NUMBER or rules.choice == "best" else 1.0
    if rules.kind == "physician" and not best.is_sure:
        # a name alone is one, another text only holds one
        is_whole = len(text.strip(" .,;")) <= len(str(best.value)) + 2
        weight *= 0.9 if is_whole and len(str(best.value).split()) > 1 else 0.6
    rivals = count_rivals(text, (best.start, best.end), rules)
    if method == "section" and rivals and rules.kind == "percent":
        weight *= _ONE_OF_SHARES
    yield candidate_of(reading, rules, best.value, unit, as_of, weight, method, rivals=rivals)


def _answer_in(text: str, rules: FieldRules, *, is_told: bool) -> str:
    """Return the part of what is behind a label that answers it; running text is looked at as a whole."""
    if rules.kind == "text":
        told = _NEXT_QUESTION.split(text, maxsplit=1)[0]
        return told if rules.is_prose else _NEXT_SENTENCE.split(told, maxsplit=1)[0]
    if rules.kind in ("boolean", "enum", "date", "last_date") and not is_told:
        text = _FIRST_SENTENCE.split(text, maxsplit=1)[0]
    before = _BRACKET.split(text, maxsplit=1)[0]
    # what is in brackets is of before: `ACCEPTED 4/16 (DENIAL OF 3/21 WITHDRAWN)`
    return before if rules.kind == "enum" and take(before, rules) else text


def _of_boxes(value: Passage, reading: DocumentReading, *, is_ahead: bool = False) -> Passage:
    """Return what is ticked of a value with empty boxes, of an unticked one nothing; of tasks the open."""
    if is_ahead:
        left = [n for n, word in enumerate(value.words) if word not in reading.ticked_words]
        return Passage(tuple(value.words[n] for n in left), tuple(value.texts[n] for n in left))
    if reading.unticked.isdisjoint(value.words):
        return value
    if reading.ticked_words.isdisjoint(value.words):
        if value.words[0] in reading.unticked:
            return EMPTY
        kept = [n for n, word in enumerate(value.words) if word not in reading.unticked]
    else:
        kept = [n for n, word in enumerate(value.words) if word in reading.ticked_words]
    return Passage(tuple(value.words[n] for n in kept), tuple(value.texts[n] for n in kept))


def read_transcript(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return what was answered to a field's questions."""
    for answer in reading.answers:
        for pattern in rules.questions:
            if pattern.expression.search(answer.question.text):
                weight = affinity * pattern.weight * 0.8
                yield from read_value(
                    reading, rules, answer.answer, answer.answer, reading.date, weight, "answer"
                )
                break

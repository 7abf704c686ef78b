"""The rules extractor: parsed documents in, an extraction out, without a key and without a network.

Reads each document once, gathers candidates for every field, chooses, and cites what it read. A file that is
many documents is read part by part, each of its own kind and date.
"""

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.consistency.rules import fingerprint_rules
from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.documents.part_documents import split_documents
from citation_pipeline.core.extraction import ExtractedField, Extraction
from citation_pipeline.core.rules.answering import answer
from citation_pipeline.core.rules.belief import BELIEVED, belief_of, newest_day
from citation_pipeline.core.rules.choice import STRONG, choose, value_key
from citation_pipeline.core.rules.choices import Choice
from citation_pipeline.core.rules.contradictions import without_contradicted
from citation_pipeline.core.rules.documents import DocumentReading, read_documents
from citation_pipeline.core.rules.implications import Claim, implied
from citation_pipeline.core.rules.lexicons.lexicon import OTHER, FieldRules, Lexicon
from citation_pipeline.core.rules.lexicons.lexicon_files import lexicon_fingerprint, read_lexicon
from citation_pipeline.core.rules.mentions import papers_of, why_not_absent
from citation_pipeline.core.rules.people import People, meet, printed_in_full
from citation_pipeline.core.rules.qualified import is_qualified
from citation_pipeline.core.rules.readers.all_readers import read_candidates
from citation_pipeline.core.rules.readers.beside_readers import read_beside
from citation_pipeline.core.rules.readers.candidates import DOUBTED, Candidate, affinity_of
from citation_pipeline.core.rules.readers.kinds import take
from citation_pipeline.core.rules.readers.references import read_references
from citation_pipeline.core.rules.soundness import is_sound
from citation_pipeline.core.rules.strangers import papers_of_strangers
from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.values.spans import fold_words

RULES_VERSION = "rules-3"
"""The name that extractions by these rules carry; what decides about reuse is the fingerprint."""

_RECOGNIZED = 0.92
# What heads one page only may be a letter's first line, what heads several is a bad place to cite.
_HEAD = 0.8
_REPEATED = 0.4
_PAST = 0.5
# Beside a name that is less sure nothing is read: it may be somebody else's.
LEAST_ANCHOR = 0.6
_DRAFTED = 0.4  # what a draft says may be agreed some day
_BESIDE_DOUBTED = 0.72  # one paper that prints it beside a name that is not shown does not show it either
_SURELY_OF_KIND = 0.5
_RUNNING = frozenset({"Header", "Footer", "Page Number"})
# Who writes names himself in a head, and signs at the foot of each visit's page.
_BY_WRITER = frozenset({"letterhead", "author", "signature"})


def rules_fingerprint(schema: Schema, lexicon: Mapping[str, Any]) -> str:
    """Return what an extraction by rules depends on besides the documents."""
    return _fingerprint(lexicon_fingerprint(lexicon, schema=schema), schema)


def _fingerprint(lexicon: str, schema: Schema) -> str:
    parts = (code_fingerprint("rules"), lexicon, fingerprint_rules(schema.rules))
    return hashlib.sha256(":".join(parts).encode()).hexdigest()[:16]


def extract(documents: Sequence[ParsedDocument], schema: Schema, lexicon: Mapping[str, Any]) -> Extraction:
    """Answer every field of the schema; a value of None means that no document says anything.

    `lexicon` is the content of the schema's lexicon file (`{}` leaves the schema's own hints). Raises
    LexiconError when it does not fit the schema. Documents that are duplicates or cannot be read are passed
    over.
    """
    compiled = read_lexicon(lexicon, schema=schema)
    choices, readings = choose_values(documents, compiled)
    answers = [
        answer(field, compiled.fields[field.key], choices[field.key], readings) for field in schema.fields
    ]
    return Extraction(
        schema_name=schema.name,
        fields=tuple(_with_silence(without_contradicted(answers, schema), documents, compiled)),
        model=RULES_VERSION,
        prompt_fingerprint=_fingerprint(compiled.fingerprint, schema),
    )


def _with_silence(
    answers: Iterable[ExtractedField], documents: Sequence[ParsedDocument], lexicon: Lexicon
) -> Iterator[ExtractedField]:
    """Yield the answers; where nothing was read, the warning says why that does not make the field absent."""
    told = {one.field_key: one for one in answers}
    papers = papers_of(documents)
    for key, one in told.items():
        if one.value is None and not one.candidates:
            rules = lexicon.fields[key]
            yield replace(one, warnings=why_not_absent(rules, papers, told, is_told=lexicon.tells_silence))
        else:
            yield one


def choose_values(
    documents: Sequence[ParsedDocument], compiled: Lexicon
) -> tuple[Mapping[str, Choice | None], Mapping[int, DocumentReading]]:
    """Return what was chosen for every field, believed or not, and the documents as they were read."""
    schema = compiled.schema
    readings = read_documents(split_documents(_each_once(documents)), compiled)
    found: defaultdict[str, list[Candidate]] = defaultdict(list)
    for reading in readings:
        stated = [c for c in read_candidates(reading, compiled) if c.unit.words]
        for candidate in (*stated, *read_references(reading, compiled, stated)):
            told = _less_if_past(candidate, compiled.fields[candidate.key])
            told = _less_under_heading(told, compiled.fields[candidate.key], reading)
            told = _of_heading_day(told, reading)
            if is_qualified(told):
                told = replace(told, weight=told.weight * DOUBTED)
            if compiled.fields[candidate.key].in_force and reading.is_draft:
                told = replace(told, weight=told.weight * _DRAFTED)
            doubted = told if compiled.fields[candidate.key].in_heads else _less_if_doubtful(told, reading)
            found[candidate.key].append(doubted)
    if strangers := papers_of_strangers(found, readings, compiled):
        for key in found:
            found[key] = [
                replace(c, weight=c.weight * DOUBTED) if c.source in strangers else c for c in found[key]
            ]
    for key, rules in compiled.fields.items():
        if rules.others:
            found[key] = _without_others(found[key], rules, readings)
    named = list(_names(found, compiled))
    texts = (reading.document.text for reading in readings)
    people = meet((*named, *printed_in_full(named, texts)))
    for key, rules in compiled.fields.items():
        if rules.apart:
            found[key] = _apart(found[key], choose(compiled.fields[rules.apart], found[rules.apart]))
    choices = {
        field.key: choose(compiled.fields[field.key], _with_full_names(found[field.key], compiled, people))
        for field in schema.fields
    }
    for key, rules in compiled.fields.items():
        anchor = choices.get(rules.beside) if rules.beside else None
        if anchor is not None:
            found[key].extend(_beside(anchor, rules, compiled, readings))
            choices[key] = choose(rules, found[key])
    choices = {
        key: _overtaken(choice, compiled.fields[key], found[key], readings) for key, choice in choices.items()
    }
    for key, rules in compiled.fields.items():
        if rules.too_late is not None:
            choices[key] = _less_if_too_late(choices[key], rules, choices.get(rules.too_late[0]))
    for field in schema.fields:
        derived = _derived(compiled.fields[field.key], choices)
        if derived is not None:
            choices[field.key] = derived
    claim = Claim(choices, readings, compiled)
    choices |= {key: choice for key, rules in compiled.fields.items() if (choice := implied(rules, claim))}
    return choices, {reading.number: reading for reading in readings}


def _overtaken(
    choice: Choice | None,
    rules: FieldRules,
    found: Sequence[Candidate],
    readings: Sequence[DocumentReading],
) -> Choice | None:
    """Return a choice, marked where a later paper of a kind that always states the field was not understood.

    An examination has a day: where the newer of two reports gives none that was read, the older one's day is
    not the latest.
    """
    if choice is None or not rules.each:
        return choice
    said = {candidate.source for candidate in found}
    latest = max(candidate.as_of for candidate in (*choice.support, *choice.weaker))
    is_overtaken = any(
        reading.type in rules.each
        and reading.recognition.score >= _SURELY_OF_KIND
        and reading.date > latest
        and reading.number not in said
        and not _adds_to_another(reading)
        for reading in readings
    )
    return replace(choice, is_doubtful=True) if is_overtaken else choice


def _less_if_too_late(choice: Choice | None, rules: FieldRules, first: Choice | None) -> Choice | None:
    """Return a choice, marked where it is a day after another field's that only papers given to it tell.

    Who fills in a first report writes down when the paper came to him, and not who was told at once.
    """
    if choice is None or first is None or rules.too_late is None:
        return choice
    tell_late = rules.too_late[1]
    is_late = str(choice.value) > str(first.value)
    is_told_otherwise = any(candidate.document_type not in tell_late for candidate in choice.support)
    return replace(choice, is_doubtful=True) if is_late and not is_told_otherwise else choice


# A paper that adds to an earlier one repeats nothing of it: a supplemental report is of no new examination.
_ADDS = re.compile(r"\bsupplement\w*|\baddend\w+|\brecords? review\b|\bclarif\w+", re.IGNORECASE)
_HEAD_ROWS = 25


def _adds_to_another(reading: DocumentReading) -> bool:
    return any(_ADDS.search(row.text) for row in reading.rows[:_HEAD_ROWS])


def _beside(
    anchor: Choice, rules: FieldRules, lexicon: Lexicon, readings: Sequence[DocumentReading]
) -> Iterator[Candidate]:
    """Return what is printed beside another field's name, hardly believed where that name is not."""
    newest = newest_day([reading.date for reading in readings])
    belief = belief_of(anchor, lexicon.fields[rules.beside], newest=newest)
    if belief < LEAST_ANCHOR:
        return
    trust = 1.0 if belief >= BELIEVED else _BESIDE_DOUBTED
    for reading in readings:
        affinity = affinity_of(rules, reading)
        if affinity > 0:
            found = read_beside(reading, rules, str(anchor.value), trust * min(affinity, 1.0))
            yield from (_less_if_doubtful(candidate, reading) for candidate in found)


def _without_others(
    candidates: Sequence[Candidate], rules: FieldRules, readings: Sequence[DocumentReading]
) -> list[Candidate]:
    """Drop values that a label anywhere in the claim names as something else: the state's own number."""
    label = f"{OTHER}{rules.field.key}"
    named = {
        value_key(rules, taken.value)
        for reading in readings
        for pair in reading.pairs
        if label in pair.keys
        for taken in take(pair.value.text, rules)[:1]
    }
    return [c for c in candidates if c.is_list or value_key(rules, c.value) not in named]


def _apart(candidates: Sequence[Candidate], owner: Choice | None) -> list[Candidate]:
    """Drop what names the person of another field: the claimant examines nobody and insures nobody."""
    name = fold_words(str(owner.value)) if owner is not None else []
    return [c for c in candidates if c.is_list or not _names_person(fold_words(str(c.value)), name)]


def _names_person(words: Sequence[str], name: Sequence[str]) -> bool:
    if len(name) < 2 or name[-1] not in words:
        return False
    rest = [word for word in words if word != name[-1]]
    return any(word == name[0] or word == name[0][0] for word in rest)


def _derived(rules: FieldRules, choices: Mapping[str, Choice | None]) -> Choice | None:
    """Return a value that is a member of another field's first item, when nothing states it outright."""
    own = choices.get(rules.field.key)
    if rules.derive is None or (own is not None and max(c.weight for c in own.support) >= STRONG):
        return None
    key, member = rules.derive
    source = choices.get(key)
    if source is None or not source.items or member not in source.items[0].value:
        return None
    support = [
        replace(candidate, unit=item.unit)
        for candidate, item in source.item_support[0]
        if item.value.get(member) == source.items[0].value[member]
    ]
    value = source.items[0].value[member]
    agreeing = [c for c in own.support if c.value == value] if own is not None else []
    return Choice(value, [*agreeing, *(support or source.support)], source.confidence, is_derived=True)


def _each_once(documents: Sequence[ParsedDocument]) -> list[ParsedDocument]:
    """Return the readable documents; of files with the same bytes the one of the shortest name."""
    chosen: dict[str, int] = {}
    for number, document in enumerate(documents):
        if document.is_readable:
            known = chosen.setdefault(document.source.sha256, number)
            if len(document.source.source_id) < len(documents[known].source.source_id):
                chosen[document.source.sha256] = number
    return [documents[number] for number in sorted(chosen.values())]


def _less_if_doubtful(candidate: Candidate, reading: DocumentReading) -> Candidate:
    """Trust a running head or foot less, and recognized words a little less than a text layer's.

    A head repeats, and a citation there is a bad one; a letter misread spoils a long text.
    """
    words = reading.document.words
    first = candidate.unit.words[0]
    weight = candidate.weight
    block = reading.document.blocks[int(words.block[first])]
    if block.type in _RUNNING and candidate.method not in _BY_WRITER:
        is_repeated = block.page > reading.document.pages[0].page or _is_repeated(block, reading.document)
        weight *= _REPEATED if is_repeated else _HEAD
    if not math.isnan(float(words.confidence[first])):
        weight *= _RECOGNIZED
    return candidate if weight == candidate.weight else replace(candidate, weight=weight)


def _less_if_past(candidate: Candidate, rules: FieldRules) -> Candidate:
    """Trust a day hardly that is not after the day it was written on, where the next one is asked for."""
    if not rules.ahead or not candidate.as_of or str(candidate.value) > candidate.as_of:
        return candidate
    return replace(candidate, weight=candidate.weight * _PAST)


# Beside its sheet of today a worksheet prints the one before, for comparison.
_NO_LONGER = re.compile(
    r"^(?:prior|previous|old|former|superseded|void(?:ed)?)\b.*\b(?:sheets?|worksheets?|figures|reserves?|screens?|"
    r"prints?|versions?|statements?|calculations?|snapshots?|estimates?|balances?)\b|"
    r"\b(?:for comparison only|superseded|no longer in (?:use|force|effect))\b",
    re.IGNORECASE,
)


def _less_under_heading(candidate: Candidate, rules: FieldRules, reading: DocumentReading) -> Candidate:
    """Trust hardly what stands under a heading of what is over, or of what the field does not ask for."""
    first = candidate.unit.words[0]
    is_over = first in reading.words_under(_NO_LONGER) or first in reading.example_words
    is_other = rules.not_under is not None and first in reading.words_under(rules.not_under)
    is_remark = first in reading.remark_words  # of whoever wrote beside the paper, or hid what it says
    is_doubtful = is_over or is_other or is_remark
    return replace(candidate, weight=candidate.weight * DOUBTED) if is_doubtful else candidate


def _of_heading_day(candidate: Candidate, reading: DocumentReading) -> Candidate:
    """Return a sum under `Present (as of 10/15/2025)` as said that day, if the paper is of a later one."""
    day = reading.heading_days.get(candidate.unit.words[0], "")
    is_older = bool(day) and day < reading.date == candidate.as_of
    return replace(candidate, as_of=day) if is_older else candidate


def _is_repeated(block: Block, document: ParsedDocument) -> bool:
    """Tell whether a head or foot is on other pages too: a letterhead is on the first one only."""
    text = re.sub(r"\d+", "0", block.content)
    return block.type == "Page Number" or any(
        other.page != block.page and re.sub(r"\d+", "0", other.content) == text
        for other in document.blocks
        if other.type in _RUNNING
    )


def _names(found: Mapping[str, Sequence[Candidate]], lexicon: Lexicon) -> Iterator[str]:
    for key, candidates in found.items():
        rules = lexicon.fields[key]
        if rules.kind in ("person", "physician"):
            yield from (str(c.value) for c in candidates if c.weight >= 0.5 and is_sound(c.value, rules))


def _with_full_names(candidates: Sequence[Candidate], lexicon: Lexicon, people: People) -> list[Candidate]:
    if not candidates or lexicon.fields[candidates[0].key].kind not in ("person", "physician"):
        return list(candidates)
    named = [replace(c, value=people.full_name(str(c.value))) for c in candidates]
    if lexicon.fields[candidates[0].key].choice != "stable":
        return named
    # of the one that a claim is about, some paper has the whole name
    return [replace(c, value=people.fullest(str(c.value))) for c in named]

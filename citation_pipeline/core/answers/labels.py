"""Whether the label that a document prints before a quoted value is of the field that the value is given for.

A model that fills a field with another field's value quotes words that are there and that hold the value:
place and value bear it out, and only the label tells. The label is a phrase of another field of the schema,
or shares no word with all that the schema says of the field; a yes or no is quoted from words that do not
speak of the field; an item of a list is named by nothing that is quoted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.core.answers.orders import WARNING as ORDERED
from citation_pipeline.core.answers.orders import gives_orders
from citation_pipeline.core.answers.quoted_clauses import QuotedDocument
from citation_pipeline.core.extraction import AnswerIssue, ExtractedField, Extraction, Snippet
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.values.grammar import find_values, same_value
from citation_pipeline.core.values.spans import find_folded, fold_words

ANOTHER_FIELD = "label_of_another_field"
UNRELATED = "label_unrelated"
NO_TOPIC = "topic_not_quoted"
ITEM_UNQUOTED = "item_not_in_snippet"
_OWN = "own"

_STEM = 4  # letters that forms of a word share
_LEAST_KNOWN = 4  # words that a schema says of a field, to know a label that is not its own
_MOST_WORDS = 6  # of a label
_LONGEST_VALUE = 8  # words; prose is judged by itself
# words of many labels: alone they tie a label to no field
_COMMON_WORDS = """
date day name number no amount total type of the a an and or to for in on by at is was are be has have with
from first last this that its it any all as not per who what which other claim case file status description
iso format yyyy mm dd usd whether current report worker injured
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_LINKING_WORDS = "of is at was to on the a an in per by from dated"
_LINKS = frozenset(_LINKING_WORDS.split())
_KINDS = {"integer": "number", "datetime": "date"}
_LABELLED = re.compile(r"[:=#\t]\s*[$(\"'“]*\s*$")
_LINE_END = re.compile(r"[\n|;•☐☑☒]|[.!?]\s")


class SchemaLabels:
    """The words by which a schema's fields are known."""

    def __init__(self, schema: Schema) -> None:
        self.owners: dict[tuple[str, ...], set[str]] = {}
        self._kinds = {field.key: _KINDS.get(field.value_type, field.value_type) for field in schema.fields}
        self._own = {
            field.key: {tuple(fold_words(phrase)) for phrase in (field.title, *field.hints)}
            for field in schema.fields
        }
        self.words: dict[str, frozenset[str]] = {}
        for field in schema.fields:
            for phrase in _phrases(field):
                self.owners.setdefault(phrase, set()).add(field.key)
            said = (
                field.key.replace("_", " ").replace(".", " "),
                field.title,
                field.description,
                *field.hints,
            )
            items = (f"{item.name.replace('_', ' ')} {item.description}" for item in field.items)
            self.words[field.key] = frozenset(
                word[:_STEM]
                for text in (*said, *items)
                for word in fold_words(text)
                if word not in _COMMON and len(word) > 1
            )

    def is_anothers(self, label: Sequence[str], field: Field) -> bool:
        """Tell whether a label ends in a phrase of another field, and holds none of this one."""
        if _parts(label) & self._own[field.key]:
            return False
        kind = self._kinds[field.key]
        return any(
            self._kinds[owner] == kind
            for begin in range(len(label))
            for owner in self.owners.get(tuple(label[begin:]), ())
        )

    def is_related(self, label: Sequence[str], field: Field) -> bool:
        """Tell whether a label has a word of the field's own."""
        own = self.words[field.key]
        if any(word[:_STEM] in own for word in label) or _is_short_for(label, field):
            return True
        return bool(_parts(label) & self._own[field.key])


def doubt_labels(extraction: Extraction, schema: Schema, texts: Mapping[str, str]) -> Extraction:
    """Return the extraction with a warning on each field that its labels, or its documents, speak against.

    For who chose by the label, as the rules do, that says nothing. The documents that give orders are named
    by issues.
    """
    ordering = [source_id for source_id, text in texts.items() if gives_orders(text)]
    documents = {source_id: QuotedDocument(text) for source_id, text in texts.items()}
    labels = SchemaLabels(schema)
    fields = []
    for field in extraction.fields:
        target, doubts = schema.by_key.get(field.field_key), []
        if target is not None and field.value is not None and field.snippets:
            doubts = [check_labels(field, target, labels, documents)]
            if all(snippet.source_id in ordering for snippet in field.snippets):
                doubts.append(ORDERED)
        found = tuple(dict.fromkeys((*field.warnings, *(code for code in doubts if code))))
        fields.append(replace(field, warnings=found) if found != field.warnings else field)
    issues = [AnswerIssue(ORDERED, source_id=source_id) for source_id in ordering]
    return replace(extraction, fields=tuple(fields), issues=(*extraction.issues, *issues))


def check_labels(
    field: ExtractedField, target: Field, labels: SchemaLabels, documents: Mapping[str, QuotedDocument]
) -> str | None:
    """Return what all labels before a field's quoted value say against it, None where one does not."""
    is_known = len(labels.words[target.key]) >= _LEAST_KNOWN
    if field.value_type == "boolean":
        return (
            NO_TOPIC
            if is_known and all(_lacks_topic(s, labels, target, documents) for s in field.snippets)
            else None
        )
    if isinstance(field.value, list):
        return ITEM_UNQUOTED if _has_unquoted_item(field, field.value) else None
    if field.value_type not in ("date", "number", "integer", "string"):
        return None
    if isinstance(field.value, str) and len(field.value.split()) > _LONGEST_VALUE:
        return None
    verdicts = [
        _judge(before, labels, target)
        for snippet in field.snippets
        for before in _before(snippet, field.value, field.value_type, documents)
    ]
    if _OWN in verdicts:
        return None
    if ANOTHER_FIELD in verdicts:
        return ANOTHER_FIELD
    return UNRELATED if is_known and verdicts and None not in verdicts else None


def _judge(before: str, labels: SchemaLabels, target: Field) -> str | None:
    line = _LINE_END.split(before)[-1]
    words = fold_words(line)
    while words and words[-1] in _LINKS:
        words.pop()
    words = words[-_MOST_WORDS:]
    if not words:
        return None
    if labels.is_anothers(words, target):
        return ANOTHER_FIELD
    if labels.is_related(words, target):
        return _OWN
    return UNRELATED if _LABELLED.search(line) and any(word not in _COMMON for word in words) else None


def _before(
    snippet: Snippet, value: Any, kind: str, documents: Mapping[str, QuotedDocument]
) -> Iterator[str]:
    """Yield what is before the value, in the snippet or, where that begins with it, in its line."""
    document = documents.get(snippet.source_id)
    texts = document.clauses_of(snippet.text, with_heading=True) if document is not None else []
    for text in texts or [snippet.text]:
        if kind == "string":
            spans = list(find_folded(text, str(value)))
        else:
            spans = [(s.start, s.end) for s in find_values(text, kind) if same_value(s.value, value, kind)]
        for start, _ in spans:
            yield text[:start]


def _lacks_topic(
    snippet: Snippet, labels: SchemaLabels, target: Field, documents: Mapping[str, QuotedDocument]
) -> bool:
    document = documents.get(snippet.source_id)
    texts = document.clauses_of(snippet.text, with_heading=True) if document is not None else []
    own = labels.words[target.key]
    return all(not any(word[:_STEM] in own for word in fold_words(text)) for text in (snippet.text, *texts))


def _parts(label: Sequence[str]) -> set[tuple[str, ...]]:
    """Return every run of a label's words."""
    ends = range(1, len(label) + 1)
    return {tuple(label[begin:end]) for begin in range(len(label)) for end in ends if begin < end}


def _has_unquoted_item(field: ExtractedField, items: Sequence[Any]) -> bool:
    """Tell whether an item's name shares no word with anything that is quoted for the list."""
    quoted = {word[:_STEM] for snippet in field.snippets for word in fold_words(snippet.text)}
    for item in items:
        members = item.values() if isinstance(item, Mapping) else (item,)
        name = next((member for member in members if isinstance(member, str) and member.strip()), "")
        words = {word[:_STEM] for word in fold_words(name)}
        if words and not words & quoted:
            return True
    return False


def _phrases(field: Field) -> Iterator[tuple[str, ...]]:
    for phrase in (field.title, *field.hints):
        words = tuple(fold_words(phrase))
        # one common word is no label of anybody's
        if words and not (len(words) == 1 and (words[0] in _COMMON or len(words[0]) < _STEM)):
            yield words


def _is_short_for(label: Sequence[str], field: Field) -> bool:
    """Tell whether a label is the first letters of one of the field's phrases: AWW, DOB."""
    short = "".join(word for word in label if word not in _COMMON)
    known = {
        "".join(word[0] for word in fold_words(phrase))
        for phrase in (field.title, field.key.replace(".", " ").replace("_", " "), *field.hints)
        if phrase
    }
    return short in known

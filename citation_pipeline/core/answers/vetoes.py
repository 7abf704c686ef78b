"""Values that their own citations deny: a yes under `was not`, an item under `not admitted`, `NOT CERTIFIED`.

Whoever extracted them, they are no facts: the value becomes a candidate with the reason `negated`, and an
issue `denied_by_evidence` tells of it. Evidence that merely lacks the value is a warning, in `evidence`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.core.answers.quoted_clauses import QuotedDocument
from citation_pipeline.core.extraction import (
    AnswerIssue,
    ExtractedField,
    Extraction,
    Snippet,
    ValueCandidate,
)
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.values.grammar import find_values
from citation_pipeline.core.values.polarity import (
    Polarity,
    clause_around,
    holds_negation,
    is_conditional,
    polarity_at,
)
from citation_pipeline.core.values.reality import is_no_fact, is_not_done, is_undone
from citation_pipeline.core.values.spans import find_folded, fold_words

DENIED = "denied_by_evidence"
_LEAST_STEM = 4
# A yes or no that answers: at the start, behind a mark, in a box.
_ANSWER_BEFORE = re.compile(r"(?:^|[:?\[(=|])\s*$")
# Members of enumerations that texts name by other words too.
_STEMS = {
    "certified": "certif|approv|authori[sz]",
    "approved": "certif|approv|authori[sz]",
    "accepted": "accept|admit|admission",
    "admitted": "accept|admit|admission",
    "denied": "deni(?:ed|al|es)|deny|reject",
    "compromise_and_release": r"compromise|c ?& ?r\b|c ?and ?r\b",
}
# In these words of a key a denial is what the field asks for: disputed parts are those that are not accepted.
_ASKS_FOR_DENIALS = re.compile(
    r"disput|denied|denial|declin|reject|exclu|contest|not_|non_|un(?:accept|resolv|paid)|restrict|absen"
)
# What a plan or a list of indicators says is often said with `not`.
_SPEAKS_FREELY = re.compile(r"action|indicator|reason|note|comment|remark|instruction|condition|question")
_COMMON = frozenset({"is", "has", "was", "the", "and", "any", "are", "for", "made", "yes", "status", "flag"})


Quoted = Callable[[Snippet, bool], list[str]]
"""Gives the clauses that a snippet is cut from, with their headings or without."""


def veto_denied(extraction: Extraction, schema: Schema, texts: Mapping[str, str] | None = None) -> Extraction:
    """Return the extraction without the values that all of their citations deny or leave open.

    `texts` gives source documents' texts: a snippet is read with the words before and behind it there.
    """
    documents = {source_id: QuotedDocument(text) for source_id, text in (texts or {}).items()}

    def quoted(snippet: Snippet, with_heading: bool) -> list[str]:
        document = documents.get(snippet.source_id)
        found = document.clauses_of(snippet.text, with_heading=with_heading) if document else []
        return found or [snippet.text]

    fields: list[ExtractedField] = []
    issues: list[AnswerIssue] = []
    for field in extraction.fields:
        target = schema.by_key.get(field.field_key)
        judged = field if target is None else _judged(field, target, quoted)
        if judged is not field:
            issues.append(AnswerIssue(DENIED, field.field_key))
        fields.append(judged)
    if not issues:
        return extraction
    return replace(extraction, fields=tuple(fields), issues=(*extraction.issues, *issues))


def _judged(field: ExtractedField, target: Field, quoted: Quoted) -> ExtractedField:
    if field.value is None or not field.snippets:
        return field
    if field.value_type == "array" and isinstance(field.value, list):
        return _without_denied_items(field, target, quoted)
    if field.value_type == "boolean" and isinstance(field.value, bool):
        is_denied = all(_denies_answer_there(s, field.value, target, quoted) for s in field.snippets)
    elif field.value_type == "enum":
        key, member = target.key, str(field.value)
        is_denied = all(
            all(_denies_member(text, member, key) for text in quoted(s, False)) for s in field.snippets
        )
    else:
        is_denied = all(
            all(_tells_otherwise(text, field.value, target) for text in quoted(s, False))
            for s in field.snippets
        )
    return _vetoed(field, field.value, field.snippets) if is_denied else field


def _denies_answer_there(snippet: Snippet, value: bool, target: Field, quoted: Quoted) -> bool:
    """Tell whether a snippet denies a yes or no, wherever its document has it.

    One with an answer of its own (`Yes`, a ticked box) needs no other words.
    """
    if any(span.value is value for span in find_values(snippet.text, "boolean")):
        return _denies_answer(snippet.text, value, target)
    return all(_denies_answer(text, value, target) for text in quoted(snippet, False))


def _vetoed(field: ExtractedField, value: Any, snippets: Sequence[Snippet]) -> ExtractedField:
    candidate = ValueCandidate(value, "negated", snippets=tuple(snippets))
    return replace(field, value=None, snippets=(), candidates=(candidate, *field.candidates))


def _denies_answer(text: str, value: bool, target: Field) -> bool:
    """Tell whether a snippet says the opposite of a yes or no, or only what would be if."""
    told = find_values(text, "boolean")
    answers = {span.value for span in told if _ANSWER_BEFORE.search(text[: span.start])}
    if len(answers) == 1:
        return value not in answers
    clauses: dict[int, list[Polarity]] = {}
    for start, end in _topics(text, target):
        if value and is_no_fact(target.key, text, start, end):
            clauses.setdefault(clause_around(text, start, end)[0], []).append(Polarity.OPEN)
        clauses.setdefault(clause_around(text, start, end)[0], []).append(_spoken(text, start, end))
    if not clauses:
        return False
    # one word of the field denied is its clause denied: `future care has not been recommended`
    verdicts = {_of_clause(spoken) for spoken in clauses.values()}
    if value:
        return Polarity.ASSERTED not in verdicts
    denies = any(span.value is False for span in told) or holds_negation(text)
    return verdicts == {Polarity.ASSERTED} and not denies


def _of_clause(spoken: Sequence[Polarity]) -> Polarity:
    for polarity in (Polarity.NEGATED, Polarity.OPEN):
        if polarity in spoken:
            return polarity
    return Polarity.ASSERTED


def _spoken(text: str, start: int, end: int) -> Polarity:
    """Return how a text speaks of a topic; mere possibility is often what a field asks for, an `if` never."""
    polarity = polarity_at(text, start, end)
    if polarity is Polarity.OPEN and not is_conditional(text, start, end):
        return Polarity.ASSERTED
    return polarity


def _topics(text: str, target: Field) -> Iterator[tuple[int, int]]:
    """Return the places of the field's own words in a text."""
    words = {
        word
        for phrase in (target.key.rpartition(".")[2].replace("_", " "), *target.hints)
        for word in fold_words(phrase)
        if len(word) >= 3 and word not in _COMMON
    }
    for match in re.finditer(r"[^\W_]+", text):
        folded = "".join(fold_words(match[0]))
        if folded in words or any(len(word) > _LEAST_STEM and folded.startswith(word[:-1]) for word in words):
            yield match.span()


_MOST_WORDS = 6


def _tells_otherwise(text: str, value: Any, target: Field) -> bool:
    """Tell whether a snippet names a day, a sum or a name only as another's, as over or as never come."""
    if isinstance(value, str) and len(value.split()) > _MOST_WORDS:
        return False
    if target.value_type in ("string", "uri"):
        spans = find_folded(text, str(value))
    else:
        told = find_values(text, target.value_type)
        spans = [(span.start, span.end) for span in told if span.value == value]
    return bool(spans) and all(
        is_no_fact(target.key, text, *span) or _is_other_end(target.key, text, span[0]) for span in spans
    )


# A day behind these words is a period's other end.
_ENDS = re.compile(
    r"\b(?:end(?:ed|s|ing)?|stop(?:ped|s)?|terminat\w+|ceas\w+|through|thru|until|last)\b", re.IGNORECASE
)
_STARTS = re.compile(
    r"\b(?:start(?:ed|s|ing)?|beg[aiu]n\w*|commenc\w+|from|since|effective|first)\b", re.IGNORECASE
)


def _is_other_end(key: str, text: str, start: int) -> bool:
    """Tell whether a day is the end of a period and the field asks for its start, or the reverse."""
    begin, _ = clause_around(text, start, start)
    before = text[begin:start]
    name = key.rpartition(".")[2]
    if "start" in name:
        return bool(_ENDS.search(before)) and not _STARTS.search(before)
    return "end" in name.split("_") and bool(_STARTS.search(before)) and not _ENDS.search(before)


def _denies_member(text: str, member: str, key: str) -> bool:
    """Tell whether a snippet denies a member of an enumeration wherever it names it."""
    stems = _STEMS.get(member) or _stem_of(member)
    spans = (
        [match.span() for match in re.finditer(rf"\b(?:{stems})\w*", text, re.IGNORECASE)] if stems else []
    )
    return bool(spans) and all(_is_denied(key, text, span) or is_conditional(text, *span) for span in spans)


def _is_denied(key: str, text: str, span: tuple[int, int]) -> bool:
    return polarity_at(text, *span) is Polarity.NEGATED or is_no_fact(key, text, *span)


def _stem_of(member: str) -> str:
    word = max(fold_words(member.replace("_", " ")), key=len, default="")
    return re.escape(word[: max(_LEAST_STEM, len(word) - 2)]) if len(word) >= _LEAST_STEM else ""


def _without_denied_items(field: ExtractedField, target: Field, quoted: Quoted) -> ExtractedField:
    key = target.key.rpartition(".")[2]
    if _ASKS_FOR_DENIALS.search(key) or _SPEAKS_FREELY.search(key):
        return field
    assert isinstance(field.value, list)
    kept: list[int] = []
    denied: list[ValueCandidate] = []
    for number, item in enumerate(field.value):
        own = [s for s in field.snippets if s.item_path.startswith(f"[{number}]")]
        own = own or [s for s in field.snippets if not s.item_path]
        texts = [text for s in own for text in quoted(s, True)]
        verdicts = [v for text in texts if (v := _denies_item(text, item, target)) is not None]
        if verdicts and all(verdicts):
            alone = tuple(replace(s, item_path="[0]" if s.item_path else "") for s in own)
            denied.append(ValueCandidate([item], "negated", snippets=alone))
        else:
            kept.append(number)
    if not denied:
        return field
    places = {old: new for new, old in enumerate(kept)}
    snippets = tuple(s for snippet in field.snippets if (s := _moved(snippet, places)) is not None)
    value = [field.value[number] for number in kept]
    return replace(
        field,
        value=value or None,
        snippets=snippets if value else (),
        candidates=(*denied, *field.candidates),
    )


def _moved(snippet: Snippet, places: dict[int, int]) -> Snippet | None:
    found = re.match(r"\[(\d+)\](.*)", snippet.item_path)
    if found is None:
        return snippet
    number = int(found[1])
    return replace(snippet, item_path=f"[{places[number]}]{found[2]}") if number in places else None


def _denies_item(text: str, item: Any, target: Field) -> bool | None:
    """Tell whether a snippet denies an item where it names it; None where it does not name it.

    A snippet that does not name the item tells of the field's own word: `Surgery was discussed and
    declined`. An item that holds such a sentence denies itself.
    """
    name = str(next(iter(item.values()), "")) if isinstance(item, dict) else str(item)
    topics = list(_own_topics(name, target))
    if topics and all(is_undone(name, *span) or is_not_done(target.key, name, *span) for span in topics):
        return True
    spans = find_folded(text, name)
    if spans:
        return all(_is_denied(target.key, text, span) or is_conditional(text, *span) for span in spans)
    topics = list(_own_topics(text, target))
    if topics and all(is_undone(text, *span) for span in topics):
        return True
    return None


def _own_topics(text: str, target: Field) -> Iterator[tuple[int, int]]:
    """Return the places of the word that the field's key ends with, in the singular too."""
    word = fold_words(target.key.rpartition(".")[2].replace("_", " "))[-1]
    stem = re.sub(r"(?:ies|s)$", "", word)
    if len(stem) > _LEAST_STEM:
        yield from (match.span() for match in re.finditer(rf"\b{re.escape(stem)}\w*", text, re.IGNORECASE))

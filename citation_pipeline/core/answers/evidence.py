"""The evidence check: is a value where its citations say, whatever the model claims of itself?

It looks at types, at the cited words and at the documents, never at the model's confidence. A finding is a
warning on the field, not a correction: the value stays for a person to judge. Exact places are found by
the resolution; here a snippet only has to be somewhere in its document.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.core.answers.quoted_clauses import QuotedDocument
from citation_pipeline.core.extraction import ExtractedField, Extraction, Snippet
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.values.grammar import find_value, find_values, same_value
from citation_pipeline.core.values.meaning import has_other_meaning
from citation_pipeline.core.values.reality import is_no_longer
from citation_pipeline.core.values.spans import fold, fold_words

# nobody in a claim was born before; what lies beyond is a misread digit
_DATES = ("1900-01-01", "2080-01-01")
# above this no claim's sum is money; policy and phone numbers read as sums are
_ITEM = re.compile(r"\[(\d{1,6})\]")
_MOST_MONEY = 1e9
# a sentence may be cut or reworded at its ends; below this share of its words it is another sentence
_SHARE_OF_WORDS = 0.6
_ONE_MISSING_OF = 10  # words of a quotation that the text may lack, one in this many
_LONGEST_ACRONYM = 5
_CLAUSE_END = re.compile(r"[.;\u2022\n]+(?=\s|$)|\u2022")
_STEM = 4  # letters that inflected forms and usual abbreviations share: stip(s), perm(anent)
_BARE_ANSWER = 2  # words: "No", "Yes, see"
_LONG_TEXT = 8  # words from which a text counts as prose, and is judged by that share

_NEGATION = re.compile(
    r"\b(?:no|not|non|none|never|without|denie[ds]|den(?:y|ying)|declined|neither|nor|false|negative|n/a|"
    r"unrepresented|absent|ruled out)\b|n't\b|\bnon-",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Text:
    """A document's text, folded into one run of letters and as its set of words."""

    folded: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class EvidenceFinding:
    """Something that the evidence does not bear out; `code` is stable, `citation_index` None for the field.

    Codes: `invalid_date`, `implausible_date`, `not_in_enum`, `invalid_number`, `implausible_amount`,
    `implausible_percent`, `wrong_type`, `uncited`, `snippet_not_in_source`, `value_not_in_snippet`,
    `enum_not_in_snippet` (weak: enumerations are paraphrases), `negation_in_snippet`,
    `no_negation_in_snippet`, `conflicting_values`, `other_meaning` (an authority, an offer, an estimate, what
    was so once).
    """

    code: str
    field_key: str
    citation_index: int | None = None


def check_evidence(extraction: Extraction, schema: Schema, texts: Mapping[str, str]) -> list[EvidenceFinding]:
    """Return the findings on every field that has a value; `texts` gives source documents' texts."""
    known = {source_id: _Text(fold(text), frozenset(fold_words(text))) for source_id, text in texts.items()}
    quoted = {source_id: QuotedDocument(text) for source_id, text in texts.items()}
    findings: list[EvidenceFinding] = []
    conflicting = {conflict.field_key for conflict in extraction.conflicts}
    for field in extraction.fields:
        target = schema.by_key.get(field.field_key)
        if target is None or field.value is None:
            continue
        codes: list[tuple[str, int | None]] = [(code, None) for code in _check_value(field.value, target)]
        codes += _check_citations(field, target, known)
        if _means_something_else(field, target, quoted):
            codes.append(("other_meaning", None))
        if field.field_key in conflicting:
            codes.append(("conflicting_values", None))
        findings.extend(EvidenceFinding(code, field.field_key, index) for code, index in codes)
    return findings


def with_warnings(extraction: Extraction, findings: Sequence[EvidenceFinding]) -> Extraction:
    """Return the extraction with each finding's code among its field's warnings, once."""
    codes: dict[str, list[str]] = {}
    for finding in findings:
        codes.setdefault(finding.field_key, []).append(finding.code)
    fields = tuple(
        replace(field, warnings=tuple(dict.fromkeys((*field.warnings, *codes[field.field_key]))))
        if field.field_key in codes
        else field
        for field in extraction.fields
    )
    return replace(extraction, fields=fields)


def _check_value(value: Any, target: Field) -> list[str]:
    if target.value_type == "array":
        if not isinstance(value, list):
            return ["wrong_type"]
        members = {item.name: item for item in target.items}
        codes = [
            code
            for item in value
            if isinstance(item, Mapping)
            for name, member in item.items()
            # lists and objects within an item were read by their own members' types
            if name in members and members[name].value_type not in ("array", "object")
            for code in _check_scalar(member, members[name].value_type, members[name].enum, name)
        ]
        return list(dict.fromkeys(codes))
    return _check_scalar(value, target.value_type, target.enum, target.key)


def _check_scalar(value: Any, value_type: str, enum: Sequence[str], name: str) -> list[str]:
    if value_type == "date":
        if not isinstance(value, str) or not same_value(value, value, "date"):
            return ["invalid_date"]
        return [] if _DATES[0] <= value < _DATES[1] else ["implausible_date"]
    if value_type == "enum":
        return [] if value in enum else ["not_in_enum"]
    if value_type in ("number", "integer"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return ["invalid_number"]
        if "percent" in name:
            return [] if 0 <= value <= 100 else ["implausible_percent"]
        return [] if abs(value) < _MOST_MONEY else ["implausible_amount"]
    if value_type == "boolean":
        return [] if isinstance(value, bool) else ["wrong_type"]
    return [] if isinstance(value, str) and value.strip() else ["wrong_type"]


def _check_citations(
    field: ExtractedField, target: Field, texts: Mapping[str, _Text]
) -> list[tuple[str, int | None]]:
    if not field.snippets:
        return [("uncited", None)]
    codes: list[tuple[str, int | None]] = []
    verdicts = [(snippet, _check_snippet(snippet, field, target)) for snippet in field.snippets]
    is_borne_out = any(code is None for _, code in verdicts)
    for snippet, code in verdicts:
        if not _stands_in(snippet, texts.get(snippet.source_id)):
            codes.append(("snippet_not_in_source", snippet.citation_index))
        # beside a snippet that has it all, "Dr. Nguyen" is evidence for the full name, and any words for a
        # member of an enumeration
        is_told = field.value_type == "enum" or _shares_words(field.value, snippet.text)
        if code is not None and not (is_borne_out and is_told):
            codes.append((code, snippet.citation_index))
    return codes


_COUNTED = frozenset({"number", "integer", "date"})


def _means_something_else(
    field: ExtractedField, target: Field, documents: Mapping[str, QuotedDocument]
) -> bool:
    """Tell whether every quotation of a sum or a day gives it as an authority, an offer or as over."""
    if field.value_type not in _COUNTED or not field.snippets:
        return False
    own = (target.key.replace("_", " ").replace(".", " "), target.title, target.description, *target.hints)
    verdicts: list[bool] = []
    for snippet in field.snippets:
        document = documents.get(snippet.source_id)
        clauses = document.clauses_of(snippet.text, with_heading=True) if document else []
        for text in clauses or [snippet.text]:
            told = find_values(text, field.value_type)
            mine = [span for span in told if same_value(span.value, field.value, field.value_type)]
            verdicts += [
                has_other_meaning(
                    text, (one.start, one.end), others=[o for o in told if o is not one], own=own
                )
                or is_no_longer(text, one.start, one.end)
                for one in mine
            ]
    return bool(verdicts) and all(verdicts)


def _stands_in(snippet: Snippet, text: _Text | None) -> bool:
    """Tell whether a document has the snippet's words: in a row, or at least all that count.

    Parsers order a label and its value differently, so the order is not held against a snippet; every
    number of it must be there, and nearly every word.
    """
    if text is None:
        return False
    if fold(snippet.text) in text.folded:
        return True
    words = fold_words(snippet.text)
    missing = [word for word in words if word not in text.words]
    return not any(any(c.isdigit() for c in word) for word in missing) and (
        len(missing) * _ONE_MISSING_OF <= len(words)
    )


def _check_snippet(snippet: Snippet, field: ExtractedField, target: Field) -> str | None:
    value, kind = field.value, field.value_type
    if kind == "boolean":
        return _check_polarity(snippet.text, bool(value), target)
    if kind == "array" and not value:
        return _check_polarity(snippet.text, False, target)
    if kind == "string" and isinstance(value, str) and len(fold_words(value)) >= _LONG_TEXT:
        words, quoted = fold_words(value), set(fold_words(snippet.text))
        share = sum(word in quoted for word in words) / len(words)
        # a long value may need several citations: one that gives a good part of itself is evidence too
        covered = sum(word in set(words) for word in quoted) / max(1, len(quoted))
        return None if max(share, covered) >= _SHARE_OF_WORDS else "value_not_in_snippet"
    if find_value(snippet.text, _part_at(value, snippet.item_path), kind):
        return None
    if kind == "enum":
        return None if _is_paraphrased(str(value), snippet.text) else "enum_not_in_snippet"
    return "value_not_in_snippet"


def _part_at(value: Any, path: str) -> Any:
    """Return the item that a snippet is behind, as a list of it alone; else the whole value."""
    match = _ITEM.match(path) if isinstance(value, list) else None
    return [value[int(match[1])]] if match and int(match[1]) < len(value) else value


def _shares_words(value: Any, text: str) -> bool:
    words = set(fold_words(text))
    return isinstance(value, str) and any(len(w) >= _STEM and w in words for w in fold_words(value))


def _is_paraphrased(member: str, text: str) -> bool:
    """Tell whether a text speaks of an enumeration's member: "modified work" of modified_duty.

    By a shared stem, by a part of it ("Panel QME" of PQME), or by the first letters of its words.
    """
    stems = {word[:_STEM] for word in fold_words(member.replace("_", " ")) if len(word) >= _STEM}
    words = fold_words(text)
    return (
        any(word[:_STEM] in stems for word in words)
        or any(len(word) >= 3 and word in fold(member) for word in words)
        or (len(member) <= _LONGEST_ACRONYM and fold(member) in "".join(word[0] for word in words))
    )


def _check_polarity(text: str, value: bool, target: Field) -> str | None:
    """Return what speaks against a yes or no: ticked boxes first, then the words of negation.

    Only the clauses that speak of the field count, if any does: in "no job here; voucher mailed" the
    voucher is not denied.
    """
    answers = {span.value for span in find_values(text, "boolean")}
    if "[" in text and len(answers) == 1:
        return None if value in answers else ("no_negation_in_snippet", "negation_in_snippet")[value]
    topic = {
        word
        for phrase in (target.key.rpartition(".")[2].replace("_", " "), *target.hints)
        for word in fold_words(phrase)
        if len(word) >= 3
    }
    clauses = _clauses(text)
    about = [clause for clause in clauses if topic.intersection(fold_words(clause))] or clauses
    answers = {span.value for clause in about for span in find_values(clause, "boolean")}
    negated = [bool(_NEGATION.search(clause)) for clause in about]
    if value and negated and all(negated) and True not in answers:
        return "negation_in_snippet"
    if not value and not any(negated) and False not in answers:
        return "no_negation_in_snippet"
    return None


def _clauses(text: str) -> list[str]:
    """Return a text's clauses; a bare answer belongs to the one before it, as in a form's next line."""
    clauses: list[str] = []
    for clause in filter(str.strip, _CLAUSE_END.split(text)):
        is_bare = len(fold_words(clause)) <= _BARE_ANSWER and bool(find_values(clause, "boolean"))
        if clauses and is_bare:
            clauses[-1] += f" {clause}"
        else:
            clauses.append(clause)
    return clauses

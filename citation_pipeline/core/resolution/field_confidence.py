"""How likely a field's value is right: one number, with the parts that it is made of.

A logistic model over five parts: the *place* (are its citations located, how surely, and does the value stand
there), the *evidence* (does the quoted text say the value), the *type* of value, the *agreement* of sources
(how many documents, and do others say something else), and the *extractor's* own word. The weights are in
`field_weights.json`, fitted by `benchmarks/fit_field_confidence.py`; `docs/evaluation.md` has the figures.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.extraction import Confidence, ExtractedField, Provenance
from citation_pipeline.core.values.grammar import same_value

PARTS: Mapping[str, tuple[str, ...]] = {
    "place": ("no_place", "doubt_of_place", "unplaced", "only_flagged", "value_elsewhere", "ambiguous"),
    "evidence": ("value_not_quoted", "paraphrased", "not_in_source", "negation", "other_warnings", "uncited"),
    "type": ("boolean", "enum", "array", "string", "date", "long_text", "items"),
    "agreement": ("one_source", "more_sources", "contradicted", "other_candidates"),
    "extractor": ("said_nothing", "disbelief", "inferred"),
}
"""Part to the features that it is added up from."""

_PART_OF = {name: part for part, names in PARTS.items() for name in names}

SURE = 0.95
"""From here on a field counts as sure: of a hundred such fields at least 97 are right."""

# an extractor that says it in words: "high" is right most of the time, "low" hardly more often than not
_WORDS: Mapping[Confidence | None, float] = {
    Confidence.HIGH: 0.97,
    Confidence.MEDIUM: 0.85,
    Confidence.LOW: 0.6,
}
_SCALE = 5.0  # a value that its extractor believes at 0.8, the least that is shown, counts 1
_LONG_TEXT = 8  # words
_LEAST = 0.3  # the confidence of a value none of whose quotations was found
_SUREST = 0.99
_UNCITED = 0.5  # of a value that nothing is quoted for
# the most that a value may have which its quotations do not bear out in these ways; the data of the fit have
# too few of them for weights. A sum that is quoted as an authority or an offer is the field's about as often
# as not. Of 188 right answers to three claims none was labelled as another field's and 2 as nobody's; of
# dates, strings and answers that were given to another field of their type three in five
_AT_MOST: Mapping[str, float] = {
    "other_meaning": 0.5,
    "label_of_another_field": 0.3,
    "label_unrelated": 0.5,
    "topic_not_quoted": 0.5,
    "item_not_in_snippet": 0.5,
    "order_in_document": 0.5,
    "negation_in_snippet": 0.5,
    "no_negation_in_snippet": 0.5,
    "enum_not_in_snippet": 0.9,
    "broken_rule": 0.5,
    "second_reading_differs": 0.5,
    "second_reading_unsure": 0.9,
    "perhaps_overtaken": 0.94,
}
# of what is printed as it is: a value that stands in none of its quotations
_NOWHERE_QUOTED = 0.5
# one of two values between which nothing decides
_UNDECIDED = 0.5
# what rules read in one document alone: on claims of unknown hands 68 of 75 such values of 0.95 and more were
# right, and 58 of 60 of those that two documents state
_ALONE_FROM, _ALONE_BY = 0.9, 0.4
_LINE = (
    5  # words: what is shorter is a label with its value, which forms that know nothing of each other share
)
# what a document prints as the value itself; a list, a choice or a yes is said in other words
_PRINTED = frozenset({"number", "integer", "date", "string"})
_NEGATION_CODES = frozenset({"negation_in_snippet", "no_negation_in_snippet"})
_PARAPHRASES = _NEGATION_CODES | {"enum_not_in_snippet"}
_KNOWN_CODES = _NEGATION_CODES | {
    "value_not_in_snippet",
    "enum_not_in_snippet",
    "uncited",
    "snippet_not_in_source",
    "conflicting_values",
    "retyped",
    *_AT_MOST,
}


@dataclass(frozen=True, slots=True)
class FieldConfidence:
    """The probability that a field's value is right, and what each part adds to its log-odds."""

    field_key: str
    confidence: float
    parts: Mapping[str, float]


def confidences_of(
    fields: Iterable[ExtractedField], citations: Iterable[Citation]
) -> dict[str, FieldConfidence]:
    """Return the confidence of every field that has a value, by key."""
    cited: dict[str, list[Citation]] = {}
    for citation in citations:
        cited.setdefault(citation.field_key, []).append(citation)
    return {
        field.field_key: confidence_of(field, cited.get(field.field_key, ()), weights())
        for field in fields
        if field.value is not None
    }


def features_of(field: ExtractedField, citations: Sequence[Citation]) -> dict[str, float]:
    """Return what the model weighs; every feature is 0 for a value without any doubt."""
    located = [c for c in citations if c.status is not CitationStatus.UNRESOLVED and c.block]
    best = max(located, key=lambda c: (c.status is CitationStatus.RESOLVED, c.confidence), default=None)
    warnings = set(field.warnings)
    sources = _stating(citations)
    others = [c for c in field.candidates if not same_value(c.value, field.value, field.value_type)]
    words = len(str(field.value).split()) if field.value_type == "string" else 0
    count = max(1, len(citations))
    belief = field.belief if field.belief is not None else _WORDS.get(field.confidence)
    resolved = [c for c in located if c.status is CitationStatus.RESOLVED]
    is_printed = field.value_type in _PRINTED and words < _LONG_TEXT
    # one citation that holds the value is evidence, however bad the others are
    is_supported = any(c.value for c in resolved)
    return {
        "no_place": float(best is None),
        "doubt_of_place": 1.0 - best.confidence if best is not None else 0.0,
        "unplaced": (len(citations) - len(located)) / count,
        "only_flagged": float(best is not None and not resolved),
        "value_elsewhere": float(is_printed and bool(resolved) and not is_supported),
        "ambiguous": float(best is not None and len(best.candidates) > 1),
        "value_not_quoted": float("value_not_in_snippet" in warnings and not is_supported),
        "paraphrased": float("enum_not_in_snippet" in warnings),
        "not_in_source": float("snippet_not_in_source" in warnings and not is_supported),
        "negation": float(bool(warnings & _NEGATION_CODES)),
        "other_warnings": float(bool(warnings - _KNOWN_CODES)),
        "uncited": float(not citations),
        **{name: float(field.value_type == name) for name in ("boolean", "enum", "array", "string", "date")},
        "long_text": float(words >= _LONG_TEXT),
        "items": math.log1p(len(field.value)) if isinstance(field.value, list) else 0.0,
        "one_source": float(len(sources) == 1),
        "more_sources": math.log(len(sources)) if len(sources) > 1 else 0.0,
        "contradicted": float("conflicting_values" in warnings),
        "other_candidates": float(bool(others)),
        "said_nothing": float(belief is None),
        "disbelief": _SCALE * (1.0 - belief) if belief is not None else 0.0,
        "inferred": float(field.provenance is Provenance.INFERRED),
    }


@cache
def weights() -> Mapping[str, float]:
    """Return the fitted weight of each feature, and the `intercept`."""
    text = (resources.files("citation_pipeline.core.resolution") / "field_weights.json").read_text("utf-8")
    fitted: dict[str, float] = json.loads(text)["weights"]
    return fitted


def confidence_of(
    field: ExtractedField, citations: Sequence[Citation], fitted: Mapping[str, float]
) -> FieldConfidence:
    """Return the confidence of one field that has a value, by these weights."""
    features = features_of(field, citations)
    # a logistic model adds up log-odds, so each feature's share can be shown to whoever asks why; what caps
    # the sum is charged to the part it belongs to, and the parts still add up to the confidence
    sums = dict.fromkeys(PARTS, 0.0)
    for name, value in features.items():
        if value:  # most are 0: a value without doubts
            sums[_PART_OF[name]] += fitted.get(name, 0.0) * value
    parts = {part: round(total, 4) for part, total in sums.items()}
    total = fitted["intercept"] + sum(parts.values())
    most = _most(citations)
    if total > most:
        parts["place"] = round(parts["place"] + most - total, 4)
        total = most
    # the rules know more words for a choice, and more ways to deny, than the check of their quotations
    settled = _PARAPHRASES if field.belief is not None else frozenset()
    doubts = [_AT_MOST[code] for code in field.warnings if code in _AT_MOST and code not in settled]
    if features["value_not_quoted"] and features["value_elsewhere"]:
        doubts.append(_NOWHERE_QUOTED)
    if doubts:
        most = _log_odds(min(doubts))
        parts["evidence"] = round(parts["evidence"] + min(0.0, most - total), 4)
        total = min(total, most)
    likely = _probability(total)
    if _is_undecided(field):
        most = _log_odds(_UNDECIDED)
        parts["agreement"] = round(parts["agreement"] + min(0.0, most - total), 4)
        total = min(total, most)
    elif field.belief is not None and likely > _ALONE_FROM and len(_stating(citations)) < 2:
        # pressed together instead of cut off at one number
        most = _log_odds(_ALONE_FROM + _ALONE_BY * (likely - _ALONE_FROM))  # the order stays
        parts["agreement"] = round(parts["agreement"] + most - total, 4)
        total = most
    return FieldConfidence(field.field_key, round(_probability(total), 4), parts)


def _is_undecided(field: ExtractedField) -> bool:
    """Tell whether the extractor gave two values and no document's day tells which holds.

    What rules believe has been weighed against its rivals already.
    """
    return field.belief is None and any(one.reason == "conflicting" for one in field.candidates)


def _stating(citations: Sequence[Citation]) -> set[str]:
    """Return the documents that have a place of the value, of those that print one line alike a single one.

    A register that is printed again says nothing new of its older rows, nor does a letter that is sent twice.
    """
    lines: dict[str, set[str]] = {}
    for c in citations:
        if c.status is not CitationStatus.UNRESOLVED and c.block:
            lines.setdefault(c.source_id, set()).add(" ".join(c.snippet_text.lower().split()))
    kept: dict[str, set[str]] = {}
    for source_id, said in lines.items():
        long = {line for line in said if len(line.split()) >= _LINE}
        if long < said or not any(long & other for other in kept.values()):
            kept[source_id] = said
    return set(kept)


def _probability(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))


def _log_odds(probability: float) -> float:
    return math.log(probability / (1.0 - probability))


def _most(citations: Sequence[Citation]) -> float:
    """Return the log-odds that a value may have at most: no more than its best place, if none is resolved.

    What was quoted is not what the document says there; few such answers are in the data of the fit.
    """
    if not citations:
        return _log_odds(_UNCITED)
    if any(citation.status is CitationStatus.RESOLVED for citation in citations):
        return math.inf
    best = max(c.confidence if c.status is CitationStatus.FLAGGED else 0.0 for c in citations)
    return _log_odds(min(max(best, _LEAST), _SUREST))

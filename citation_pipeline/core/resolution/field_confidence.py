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
    "place": ("no_place", "doubt_of_place", "unplaced", "flagged", "value_elsewhere", "ambiguous"),
    "evidence": ("value_not_quoted", "not_in_source", "negation", "other_warnings", "uncited"),
    "type": ("boolean", "enum", "array", "string", "date", "long_text", "items"),
    "agreement": ("one_source", "more_sources", "contradicted", "other_candidates"),
    "extractor": ("said_low", "said_medium", "said_nothing", "inferred"),
}
"""Part to the features that it is added up from."""

SURE = 0.95
"""From here on a field counts as sure: of a hundred such fields at least 97 are right."""

_LONG_TEXT = 8  # words
_VALUE_CODES = frozenset({"value_not_in_snippet", "enum_not_in_snippet"})
_NEGATION_CODES = frozenset({"negation_in_snippet", "no_negation_in_snippet"})
_KNOWN_CODES = (
    _VALUE_CODES | _NEGATION_CODES | {"uncited", "snippet_not_in_source", "conflicting_values", "retyped"}
)


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
        field.field_key: _confidence_of(field, cited.get(field.field_key, ()))
        for field in fields
        if field.value is not None
    }


def features_of(field: ExtractedField, citations: Sequence[Citation]) -> dict[str, float]:
    """Return what the model weighs; every feature is 0 for a value without any doubt."""
    located = [c for c in citations if c.status is not CitationStatus.UNRESOLVED and c.block]
    best = max(located, key=lambda c: (c.status is CitationStatus.RESOLVED, c.confidence), default=None)
    warnings = set(field.warnings)
    sources = {c.source_id for c in located}
    others = [c for c in field.candidates if not same_value(c.value, field.value, field.value_type)]
    words = len(str(field.value).split()) if field.value_type == "string" else 0
    count = max(1, len(citations))
    return {
        "no_place": float(best is None),
        "doubt_of_place": 1.0 - best.confidence if best is not None else 0.0,
        "unplaced": (len(citations) - len(located)) / count,
        "flagged": sum(c.status is CitationStatus.FLAGGED for c in located) / count,
        "value_elsewhere": float(best is not None and not any(c.value for c in located)),
        "ambiguous": float(best is not None and len(best.candidates) > 1),
        "value_not_quoted": float(bool(warnings & _VALUE_CODES)),
        "not_in_source": float("snippet_not_in_source" in warnings),
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
        "said_low": float(field.confidence is Confidence.LOW),
        "said_medium": float(field.confidence is Confidence.MEDIUM),
        "said_nothing": float(field.confidence is None),
        "inferred": float(field.provenance is Provenance.INFERRED),
    }


@cache
def weights() -> Mapping[str, float]:
    """Return the fitted weight of each feature, and the `intercept`."""
    text = (resources.files("citation_pipeline.core.resolution") / "field_weights.json").read_text("utf-8")
    fitted: dict[str, float] = json.loads(text)["weights"]
    return fitted


def _confidence_of(field: ExtractedField, citations: Sequence[Citation]) -> FieldConfidence:
    features = features_of(field, citations)
    fitted = weights()
    parts = {
        part: round(sum(fitted.get(name, 0.0) * features[name] for name in names), 4)
        for part, names in PARTS.items()
    }
    total = fitted["intercept"] + sum(parts.values())
    return FieldConfidence(field.field_key, round(1.0 / (1.0 + math.exp(-total)), 4), parts)

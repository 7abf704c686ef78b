"""Whether a claim's papers speak of a field at all: where they do and nothing was read, silence says less."""

from collections.abc import Iterable, Sequence

from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.values.spans import fold_words

MENTIONED = "topic_mentioned"
"""The warning of a field without a value, of whose subject some paper speaks."""

_LOOKED_AT = 20_000  # characters of a paper
_STEM = 5  # letters
_LEAST_WORDS = 2  # of a label: a single word, as `status`, is in any paper
# what many fields' names have says nothing of their subject
_OF_ANY_FIELD = frozenset(
    [
        "is",
        "has",
        "date",
        "name",
        "number",
        "type",
        "status",
        "list",
        "description",
        "amount",
        "total",
        "potential",
    ]
)


def words_of(texts: Iterable[str]) -> list[str]:
    """Return each paper's words, folded and parted by blanks, with one at either end."""
    return [f" {' '.join(fold_words(text[:_LOOKED_AT]))} " for text in texts]


def is_mentioned(rules: FieldRules, papers: Sequence[str]) -> bool:
    """Tell whether any paper has one of the field's labels or hints, or the papers all words of its name."""
    phrases = [*rules.labels, *(tuple(fold_words(hint)) for hint in rules.field.hints)]
    spoken = {f" {' '.join(phrase)} " for phrase in phrases if len(phrase) >= _LEAST_WORDS}
    if any(phrase in paper for phrase in spoken for paper in papers):
        return True
    name = [word for word in rules.field.key.rpartition(".")[2].split("_") if word not in _OF_ANY_FIELD]
    return bool(name) and all(any(f" {word[:_STEM]}" in paper for paper in papers) for word in name)

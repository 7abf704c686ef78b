"""A field's answer: the value where it is believed, the candidates where it is not, with their snippets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from citation_pipeline.core.extraction import Confidence, ExtractedField, Provenance, Snippet, ValueCandidate
from citation_pipeline.core.rules.belief import (
    BELIEVED,
    belief_of,
    belief_of_item,
    is_perhaps_overtaken,
    least_belief,
    newest_day,
)
from citation_pipeline.core.rules.choice import value_key
from citation_pipeline.core.rules.choices import Choice
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.readers.candidates import Candidate
from citation_pipeline.core.rules.readers.lists import plain_items
from citation_pipeline.core.rules.soundness import is_sound
from citation_pipeline.core.schemas import Field

# Three places are enough for a reviewer; more would bury the best.
_MOST_CITATIONS = 3
_MOST_CANDIDATES = 4
_HIGH = 0.95
OVERTAKEN = "perhaps_overtaken"


def answer(
    field: Field, rules: FieldRules, choice: Choice | None, readings: Mapping[int, DocumentReading]
) -> ExtractedField:
    """Return the field as it may be shown: what is not believed stands among the candidates."""
    if choice is None:
        return ExtractedField(field_key=field.key, value=None, value_type=field.value_type)
    newest = newest_day([reading.date for reading in readings.values()])
    if rules.kind == "list" and choice.items:
        return _list_answer(field, rules, choice, readings, newest)
    belief = belief_of(choice, rules, newest=newest)
    snippets = tuple(_snippets(choice.support, readings))
    losing = tuple(_losing(choice, rules, readings))
    if belief < least_belief(choice, len(readings)):
        chosen = ValueCandidate(
            value=choice.value,
            reason="conflicting" if choice.has_conflict else "weak_evidence",
            confidence=round(belief, 3),
            date=_day(choice.support),
            snippets=snippets,
        )
        # beside a value that is not believed, no other can be older than it
        losing = tuple(replace(one, reason="conflicting") for one in losing)
        return ExtractedField(field.key, None, field.value_type, candidates=(chosen, *losing))
    return ExtractedField(
        field_key=field.key,
        value=choice.value,
        value_type=field.value_type,
        snippets=snippets,
        confidence=_as_word(belief),
        belief=round(belief, 4),
        provenance=Provenance.INFERRED if choice.is_derived else Provenance.EXTRACTED,
        warnings=(
            *(("conflicting_values",) if choice.has_conflict else ()),
            *_age_of((*choice.support, *choice.weaker), rules, readings),
        ),
        candidates=losing,
    )


def _list_answer(
    field: Field,
    rules: FieldRules,
    choice: Choice,
    readings: Mapping[int, DocumentReading],
    newest: str,
) -> ExtractedField:
    """Return the list of the items that are believed; each other item is a candidate of its own."""
    beliefs = [
        belief_of_item(support, rules, denied=choice.others, newest=newest) for support in choice.item_support
    ]
    kept = [n for n, belief in enumerate(beliefs) if belief >= BELIEVED]
    like_items = sum(is_sound(item.value, rules) for item in choice.items)
    if 2 * len(kept) < like_items:
        kept = []  # where most of a list is doubted, something else was read as the list
    doubted = sorted((n for n in range(len(beliefs)) if n not in kept), key=lambda n: -beliefs[n])
    candidates = tuple(
        ValueCandidate(
            value=plain_items([choice.items[n]], rules),
            reason="weak_evidence",
            confidence=round(beliefs[n], 3),
            date=_day([candidate for candidate, _ in choice.item_support[n]]),
            snippets=tuple(_list_snippets(replace(choice, item_support=[choice.item_support[n]]), readings)),
        )
        for n in doubted[:_MOST_CANDIDATES]
    )
    if not kept:
        return ExtractedField(field.key, None, field.value_type, candidates=candidates)
    shown = replace(
        choice,
        items=[choice.items[n] for n in kept],
        item_support=[choice.item_support[n] for n in kept],
    )
    return ExtractedField(
        field_key=field.key,
        value=plain_items(shown.items, rules),
        value_type=field.value_type,
        snippets=tuple(_list_snippets(shown, readings)) or tuple(_snippets(shown.support, readings)),
        confidence=_as_word(min(beliefs[n] for n in kept)),
        belief=round(min(beliefs[n] for n in kept), 4),
        warnings=_age_of([told for own in shown.item_support for told, _ in own], rules, readings),
        candidates=candidates,
    )


def _age_of(
    told: Sequence[Candidate], rules: FieldRules, readings: Mapping[int, DocumentReading]
) -> tuple[str, ...]:
    """Return the warning of what changes and no paper of the claim's last weeks tells."""
    newest = max((reading.date for reading in readings.values()), default="")
    return (OVERTAKEN,) if is_perhaps_overtaken(told, rules, newest=newest) else ()


def _losing(
    choice: Choice, rules: FieldRules, readings: Mapping[int, DocumentReading]
) -> Iterator[ValueCandidate]:
    """Return the other values that documents state: of an older day superseded, else conflicting."""
    groups: dict[object, list[Candidate]] = {}
    for candidate in sorted(choice.others, key=lambda c: (c.as_of, c.weight), reverse=True):
        if not candidate.is_list:
            groups.setdefault(value_key(rules, candidate.value), []).append(candidate)
    latest = _day(choice.support) or ""
    for group in list(groups.values())[: _MOST_CANDIDATES - 1]:
        day = _day(group)
        yield ValueCandidate(
            value=group[0].value,
            reason="superseded" if day and day < latest else "conflicting",
            date=day,
            snippets=tuple(_snippets(group, readings)),
        )


def _day(candidates: Sequence[Candidate]) -> str | None:
    return max((c.as_of for c in candidates), default="") or None


def _as_word(belief: float) -> Confidence:
    return Confidence.HIGH if belief >= _HIGH else Confidence.MEDIUM


def _snippets(support: Sequence[Candidate], readings: Mapping[int, DocumentReading]) -> Iterator[Snippet]:
    """Cite the best places, one a document before a second of the same."""
    chosen: list[Candidate] = []
    seen: set[int] = set()
    for candidate in support:
        if candidate.source not in seen:
            seen.add(candidate.source)
            chosen.append(candidate)
    for index, candidate in enumerate(chosen[:_MOST_CITATIONS]):
        yield snippet_of(candidate.unit, readings[candidate.source], index=index, item_path="")


def _list_snippets(choice: Choice, readings: Mapping[int, DocumentReading]) -> Iterator[Snippet]:
    index = 0
    for number, support in enumerate(choice.item_support):
        used: set[int] = set()
        best = sorted(support, key=lambda pair: (round(pair[0].weight, 1), pair[0].as_of), reverse=True)
        for candidate, item in best:
            if candidate.source in used or len(used) >= 2:
                continue
            used.add(candidate.source)
            yield snippet_of(item.unit, readings[candidate.source], index=index, item_path=f"[{number}]")
            index += 1


def snippet_of(unit: Passage, reading: DocumentReading, *, index: int, item_path: str) -> Snippet:
    """Return the words of a passage as a snippet; offsets only where the words follow one another."""
    words = reading.document.words
    ids = unit.words
    together = all(b == a + 1 for a, b in zip(ids, ids[1:], strict=False))
    start, end = int(words.text_start[ids[0]]), int(words.text_end[ids[-1]])
    text = reading.document.text[start:end] if together else " ".join(words.texts[word] for word in ids)
    return Snippet(
        source_id=reading.document.source.source_id,
        text=" ".join(text.split()),
        citation_index=index,
        item_path=item_path,
        page=int(words.page[ids[0]]),
        start_offset=reading.document.text_offset + start if together else None,
        end_offset=reading.document.text_offset + end if together else None,
    )

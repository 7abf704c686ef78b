"""How far a piece of evidence speaks of what the question is about, and whether it speaks of something else.

Names, parts of the body, sides, numbers and dates; what a question is about is read in `subjects`.
"""

from collections.abc import Sequence

from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.subjects import RELATIVES, Subjects, names_in
from citation_pipeline.core.retrieval.terms import words_of
from citation_pipeline.core.retrieval.typed_answers import find_typed


def subject_features(
    subjects: Subjects,
    statement: Statement,
    page: frozenset[str] = frozenset(),
    authors: frozenset[str] = frozenset(),
) -> dict[str, float]:
    """Measure how far the evidence speaks of the question's subjects, and whether it speaks of others.

    What a document says is said by its `authors`, which are words of their names.
    """
    asked, missing, near, other = 0, 0.0, 0.0, 0.0
    beside = statement.own_words | statement.near_words | authors
    if subjects.names:
        count = len(subjects.names)
        words = [part for name in subjects.names for part in name.split("-")]
        own = names_in(words, statement.own_words) / len(words)
        around = names_in(words, beside) / len(words)
        asked += count
        near += count * (around - own)
        missing += count * (1 - around)
    for wanted, own_ones, near_ones in (
        (subjects.body_parts, statement.own_parts[0], statement.near_parts[0]),
        (subjects.sides, statement.own_parts[1], statement.near_parts[1]),
    ):
        if not wanted:
            continue
        asked += 1
        if wanted & own_ones:
            continue
        other += bool(own_ones)
        if wanted & near_ones:
            near += 1
        else:
            missing += 1
            other += 0.5 * bool(near_ones)
    if subjects.identifiers:
        asked += 1
        where = _place_of_number(subjects.identifiers, statement, page)
        near += where == "page"
        missing += not where
    if subjects.dates:
        asked += 1
        missing += not _speaks_of(subjects.dates, statement)
    words = [part for name in subjects.names for part in name.split("-")]
    here = beside | page
    return {
        "name_missing": 1.0 - names_in(words, here) / len(words) if words else 0.0,
        "owner_missing": float(
            bool(subjects.owners) and names_in(subjects.owners, beside) < len(subjects.owners)
        ),
        "procedure_missing": float(bool(subjects.procedures - statement.procedures)),
        "proceeding_missing": float(bool(subjects.proceedings - statement.proceedings)),
        "relative_missing": float(_lacks_relative(subjects, statement)),
        "subject_missing": missing / asked if asked else 0.0,
        "subject_near": near / asked if asked else 0.0,
        "subject_found": 1.0 - (missing + near) / asked if asked else 0.0,
        "subject_other": min(1.0, other),
    }


def _place_of_number(numbers: Sequence[str], statement: Statement, page: frozenset[str]) -> str:
    """Return where a number stands: in the statement, on its page (decisions carry it once), or nowhere."""
    text = f"{statement.label} {statement.text}".lower()
    if any(number in text for number in numbers):
        return "statement"
    return "page" if any(page.issuperset(words_of(number)) for number in numbers) else ""


def _lacks_relative(subjects: Subjects, statement: Statement) -> bool:
    """Tell whether a relative's own thing is asked for, and nothing around the statement names a relative."""
    words = statement.own_words | statement.near_words
    return any(role in RELATIVES and role not in words for role in subjects.roles)


def _speaks_of(dates: Sequence[str], statement: Statement) -> bool:
    text = f"{statement.label} {statement.text} {statement.context}"
    own = [statement.dated, *(str(value.value) for value in find_typed(text, "date"))]
    # a day without its year is met by that day of any year
    return any(day in dates or f"-{day[4:]}" in dates for day in own if day)

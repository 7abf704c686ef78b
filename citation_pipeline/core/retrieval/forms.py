"""Whether a statement has the form of an answer: a value of the kind, a name, a finding, a reason, a sum.

Measures only; the weights are fitted, and what a statement is about is measured in `evidence`.
"""

import re
from collections.abc import Sequence

from citation_pipeline.core.retrieval.party_names import is_plainly_worded, is_titled
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.statements.statement import LABELLED, Statement
from citation_pipeline.core.retrieval.statements.sums import SUM
from citation_pipeline.core.retrieval.terms import light_terms, term_set
from citation_pipeline.core.retrieval.typed_answers import (
    counts_unit,
    is_measured_as_asked,
    is_total,
    lasts,
    polarity,
)
from citation_pipeline.core.retrieval.typed_value import TypedValue

_LABEL_WORDS = 8
_GREETING = re.compile(r"(?i)(?:dear|to whom|re:|subject:|from:|to:|cc:|sincerely|i declare under penalty)\b")
# what is wanted, offered or possible, and not what is: no answer unless it is asked for
_SUPPOSING = re.compile(
    r"(?i)\b(?:demand|offer|propos|request|ask(?:s|ed|ing)? for|authority|would|could|might|may|if|"
    r"draft|estimat|expect|anticipat|reques|consider|unless|pending)\w*"
)


# "what did the films show", "how did the MRI read": only what was found answers, not that a film was taken
_ASKS_FINDING = re.compile(
    r"(?i)\b(?:show(?:ed|n)?|reveal(?:ed)?|find(?:ings?)?|found|demonstrate[ds]?|result(?:s|ed)?|read)\b"
)
_EXAMINED = re.compile(
    r"(?i)\b(?:mri|x-?rays?|films?|ct|scans?|emg|ncs|ultrasound|imaging|radiographs?|study|studies|tests?|"
    r"exam(?:ination)?|surveillance|video|footage|search|audiogram)\b"
)
_FINDING = re.compile(
    r"(?i)\b(?:show(?:s|ed|ing)?|reveal(?:s|ed)?|findings?|impression|demonstrat(?:e[sd]?|ing)|conclusion|"
    r"found|finds|noted|evidence of|no (?:fracture|acute)|unremarkable|normal|abnormal|mild|moderate|severe|"
    r"tears?|bulge|stenosis|consistent with|negative|positive|measur(?:es|ed|ing)|observed|seen)\b"
)

_ASKS_WHY = re.compile(
    r"(?i)\b(?:why|how come|what for|on what ground|for what reason|what(?: was| is)? the reason)\b"
)
_REASON = re.compile(
    r"(?i)\b(?:because|since|due to|owing to|on account of|as (?:he|she|it|they)|so that|in order to|"
    r"reasons?|in error|by mistake|made (?:him|her|it|them)|caus\w+|result(?:s|ed)? (?:in|of|from)|without|"
    r"had (?:been|no|not|to|two|a)|(?:could|would|did|was|were) not|failed|lack\w*)\b"
)

_DID = (
    r"(?:done|performed|taken|obtained|ordered|set|scheduled|received|filed|assigned|given|made|issued|known|"
    r"available|provided|found|produced|offered|identified|named|stated|rated|determined|assessed|happened|"
    r"completed|undergone|read|reported|printed|disclosed|selected|appointed|in yet|paid)"
)
_UNDONE = re.compile(
    rf"(?i)\b(?:not|never)(?: (?:yet|been|be|being|ever|so far))* {_DID}\b"
    rf"|\b(?:has|have|had|did|does|was|were|is) not(?: yet)?(?: (?:been|be))? {_DID}\b"
    rf"|\bno (?:[\w-]+ ){{1,3}}(?:was|were|is|are|has|have|had)(?: (?:yet|been|ever))* {_DID}\b"
    r"|\b(?:offers?|gave|gives?|made|assigned|assigns?|stated|states?) no\b"
)

OPEN_KINDS = ("text", "boolean", "place")
"""Kinds of question that a statement may answer without a value of that form."""


def clause_of(text: str, typed: TypedValue) -> str:
    """Return the words around a value up to the next stop or comma."""
    before, after = text[: typed.start], text[typed.end :]
    return re.split(r"[,;.]\s", before)[-1] + " " + re.split(r"[,;.]\s", after)[0]


def form_features(
    question: Question, statement: Statement, typed: TypedValue | None, values: Sequence[TypedValue]
) -> dict[str, float]:
    """Measure whether a statement has the form of an answer at all."""
    text = statement.text.strip()
    own = text if typed is None else clause_of(statement.text, typed)
    is_open = question.kind in OPEN_KINDS
    found = {
        "has_kind": float(typed is not None and not is_open),
        "lacks_kind": float(typed is None and not is_open or question.kind == "text" and _is_bare(text)),
        "undone": float(question.kind != "boolean" and typed is None and _is_undone(question, statement)),
        "one_value": 1.0 / len(values) if values and not is_open else 0.0,
        "place_value": float(question.kind == "place" and typed is not None),
        "only_asks": float(text.endswith("?") or len(text) < 2),
        "torn_label": float(statement.kind == "pair" and len(statement.label.split()) > _LABEL_WORDS),
        "repeats": float(not statement.says_more_than(question.terms)),
        "denies": float(
            question.kind in ("date", "money", "person", "firm") and not polarity(statement.text)
        ),
        "short": float(len(text) < 12 and is_open),
        "words": min(1.0, len(text.split()) / 40),
        "supposes": float(bool(_SUPPOSING.search(own)) and not _SUPPOSING.search(question.text)),
        "greets": float(bool(_GREETING.match(text))),
        "is_heading": float(is_open and _is_heading(text)),
        "is_whole_value": float(typed is not None and len(typed.text) > 0.7 * len(text)),
    }
    if question.wants_total and typed is not None and statement.kind != SUM:
        around = f"{statement.label} {text}" if statement.kind in LABELLED else text
        shift = len(around) - len(text)
        moved = TypedValue(typed.value, typed.text, typed.start + shift, typed.end + shift)
        found["totals"] = float(is_total(around, moved))
        found["totals_not"] = 1.0 - found["totals"]
    if question.is_lasting and question.kind == "number":
        found["lasts"] = float(typed is not None and lasts(typed))
        found["lasts_not"] = float(typed is not None and not lasts(typed))
    if question.unit and question.kind == "number" and typed is not None:
        is_counted = counts_unit(statement.text, typed, question.unit)
        found["counts"], found["counts_other"] = float(is_counted), float(not is_counted)
    if question.kind == "number" and typed is not None:
        fits = is_measured_as_asked(question.text, statement.text, typed, statement.label)
        found["unit_fits"], found["unit_other"] = float(fits is True), float(fits is False)
    if question.kind == "person" and typed is not None:
        found["name_plain"] = float(is_plainly_worded(typed.text))
        found["name_titled"] = float(is_titled(typed.text))
    if question.kind == "text" and _ASKS_FINDING.search(question.text) and _EXAMINED.search(question.text):
        around = f"{statement.context} {statement.label} {text}"
        found["finding"] = float(bool(_FINDING.search(around)))
        found["finding_missing"] = 1.0 - found["finding"]
    if question.kind == "text" and _ASKS_WHY.search(question.text):
        found["reason"] = float(bool(_REASON.search(text)))
        found["reason_missing"] = 1.0 - found["reason"]
    if question.kind == "text":
        found["text_pair"] = float(statement.kind in LABELLED)
    if question.kind == "boolean":
        found["boolean_own"] = float(question.predicate in (statement.text_terms | statement.label_terms))
    return found


def _is_bare(text: str) -> bool:
    """Tell whether a text is a figure alone, which is no answer in words."""
    return not any(character.isalpha() for character in text)


def _is_undone(question: Question, statement: Statement) -> bool:
    """Tell whether the clause with the question's words says that it was not done, or is not known.

    "EMG not done" is no answer to what the EMG showed; who asks for what was refused is told so.
    """
    if _UNDONE.search(question.text):
        return False
    asked = set(question.terms) - light_terms()
    clauses = re.split(
        r"[;.]\s", f"{statement.label}: {statement.text}" if statement.label else statement.text
    )
    return any(_UNDONE.search(clause) and asked & term_set(clause) for clause in clauses)


def _is_heading(text: str) -> bool:
    words = text.split()
    return (
        len(words) <= 8
        and not any(c.isdigit() for c in text)
        and all(w[:1].isupper() for w in words if len(w) > 3)
    )

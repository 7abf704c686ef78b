"""Evidence that answers another question: of another person, part of the body, number, date or decision.

It is shown as a near miss with the reason, and never as the answer.
"""

import re

from citation_pipeline.core.retrieval.evidence import Evidence
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.terms import term_of
from citation_pipeline.core.retrieval.typed_answers import find_typed

_DAY = re.compile(r"[12]\d{3}-\d\d-\d\d")
_UNSAID = 0.5
"""How telling a word of a question for somebody has to be that neither the field nor its place has: the ditch
company is not the employer. Of 375 labelled questions five lose a wrong
answer by it, none a right one."""


_OTHER_CODE = 0.8
"""How telling a word has to be that neither a number's field nor its place has: a part's is no claim's."""
_NAMES = re.compile(r"\bnames\b")
_TIMELESS = frozenset(["person", "firm", "place", "code", "phone", "email", "law", "date"])
_FIGURES = frozenset(["money", "number", "percent"])


def _lacks_roles(question: Question, evidence: Evidence) -> bool:
    """Tell whether nothing around a number to call says whose it is: the witness's, or the form's own."""
    roles = {term_of(role) for role in question.subjects.roles}
    statement = evidence.statement
    around = statement.label_terms | statement.text_terms | statement.context_terms | statement.title_terms
    return bool(roles) and roles.isdisjoint(around)


def _is_figure_or_day(evidence: Evidence) -> bool:
    """Tell whether a field's value can be nothing else: a number, a day, a yes or a no is nobody's name."""
    value = evidence.value
    return isinstance(value, bool | int | float) or bool(_DAY.fullmatch(str(value)))


def _is_of_other_time(question: Question, evidence: Evidence) -> bool:
    """Tell whether a month is asked about, or a figure of a year, and nothing at the place is of it.

    Of 1,760 answers to labelled questions none of these was right. Who somebody is, is told all over.
    """
    features, kind = evidence.features, question.kind
    prefix = "field_" if evidence.field_key else ""
    return (bool(features.get(f"{prefix}month_missing")) and kind not in _TIMELESS) or (
        bool(features.get(f"{prefix}year_missing")) and kind in _FIGURES
    )


def _is_other_figure(question: Question, evidence: Evidence) -> bool:
    """Tell whether a number or a sum is of something else: no telling word of the question is its own.

    An abbreviation that the claim prints nowhere is of nothing that the claim has.
    """
    measured = evidence.features.get
    if measured("field_abbreviation_unknown"):
        return True
    unsaid, residual = measured("field_plain_worst", 0.0), measured("field_residual", 0.0)
    if question.kind == "code":
        return unsaid >= _OTHER_CODE and residual >= _UNSAID and measured("field_similarity", 0.0) < _UNSAID
    return question.kind == "money" and unsaid >= 1.0 and residual >= 1.0


def _names_nobody(question: Question, evidence: Evidence) -> bool:
    """Tell whether names of people are asked for, and a text has none: "a couple of coworkers"."""
    if question.kind != "text" or evidence.field_key or not _NAMES.search(question.clause):
        return False
    return not find_typed(evidence.statement.text, "party")


def near_miss_of(question: Question, evidence: Evidence) -> str:
    """Return why the evidence is about something else, "" when it is not."""
    subjects = question.subjects

    def measured(name: str) -> float:
        return evidence.features.get(f"field_{name}", evidence.features.get(name, 0.0))

    if (
        measured("other_person")
        or measured("owner_missing")
        or measured("other_role")
        or measured("relative_missing")
        or (subjects.names and measured("name_missing") >= 1.0)
    ):
        return "it does not speak of the person or firm that was asked about"
    if question.kind in ("phone", "email") and not evidence.field_key and _lacks_roles(question, evidence):
        return "it does not speak of the person or firm that was asked about"
    if measured("lacks") and evidence.field_key and _is_figure_or_day(evidence):
        return "it is of another kind than what was asked for"
    if question.kind in ("firm", "person") and evidence.features.get("field_plain_worst", 0.0) >= _UNSAID:
        return "it does not say what the person or firm that was asked about is"
    if _is_other_figure(question, evidence):
        return "it does not say what the thing that was asked about is"
    if _names_nobody(question, evidence):
        return "it names nobody"
    if measured("other_period"):
        return "it is paid by another span of time than the one that was asked about"
    if measured("subject_other") > 0:
        return "it speaks of another part of the body, or of the other side"
    if evidence.features.get("procedure_missing") or evidence.features.get("field_item_procedure_other"):
        return "it does not speak of the operation or test that was asked about"
    if measured("undone"):
        return "the documents say that it was not done, or is not known"
    if measured("proceeding_missing"):
        return "it is not of the proceeding that was asked about"
    if measured("agent_missing"):
        return "somebody else than the one asked about says so"
    if measured("is_asked_about"):
        return "it is the party that the question itself names"
    if measured("label_of_other"):
        return "its label names another party than the one that was asked about"
    if measured("part_of_sum"):
        return "it is one of the rows that add up to what was asked about"
    if measured("none"):
        return "the documents say that there is none"
    if measured("other_state"):
        return "it is the date of another decision"
    if _is_of_other_time(question, evidence):
        return "it is not of the date that was asked about"
    return _lacks_subject(question) if measured("subject_missing") and not subjects.names else ""


def _lacks_subject(question: Question) -> str:
    """Return what the evidence lacks of a question's subjects, as a reason."""
    subjects = question.subjects
    if subjects.body_parts or subjects.sides:
        return "it does not say that it is about the part of the body that was asked about"
    if subjects.identifiers:
        return "it does not carry the number that was asked about"
    return "it is not of the date that was asked about" if subjects.dates else ""

"""What a question asks for: its terms, and the kind of answer it expects.

Says nothing about documents; finding the answer is `answering`'s work.
"""

import re
from dataclasses import dataclass

from citation_pipeline.core.retrieval.terms import LIGHT_TERMS, fold_text, term_set, terms_of

_DATE = re.compile(
    r"^(?:on )?(?:what|which) (?:date|day)\b|^when\b|\bwhat date\b|\bdate\b|\bwhat day\b|"
    r"^(?:until|by|since|from) when|birthday"
)
_MONEY = re.compile(
    r"how much\b|\b(?:amount|cost|costs|price|sum|fee|wage|salary|rate|pay|earn|earns|earned|paid|"
    r"reserve|reserves|incurred|balance|"
    r"deducted|allowed|billed|charge|dollar|dollars|demand|payments|total of)\b"
)
_PERCENT = re.compile(
    r"\bpercent(?:age)?\b|\bwpi\b|impairment rating|\bapportion|pd rating|whole person|disability rating"
)
_TO_DATE = re.compile(r"\b(?:to|up to) date\b")
_CODE = re.compile(
    r"\b(?:number|no|code|id|identifier|license)\b(?! of\b(?! the (?:claim|policy|case|insurer|carrier)))"
)
_RECENT = re.compile(
    r"\b(?:now|current|currently|latest|most recent|most recently|newest|as of today|today)\b"
)
_COUNT = re.compile(
    r"^how many\b|\bthe number of\b|^how (?:old|far|long|tall|heavy|often)\b|\bweigh|\bheight\b"
)
_PERSON = re.compile(
    r"^who\b|^whose\b|^whom\b|\bname of the (?:doctor|physician|surgeon|judge|adjuster|examiner|attorney)"
)
_PHONE = re.compile(r"\b(?:phone|telephone|fax|facsimile)\b")
_EMAIL = re.compile(r"\be-?mail(?: address)?\b")
_BOOLEAN = re.compile(
    r"^(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|should)\b(?!.*\bor\b.*\?)"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its terms, in order, and the kind of its answer; `wants_latest` when it says "now".

    `predicate` is the term that a yes or no is about, mostly the last.
    """

    text: str
    terms: tuple[str, ...]
    kind: str
    wants_latest: bool = False
    predicate: str = ""


def read_question(text: str) -> Question:
    """Read a question; one without a term (only stop words) has none and finds nothing."""
    folded = _TO_DATE.sub(" ", fold_text(text)).strip(" ?.!")
    terms = tuple(dict.fromkeys(terms_of(_RECENT.sub(" ", fold_text(text)))))
    terms = terms or tuple(sorted(term_set(text)))
    telling = [term for term in terms if term not in LIGHT_TERMS]
    return Question(
        text=text.strip(),
        terms=terms,
        kind=_kind(folded),
        wants_latest=bool(_RECENT.search(folded)),
        predicate=telling[-1] if telling else "",
    )


def _kind(folded: str) -> str:
    if _BOOLEAN.match(folded):
        return "boolean"
    if _EMAIL.search(folded):
        return "email"
    if _DATE.search(folded) and not folded.startswith(("who", "where", "why", "how much", "what happened")):
        return "date"
    if _PERSON.search(folded):
        return "person"
    if _PHONE.search(folded):
        return "phone"
    if _COUNT.search(folded):
        return "number"
    if _CODE.search(folded) and folded.startswith(("what", "which", "under")):
        return "code"
    if _PERCENT.search(folded):
        return "percent"
    if _MONEY.search(folded) and not folded.startswith(("why", "which", "where", "what kind", "what type")):
        return "money"
    return "place" if folded.startswith("where") else "text"

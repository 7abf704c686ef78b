"""Whether a text says a thing, denies it, or leaves it open: negation, condition, question, mere possibility.

Looks at the clause around a range of the text: the words that state something. What they state is for the
caller to know.
"""

import re
from enum import StrEnum


class Polarity(StrEnum):
    """How a text speaks of something."""

    ASSERTED = "asserted"
    NEGATED = "negated"
    OPEN = "open"


# Where another statement begins. A comma alone begins none: `no fraud, abuse or SIU referral` denies all.
_BOUNDARY = re.compile(
    r"(?<!\best)(?<!\bdr)(?<!\bdrs)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bno)(?<!\bst)(?<!\bapprox)(?<!\beff)(?<!\bappt)"
    r"(?<!\besq)(?<!\bjr)(?<!\bsr)(?<!\binc)(?<!\bco)(?<!\bcorp)"
    r"[.;!?\u2022](?=\s|$)|\u2022|\s[-\u2013\u2014]\s|"
    r",?\s+\b(?:but|however|although|though|whereas|while|because|since|nevertheless|instead|rather|except|"
    r"until)\b|"
    r",\s+(?=(?:and\s+)?(?:he|she|it|we|they|i|you|the|this|that|his|her|who|which|so|yet)\s)|"
    r"\s+and\s+(?=(?:he|she|it|we|they|i|you|no|none|nothing|nobody|never|cannot|can|could|do|does|did|have|has|had|"
    r"is|are|was|were|must|will|shall|should)\s)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:no|not|non|never|none|without|lacks?|lacking|neither|nor|cannot|den(?:y|ies|ied|ying)|declin(?:es?|ed|ing)|"
    r"refus(?:es?|ed|ing)|reject(?:s|ed|ing)?|rul(?:ed|es|ing)\s+out|withdr[ae]wn?|withdrew|rescind(?:ed)?|"
    r"disput(?:es?|ed|ing)|contest(?:s|ed|ing)?|absent|absence\s+of|fail(?:ed|s)?\s+to|ceased|"
    r"stopped|decided\s+against|no\s+longer|unlikely|un(?:represented|accepted)|ineligible)\b|n['\u2019]t\b|\bnon-",
    re.IGNORECASE,
)
# The other languages of letters and invoices. Their negations go together (`no ... nunca`, `nie ... nigdy`),
# so that two of them deny once; `no` is above.
_FOREIGN = (
    r"(?:\b(?:nunca|jam[a\u00e1]s|tampoco|ning[u\u00fa]n[ao]?|(?-i:[Ss]in)|(?-i:ni)|nieg[ao]n?|neg(?:\u00f3|aron)|rechaz\w+|"
    r"nicht|niemals|kein(?:e[nmrs]?)?|(?-i:[Oo]hne)|weder|abgelehnt|(?-i:[Nn]ie)|nigdy|\u017cad(?:en|na|ne|nego|nej)|"
    r"(?-i:[Bb]ez)|(?-i:ani)|odm[o\u00f3]wi\w+|odrzuc\w+|jamais|aucune?|refus\u00e9e?s?)\b|"
    r"(?:\bn['\u2019]\s?\w+|\bne\s+[\w'\u2019]+)(?:\s+\w+)?\s+(?:pas|plus|point)\b)"
)
_FOREIGN_BEFORE = re.compile(_FOREIGN, re.IGNORECASE)
_FOREIGN_AFTER = re.compile(rf"^(?:\s[\w'\u2019]+){{0,3}}?\s{_FOREIGN}", re.IGNORECASE)
# Words that look like a negation and are none: `no later than`, `not only`, `no doubt`.
_NO_NEGATION = re.compile(
    r"\bnot\s+only\b|\b(?:no|not)\s+(?:later|more|less|fewer|sooner|greater|longer)\s+than\b|\bnot\s+to\s+exceed\b|"
    r"\bno\s+(?:doubt|question)\b|\bwhether\s+or\s+not\b|\bno\.\s?[\dA-Z#]|\bnos\.\s|\bclaim\s+no\b|\bpolicy\s+no\b|"
    r"\bif\s+not\b|\bnot\s+(?:surprisingly|just|merely)\b|\bwithout\s+(?:delay|prejudice|objection|dispute)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[\s:=\u2013-]*(?:(?:is|was|were|are|has|have|had|been|being|will|would|can|could|do|does|did|be|claim|referral|"
    r"status|made|currently|yet|to|date|at|this|time|as|of|today|hereby|still|also|specifically)\s+)*"
    r"(?:not\b|never\b|n['\u2019]t\b|denied\b|declined\b|refused\b|rejected\b|ruled\s+out\b|withdrawn\b|none\b|no\b|"
    r"unfounded\b|negative\b|disputed\b|contested\b|excluded\b|false\b)|"
    r"^(?:[-\s]+(?!and\b|but\b|or\b)[\w'-]+){0,4}?\s+(?:is|was|were|are|has|have|had)(?:\s+\w+){0,2}?\s+"
    r"(?:not|never|neither|no\s+longer)\b|"
    r"^(?:[-\s]+(?!and\b|but\b|or\b)[\w'-]+){0,4}?\s+(?:never|neither)\b|"
    r"^(?:[-\s]+[\w-]+){0,4}?\s*(?:isn|wasn|aren|weren|hasn|haven|won|didn|doesn|don|can|couldn|wouldn)['\u2019]t\b",
    re.IGNORECASE,
)
# A printed line of dashes can be cut into words in more ways than there is time to try.
_FILLING = re.compile(r"[-\s]{2,}")
_OPEN = re.compile(
    r"^\W*should\b|\b(?:if|whether|should\s+(?:the|you|he|she|it|we|they|this|any)|unless|in\s+(?:the\s+)?(?:event|case)|"
    r"may(?!\s+(?:return|work|resume|perform|do|lift|drive|continue|go|be\s+released))|might|"
    r"could|would|possib(?:le|ly)|perhaps|maybe|consider(?:s|ed|ing)?|contemplat\w+|ask(?:s|ed)?\s+(?:about|whether|if)|"
    r"wonder\w*|question\s+of|pending|to\s+be\s+determined|tbd|undetermined|unknown|unclear|not\s+(?:yet\s+)?(?:known|clear|"
    r"determined|decided)|under\s+(?:review|consideration|investigation)|discuss(?:ed|ing)?|re(?:commend|quest)(?:s|ed|ing)?"
    r"|threaten\w*|hypothetical\w*|pretend\w*|suppos\w+|assum(?:e|es|ed|ing)|alleg(?:e|es|ed|ing|edly))\b",
    re.IGNORECASE,
)

# An expression that spells a negation means it.
_SPELLED = re.compile(
    r"(?<![a-z])(?:n\[|(?:no|not|non|never|none|without|n't|nor|neither|absent|ineligible)(?![a-z])|"
    r"(?:den|dis|un|reject|declin|ceas|stop|withdr|refus|rul)[a-z]*)",
    re.IGNORECASE,
)


def polarity_at(text: str, start: int, end: int) -> Polarity:
    """Return how the text speaks of what stands in a range of it.

    Negation inside the range is the range's own word and does not count: a cue that spells `not referred` is
    asserted where it stands plainly, and denied behind another negation.
    """
    before, after = _clause(text, start, end)
    count = len(_NEGATION.findall(_NO_NEGATION.sub(lambda m: " " * len(m[0]), before)))
    if count % 2 or _FOREIGN_BEFORE.search(before) or _FOREIGN_AFTER.match(_FILLING.sub(" ", after)):
        return Polarity.NEGATED
    if count == 0 and _AFTER.match(_FILLING.sub(" ", _NO_NEGATION.sub(" ", after))):
        return Polarity.NEGATED
    opening = _OPEN.search(before + text[start:end])
    if after.rstrip().endswith("?") or (opening is not None and opening.start() < len(before)):
        return Polarity.OPEN
    return Polarity.ASSERTED


_CONDITION = re.compile(
    r"^\W*should\b|\b(?:if|whether|unless|should\s+(?:the|you|he|she|it|we|they|this|any)|in\s+(?:the\s+)?(?:event|case)|"
    r"hypothetical\w*|pretend\w*|suppos\w+|assum(?:e|es|ed|ing))\b",
    re.IGNORECASE,
)


def is_conditional(text: str, start: int, end: int) -> bool:
    """Tell whether a text speaks of what stands in a range only as a condition or a question."""
    before, after = _clause(text, start, end)
    return bool(_CONDITION.search(before)) or after.rstrip().endswith("?")


def holds_negation(text: str) -> bool:
    """Tell whether a text denies anything at all."""
    return bool(_NEGATION.search(_NO_NEGATION.sub(" ", text)) or _FOREIGN_BEFORE.search(text))


def polarity_of(match: re.Match[str]) -> Polarity:
    """Return how a text speaks of what an expression found in it.

    A gap in the expression may have run over a negation that its own words do not hold.
    """
    polarity = polarity_at(match.string, *match.span())
    own = match[0]
    if match.groupdict().get("v"):
        # what the value itself says is the value's: `MRI without contrast`
        own = match.string[match.start() : match.start("v")] + match.string[match.end("v") : match.end()]
    swallowed = _NEGATION.search(_NO_NEGATION.sub(" ", own))
    spells_it = _SPELLED.search(match.re.pattern.replace(r"\b", " "))
    if polarity is Polarity.ASSERTED and swallowed and not spells_it:
        return Polarity.NEGATED
    return polarity


# A page of table cells without a stop is one "sentence" of thousands of words, looked at once for each of
# its labels: what is that far away says nothing of the words in question.
_FARTHEST = 600  # characters to either side


def clause_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the clause begins and ends that a range of the text is in."""
    first, last = max(0, start - _FARTHEST), min(len(text), end + _FARTHEST)
    begin = max((m.end() for m in _BOUNDARY.finditer(text, first, start) if m.end() <= start), default=first)
    close = _BOUNDARY.search(text, end, last)
    stop = last if close is None else close.start() + (text[close.start()] == "?")
    return begin, stop


def _clause(text: str, start: int, end: int) -> tuple[str, str]:
    begin, stop = clause_around(text, start, end)
    return text[begin:start], text[end:stop]

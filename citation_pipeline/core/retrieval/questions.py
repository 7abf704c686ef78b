"""What a question asks for: its terms, the kind of its answer, its subjects, and the time it is about.

Says nothing about documents; finding the answer is `answering`'s work.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from citation_pipeline.core.retrieval.idioms import plain_wording, without_contrast
from citation_pipeline.core.retrieval.subjects import Subjects, body_parts_of, months_of, read_subjects
from citation_pipeline.core.retrieval.terms import fold_text, light_terms, term_set, terms_of

_AUXILIARY = r"(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|should|any)"
_ASKING = r"(?:who|whose|whom|when|where|why|how|what|which|what's|who's)"
# a clause that asks, after whatever the asker says first: "Setting up her schedule - what limits ..."
_CLAUSE = re.compile(
    r"(?:^|[-–—:;,.!?]\s+)(?:(?:and|so|then)\s+)?"
    rf"(?=(?:{_ASKING}|{_AUXILIARY})\b"
    r"|(?:as of|on|by|in|at|from|until|through|since|for) (?:what|which|whose|whom|how)\b)"
    # "Audit: last day for which it was paid"
    r"|(?<=[-–—:] )(?=(?:the )?(?:last|first|next|final|date|day|name|amount|total|number|outcome|result)\b)"
)
_PREPOSED = re.compile(
    r"^(?:and|so|then) (?=the\b)|^(?:(?:on|by|in|at|under|to|from|for|through|until|till|since|up to|with|"
    r"against|of|as of|during)\s+)+"
    r"(?=(?:what|which|whom|when|whose|how)\b)"
)
# "or are we still waiting" asks for no choice between two things
_BOOLEAN = re.compile(rf"^{_AUXILIARY}\b(?!.*\bor\b(?! (?:not?|{_AUXILIARY})\b))|\byes or no\b")
_COMPOUND = re.compile(
    r"\b(?:and|or)\s+(?:(?:for|from|to|by|in|on|at|with|since|until|out of|under)\s+)?"
    r"(?:about\s+)?(?:who|whom|when|where|how|what|which|why)\b"
    r"|\(date and|\bcompared (?:with|to)\b|\bversus\b|\bas against\b"
)
_REMARK = re.compile(r"(.{6,}?)(?:\?\s+| +[-–—] +)(.{6,})$", re.DOTALL)
# what follows a whole question and asks nothing: "... these days? I know that the first one left."
_TOLD_AFTER = re.compile(
    rf"(?s)((?:(?:[\w'-]+ ){{0,2}}{_ASKING}|{_AUXILIARY})\b[^?]{{12,}})\?\s+"
    rf"(?!.*\?)(?!(?:(?:and|or|if (?:so|not),?|also|name|give|tell|what|date) |{_ASKING}\b|{_AUXILIARY}\b))"
    r".{6,}$",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"^(?:{_ASKING}|{_AUXILIARY})\b|\?")
_EMAIL = re.compile(r"\be-?mail(?: address)?\b")
_PHONE = re.compile(r"\b(?:phone|telephone|fax|facsimile|cell)\b(?: number| no\b| #|\b)")
_DATE = re.compile(
    r"^when\b|^(?:what|which) (?:\w+ )?(?:date|day)\b|^(?:the )?(?:first |last |final )?day\b|\bbirth ?date\b"
    r"|^(?:what|which) (?:is|was|will be) (?:the )?(?:[\w'-]+ )?(?:last|first|next|final) day\b"
    r"|^(?:the )?(?:next|upcoming) (?:\w+ )?(?:visit|appointment|hearing|diary)\b"
    r"|\b(?:date|birthday|dob|doi|deadline|cutoff)\b"
    r"|\b(?:last|first|next) day (?:of|on|paid|back|off|at|worked)\b|^since when|^until when"
    r"|\b(?:is|was|as of|by|since|until|from) when\b|\bwhen$|\bday (?:on|by|until|from|for|through) which\b"
)
_NO_DATE = re.compile(
    r"^(?:who|where|why|how|what happened|whose|whom)\b"
    # "policy no. for the DOI": the day is not asked for
    r"|^(?!when|(?:the )?(?:[\w'-]+ ){0,3}(?:date|day)\b(?! of (?:injury|loss|accident)$)).*"
    r"\b(?:for|on|at|as of|under) (?:the |this |that |his |her )?(?:doi|date of (?:injury|loss|accident))\b"
    r"|^(?!when|.*\bwhen$|(?:the )?(?:first|last|final) day|(?:what|which) (?:date|day))"
    r".*\b(?:pay|paid|cost)\b"
)
_CLOCK = re.compile(
    r"^(?:at |by )?what (?:time|hour)\b(?! of (?:year|month))"
    r"|^what (?:is|was) the (?:exact |start(?:ing)? |arrival )?time\b|\bstart(?:ing)? time$"
)
_MEASURE = re.compile(
    r"^(?:what|which) (?:is |was |were )?.*\b(?:grip|dynamometer|weigh|flexion|abduction|blood pressure)\b"
    r"|\bin degrees\b|^(?:the )?(?:total )?(?:number|size|height|weight|length|width|depth) of\b"
    r"|^(?:\w+ ){0,3}grip\b"
    r"|^how (?:many|old|far|long|soon|large|big|tall|heavy|deep|wide|fast|high|often|quickly|strong)\b"
    r"|^(?:what|which) (?:is |was |were |are )?(?:the |his |her |their )?(?:number of|weight|height|size|"
    r"length|speed|age|strength|temperature|threshold|degrees?)\b"
    r"|^how much (?:[\w-]+ ){0,2}(?:notice|warning|time)\b"
    r"|^how much (?:\w+ ){0,3}(?:weigh|lift|carry|weight)|^number of\b"
)
_PERCENT = re.compile(
    r"\bpercent(?:age)?\b|\bwpi\b|\bwhole person\b|\bimpairment\b(?! code)|\bapportion|"
    r"\bpd (?:rating|percent)|"
    r"\bdisability rating|\bwhat share\b|\bwhat part of the disability|\binterest rate\b|"
    r"^how much (?:of (?:the|his|her) (?:\w+ )?|permanent )disability\b(?! rate| benefit)|"
    r"(?<!\S)%(?!\S)|\binterest (?:is )?(?:charged|due|owed)\b|"
    r"\brate fixed\b|\bfixed rate\b|\b(?:probability|odds|likelihood)\b"
)
_MONEY = re.compile(
    r"^how much\b|\b(?:amount|cost|costs|price|sum|fee|fees|wage|wages|salary|aww|reserve|reserves|incurred|"
    r"balance|billed|charge|demand|demanded|figure|value|earn|earns|pay rate|hourly|outstanding|owed|"
    r"comp rate|td rate|ttd rate|weekly rate|weekly benefit|paid to date|total paid|settlement authority|"
    r"authority|earnings|gross pay|gross|net|budget|pay|paid|total of|dollars?|payments|deductible|penalty|"
    r"check for)\b|^what (?:did|does|do|will|would) .*\b(?:bill|charge|allow)\b"
    r"|^(?:the )?(?:[\w-]+ )?(?:bill|spend)\b"
    r"|^what (?:did|does|do) .*\b(?:get|want|receive|ask)\b .*\bfor (?=(?:the|his|her|that|having|each|a)\b)"
    r"|^(?:what )?weekly\b|^(?:the )?(?:grand )?total\b(?! number)|\bweekly (?:temporary|ttd|td)\b"
    r"|^(?:what (?:is|was) )?(?:the |his |her )?(?:\w+ ){1,3}rate (?:per|an?)\b"
    r"|^(?:what (?:is|was) )?(?:the )?rate (?:for|of|per)\b|\b(?:unit|line) (?:rate|price)\b"
    r"|\bpay(?:ing)? (?:(?:for )?(?:each|every)|per)\b"
)
_NO_MONEY = re.compile(
    r"^(?:why|where|who|whom|whose|when)\b|^(?:what|which) (?:kind|type|period|month|year)\b"
)
_SUM = re.compile(r"\b(?:check|payment|reserve|lien|demand|fee|draft|bill|invoice|award)\b")
_CODE = re.compile(
    r"(?<=\w) ?#(?!\w)|(?<=\w )no\.?(?= (?:for|on|in|to|is|was|from)\b|$)"  # not "she has no lien"
    r"|\b(?:number|nr|no(?= of\b)|code|id|identifier|license|docket|vin|ssn|serial|lot|policy no|icd-?10)\b"
    r"(?! of\b(?! (?:the )?(?:claim|policy|case|insurer|carrier)))"
    r"|^(?:what|which) (?:policy|check|draft|warrant|voucher)\b"
    r"|\bmrn\b|\bcpt\b"
    r"|\b(?:reference|certificate|certification|registration|tracking|panel|serial|account|permit|licen[cs]e|docket|"
    r"invoice) (?:number|no) of\b|\blast \w+ digits\b"
)
# nouns before a noun, never a verb: "which utilization review company", but not "what did the doctor"
_NO_NOUN = r"did|does|do|was|were|is|has|had|can|will|are|for|of|to|in|at|with|by|from|on|and|who"
_NOUNS = rf"(?:(?!(?:{_NO_NOUN})\b)[\w'-]+ )"
_PERSON_NOUN = (
    r"(?:doctor|physician|surgeon|judge|lawyer|attorney|adjuster|examiner|supervisor|therapist|nurse|psychiatrist|"
    r"psychologist|evaluator|person|candidate|radiologist|chiropractor|investigator|interpreter|manager|witness|"
    r"specialist|employee|worker|treater|reviewer|anesthesiologist|wcj|wcalj|qme|ame|ptp|director|officer|president|partner|driver|"
    r"mediator|arbitrator|consultant|counselor|owner|buyer|signatory|inspector|superintendent|foreman|paralegal|coworker|neurologist|orthopedist|pharmacist|dentist|technician|alj|"
    r"representative|rep|salesperson|salesman|saleswoman)"
)
_PERSON = re.compile(
    rf"^(?:what|which) {_NOUNS}{{0,2}}{_PERSON_NOUN}\b(?!'s)"
    r"|^(?:what (?:is|was|'s) |what's )?(?:the )?(?:first |last |full )?name of\b|'s name$"
    # "our new adjuster", "surgeon that was chosen - name", "coworker who saw it"
    rf"|^(?!{_ASKING}\b)(?:[\w'-]+ ){{0,3}}{_PERSON_NOUN}$"
    rf"|^(?!{_ASKING}\b)(?:[\w'-]+ ){{0,2}}{_PERSON_NOUN}\b.* name$"
    rf"|^(?!{_ASKING}\b|{_AUXILIARY}\b)(?:[\w'-]+ ){{1,3}}who [\w'-]+"
    rf"|^(?:what is |what's )?(?:the |his |her |our )?(?:[\w'-]+ ){{0,3}}{_PERSON_NOUN}(?:'s)? name\b"
    rf"|\b{_PERSON_NOUN}(?:'s)? name$|\b{_PERSON_NOUN}'s name\b"
)
_FIRM_NOUN = (
    r"(?:company|firm|carrier|insurer|employer|clinic|hospital|group|agency|bank|manufacturer|provider|facility|tpa|"
    r"vendor|business|corporation|organization|administrator|lender|center|broker|school|union|party|office|pharmacy|"
    r"contractor|airline|lab)"
)
_FIRM = re.compile(
    rf"^(?:what|which) {_NOUNS}{{0,3}}{_FIRM_NOUN}\b(?! number| no\b)"
    rf"|\bname of (?:the|his|her|our) (?:[\w'-]+ ){{0,3}}{_FIRM_NOUN}\b"
)
_LAW = re.compile(
    r"\b(?:governing|applicable) (?:law|state)\b|\bchoice of law\b|\bgoverned by\b"
    r"|\b(?:which|what|whose) (?:[\w']+ ){0,2}laws?\b(?! firms?| office| judges?)"
    r"|\blaws? (?:that )?(?:governs?|applies|apply|controls?|counts)\b"
)
_PLACE = re.compile(
    r"^where\b(?! do we stand| does (?:it|the claim|the file) stand)|\baddress\b"
    r"|^(?:what|which) (?:p\.?o\.? box|"
    r"room|address|location|city|state|county|street|building|site|board|venue|court)\b"
)
_RECENT = re.compile(
    r"\b(?:now|current|currently|latest|most recent|most recently|newest|as of today|today|"
    r"at present|still|last)\b"
)
_EARLIER = re.compile(r"\b(?:until|before|former|formerly|previous|previously|prior|originally|used to)\b")
_TO_DATE = re.compile(r"\b(?:to|up to) date\b")
_END = re.compile(
    r"\b(?:last day|end date|end|ended|ending|through|thru|until|stop|stopped|terminated|expire)\b"
)
_BEGIN = re.compile(r"\b(?:first day|start|started|begin|began|beginning|from|since)\b")
_LASTING = re.compile(
    r"^how (?:long|soon|quickly|old|often)\b|\b(?:length|duration|term) of\b|\bnotice\b"
    r"|^how much (?:[\w-]+ ){0,2}(?:warning|time)\b"
)
_TOTAL = re.compile(
    r"\b(?:total(?:s|ed)?|altogether|all told|in all|combined|add(?:s|ed)? up|sum of|overall)\b"
    r"|^(?:(?:for|to|in|on|at|over) )?how (?:many|often)\b"
)
_WHO = re.compile(r"^(?:who|whose|whom|who's)\b|\bname of\b|'s name$")
# who is a doctor, and who signs, is no firm
_BY_HAND = re.compile(
    r"\b(?:sign(?:s|ed|ing)?|signatory|signature)\b|"
    r"^who(?:'s|se)?(?: (?:is|was|are|were))?(?: (?:the|his|her|our|their|a|an))? "
    rf"(?:[\w'-]+ ){{0,2}}{_PERSON_NOUN}\b(?!'s)"
)
# "at the second therapy visit", "the final session": visits stand in a clinic's packet one after another
_VISIT = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|final|\d{1,2}(?:st|nd|rd|th)) "
    r"(?:[\w-]+ ){0,2}?(?:visit|session|appointment|treatment|note)\b"
)
_COUNTING = "first second third fourth fifth sixth seventh eighth ninth tenth"
_ORDINALS = {word: number for number, word in enumerate(_COUNTING.split(), start=1)} | {
    "last": -1,
    "final": -1,
}
_AGENT = re.compile(
    r"\b(?:did|does|do|has|had|will|would) (?:dr\.?|doctor) (?:[\w'’.]+ ){0,2}?([\w'’-]{3,}) "
    r"(?:assign|find|found|give|gave|given|rate|rated|say|said|state|note|report|conclude|opine|measure|recommend|restrict|"
    r"assess|allow|impose|set|calculate|arrive|think|believe|attribute|apportion|declare|describe|diagnose|prescribe|release)\b"
)
# "which carrier since the fund was wound up": what had happened is not what is asked
_SUBORDINATE = re.compile(
    r"(?<=\w),? (?:once|since|because|now that|although|though|seeing that|given that|after) "
    r"(?=(?:[\w.'-]+ ){0,6}"
    r"(?:had|has|have|was|were|is|are|went|left|quit|came|got|took|gave|did|redid|made|put|found|\w{3,}ed)\b)"
    r"(?:[\w.'-]+ ?){2,}$"
)
# "the next visit with the knee surgeon": the knee tells the doctor, not the visit
_OF_DOCTOR = re.compile(
    r"(?i)\b[\w-]+(?: and [\w-]+)?"
    r"(?= (?:surgeon|doctor|dr|physician|specialist|therapist|man|guy|lady|clinic)\b)"
)
_YEARS = re.compile(r"(?<![\d/.-])(?:19|20)\d\d(?![\d])")
_AHEAD = re.compile(
    r"\b(?:next|upcoming|due|deadline|scheduled|coming up)\b|\bwhen (?:is|are|do|does|will|must|should)\b"
    r"|\b(?:will|to be|must|until when|by when)\b"
)
_PAST = re.compile(r"\bwhen (?:did|was|were|had|has)\b|\b(?:did|was|were)\b")
_ENOUGH_ASKED = 2  # telling terms of a clause that asks for something by itself
_COUNTED = re.compile(r"^how many ((?:[\w-]+ ){0,3}?[\w-]+s)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its terms, in order, and the kind of its answer; `wants_latest` when it says "now".

    `kind` is date, time, law, money, percent, number, person, firm, place, code, phone, email, boolean or
    text.
    `predicate` is the term that a yes or no is about, mostly the last. `is_compound` when two things are
    asked, which only a whole statement answers; `wants_earlier` when the newest print is not meant;
    `ends_asked` whether it asks for the end or the beginning of a period; `unit` what it asks to count;
    `is_lasting` when it asks for a time that something lasts or may take; `wants_total` when it asks for a
    sum or a count, which rows may add up to; `may_be_firm` when "who" may be
    one, as it may not where a doctor or a judge is asked for. `ordinal` is the number of the visit asked
    about, -1 for the last, 0 for none; `years` are the years that are named, `months` the months
    without a day ("02"). `plain` is the text with its turns of speech replaced by plain words, from which all
    but the subjects is read; `asides` are terms that stand only in what is said before the question, and
    `clause` is what asks; `asks_ahead` tells whether a day to come is asked for, or one that is past; None
    where neither is said.
    """

    text: str
    terms: tuple[str, ...]
    kind: str
    wants_latest: bool = False
    predicate: str = ""
    is_compound: bool = False
    wants_earlier: bool = False
    ends_asked: bool | None = None
    unit: str = ""
    is_lasting: bool = False
    wants_total: bool = False
    may_be_firm: bool = False
    ordinal: int = 0
    years: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()
    plain: str = ""
    asides: frozenset[str] = frozenset()
    clause: str = ""
    asks_ahead: bool | None = None
    subjects: Subjects = field(default_factory=Subjects)

    @property
    def agents(self) -> tuple[str, ...]:
        """The last names of physicians of whom it asks what they said or did: "what did Dr. Ruiz find"."""
        named = (match[1] for match in _AGENT.finditer(self.plain))
        return tuple(name for name in dict.fromkeys(named) if name in self.subjects.names)


def read_question(text: str) -> Question:
    """Read a question; one without a term (only stop words) has none and finds nothing."""
    plain = plain_wording(text)
    folded = _TO_DATE.sub(" ", plain).strip(" ?.!")
    clause = _without_remark(_asking_clause(folded))
    is_whole, clause = clause.endswith("?"), clause.rstrip("?")
    terms = tuple(dict.fromkeys(terms_of(_RECENT.sub(" ", plain))))
    terms = terms or tuple(sorted(term_set(text)))
    telling = [term for term in terms if term not in light_terms()]
    compound = bool(_COMPOUND.search(clause))
    kind = "text" if compound else _kind(clause)
    if kind == "text" and not compound and clause != folded and len(term_set(clause)) < 2:
        kind = _kind(folded)  # "They differ on the date of loss. Which one is right?"
    return Question(
        text=text.strip(),
        terms=terms,
        kind=kind,
        wants_latest=bool(_RECENT.search(folded)),
        predicate=telling[-1] if telling else "",
        is_compound=compound,
        wants_earlier=bool(_EARLIER.search(folded)),
        ends_asked=True if _END.search(folded) else False if _BEGIN.search(folded) else None,
        unit=next(iter(reversed(terms_of(counted[1]))), "") if (counted := _COUNTED.search(clause)) else "",
        may_be_firm=bool(_WHO.search(clause)) and not _BY_HAND.search(clause),
        is_lasting=bool(_LASTING.search(clause)),
        wants_total=kind in ("money", "number") and bool(_TOTAL.search(folded)),
        ordinal=_ordinal(folded),
        years=frozenset(_YEARS.findall(text)),
        months=months_of(text),
        plain=plain,
        asides=_asides(terms, clause, 1 if is_whole else _ENOUGH_ASKED),
        clause=_SUBORDINATE.sub("", clause),
        asks_ahead=True if _AHEAD.search(clause) else False if _PAST.search(clause) else None,
        subjects=_subjects(text, plain, kind),
    )


def _subjects(text: str, plain: str, kind: str) -> Subjects:
    """Return what is asked about; the number of a form whose name is plain words is no subject.

    Nor is the part of the body that a doctor is told by, unless the doctor is asked for.
    """
    asked = _SUBORDINATE.sub("", _without_remark(without_contrast(text).strip(" ?.!")))
    subjects = read_subjects(asked)
    if subjects.body_parts:
        told = asked if kind == "person" else _OF_DOCTOR.sub(" ", asked)
        # "face amount" is plainly an amount, and no part of the body
        subjects = replace(subjects, body_parts=body_parts_of(told) & body_parts_of(plain))
    return replace(subjects, identifiers=tuple(n for n in subjects.identifiers if n in plain))


def _asides(terms: Sequence[str], clause: str, enough: int) -> frozenset[str]:
    """Return the terms outside the clause that asks, unless it has fewer telling ones than `enough`."""
    asked = term_set(_SUBORDINATE.sub("", clause))
    telling = [term for term in terms if term in asked and term not in light_terms()]
    if len(telling) < enough and not any(term.startswith("@") for term in telling):
        return frozenset()
    return frozenset(term for term in terms if term not in asked)


def _ordinal(folded: str) -> int:
    match = _VISIT.search(folded)
    if match is None:
        return 0
    return _ORDINALS.get(match[1]) or int(re.sub(r"\D", "", match[1]) or 0)


def _asking_clause(folded: str) -> str:
    """Return the part that asks: the last clause that begins with an asking word, or the whole."""
    starts = [match.end() for match in _CLAUSE.finditer(folded)]
    while len(starts) > 1 and _is_one_clause(folded, starts[-2], starts[-1]):
        starts.pop()
    clause = folded[starts[-1] :] if starts and len(folded) - starts[-1] > 8 else folded
    if starts and starts[0] == 0 and not re.match(r"(?:wh|how)", clause):
        clause = folded  # "Is she on Medicare, is she a beneficiary"
    return _PREPOSED.sub("", clause.strip())


def _is_one_clause(folded: str, first: int, second: int) -> bool:
    """Tell whether an auxiliary only goes on with what was asked: "what share, in percent, was laid"."""
    return (
        bool(re.match(rf"{_ASKING}\b", folded[first:]))
        and bool(re.match(rf"{_AUXILIARY}\b", folded[second:]))
        and folded[first:second].count(",") > 1
        and not re.search(r"[.?!]", folded[first:second])
    )


def _without_remark(text: str) -> str:
    """Return a question without what is only remarked after it: "date of birth? the clinic has it wrong".

    What is told after a whole question leaves it with its mark.
    """
    if (told := _TOLD_AFTER.match(text)) is not None:
        return f"{told[1]}?"
    match = _REMARK.match(text)
    if match is None or _ASKS.search(fold_text(match[2])):
        return text
    asked, remarked = (_kind(_PREPOSED.sub("", fold_text(part).strip(" ?.!"))) for part in match.groups())
    return match[1] if asked != "text" and remarked == "text" else text


def _kind(clause: str) -> str:
    for kind, pattern, but in _KINDS:
        if pattern.search(clause) and not (but is not None and but.search(clause)):
            return kind
    return "text"


_KINDS: tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...] = (
    ("boolean", _BOOLEAN, None),
    ("email", _EMAIL, None),
    ("law", _LAW, re.compile(r"^(?:who|when|where|why|how)\b")),
    ("person", re.compile(r"^(?:who|whose|whom|who's)\b"), None),
    ("time", _CLOCK, None),
    ("date", _DATE, _NO_DATE),
    ("phone", _PHONE, re.compile(r"^(?:who|why|when|how many)\b")),
    ("percent", _PERCENT, re.compile(r"^(?:who|why|when|where|what (?:kind|type))\b")),
    ("number", _MEASURE, _SUM),
    ("money", re.compile(r"^how (?:big|large|high) "), None),
    ("firm", _FIRM, None),
    ("person", _PERSON, None),
    ("code", _CODE, re.compile(r"^(?:who|why|when|where|how)\b")),
    ("place", _PLACE, re.compile(r"^(?:who|why|when|how)\b")),
    ("money", _MONEY, _NO_MONEY),
)
"""Kinds in the order in which they are tried: what is asked for, and the clauses that only look so."""

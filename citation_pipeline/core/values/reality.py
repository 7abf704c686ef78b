"""Whether a text tells of the claim itself and of what is so: not of a relative, another file, a plan undone.

Looks at the clause around a range of the text, as `polarity` does for denials. What is another's or unreal is
no fact of the claim, and its opposite is none either.
"""

import re

from citation_pipeline.core.values.polarity import clause_around

_KIN = (
    r"(?:wife|husband|spouse|mother|father|parents?|brother|sister|siblings?|son|daughter|child(?:ren)?|uncle|aunt|"
    r"cousin|niece|nephew|grand\w+|friend|co-?\s?worker|colleague|neighbou?r|roommate|girlfriend|boyfriend|fianc\w+|"
    r"(?:mother|father|brother|sister|son|daughter)-in-law)"
)
_MATTER = r"(?:claim|injury|case|accident|file|settlement|award|employer|matter|loss)"
# Whom the clause is about: `His wife takes`, `The claimant's mother has been`, `Family history: father with`.
_OF_ANOTHER = re.compile(
    rf"^\W*(?:(?:and|but|also|that)\s+)?(?:his|her|their|my|your|the|a|an|one)\s+(?:[\w-]+['\u2019]s\s+)?"
    rf"(?:(?:late|older|younger|elder|own|first|former)\s+)?{_KIN}\b|\bfamily\s+(?:medical\s+)?history\b|"
    r"^\W*(?:(?:in|on|for|under|with|from)\s+)?(?:(?:his|her|the|a|an|their)\s+)?"
    r"(?:prior|previous|earlier|other|old|unrelated|separate|another|companion|sister)\s+"
    rf"(?:[\w-]+\s+){{0,2}}?{_MATTER}\b|^\W*that\s+(?:claim|case)\b",
    re.IGNORECASE,
)
# What the clause says behind: `reached MMI in her prior claim`, `is for the Quorn file, not this one`.
_OF_ANOTHER_BEHIND = re.compile(
    r"\b(?:in|on|for|under|from)\s+(?:(?:his|her|the|a|an|their)\s+)?"
    r"(?:prior|previous|earlier|unrelated|separate|another|companion|sister|other)\s+"
    rf"(?:[\w-]+\s+){{0,3}}?{_MATTER}\b|\bnot\s+(?:in\s+|on\s+|for\s+)?this\s+(?:one|{_MATTER})\b",
    re.IGNORECASE,
)
_UNREAL_BEFORE = re.compile(
    r"\b(?:would(?!\s+like)|(?:could|might)(?!\s+(?:not|only)\b)|hypothetical\w*|premature|too\s+(?:early|soon)|yet\s+to|far\s+from|wrong\s+to|incorrect\s+to|"
    r"prior\s+to|failed\s+to|fails\s+to|unable\s+to|tried\s+to|attempt(?:ed|s)?\s+to|threaten(?:s|ed)?\s+to|"
    r"typical(?:ly)?|for\s+(?:example|instance)|example|"
    r"expect(?:s|ed|ing)?|anticipat(?:es?|ed|ing)|hop(?:e|es|ed|ing)|intend(?:s|ed)?\s+to|former(?:ly)?|"
    r"rul(?:e|ed|ing)\s+out|r/o|only\s+if|were\s+to|had\s+(?:the|he|she|it|they)\b)",
    re.IGNORECASE,
)
_UNREAL_AFTER = re.compile(
    r"^[^;]{0,40}?\b(?:would|is\s+premature|no\s+longer|if|had\s+(?:the|he|she|it|they)|threaten(?:s|ed)?\s+to)\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    r"^[^;]{0,60}?\b(?:declined|refused|rejected|withdrawn|withdrew|withdraws|vacated|cancell?ed|called\s+off|"
    r"withheld|overturned|reversed|rescinded|revoked|discontinued|relieved|abandoned|but\s+did\s+not|"
    r"did\s+not\s+(?:happen|take\s+place|occur|come)|never\s+(?:took\s+place|happened|came)|"
    r"(?:in\s+error|by\s+mistake|mistakenly))\b",
    re.IGNORECASE,
)
# `was offered, but she declined`: the clause behind takes back the one before.
_DECLINED_BEHIND = re.compile(
    r"^[^.;]{0,60}?(?:,|;|\bbut|\band|\bwhich|\bhowever,?)\s+(?:the\s+)?(?:s?he|they|patient|claimant|applicant|worker|"
    r"employee|mr\.\s+\w+|ms\.\s+\w+)?\s*(?:has\s+|have\s+|had\s+)?(?:since\s+|then\s+|later\s+)?"
    r"(?:declined|refused|rejected|decided\s+against|turned\s+(?:it|this|that)\s+down|opted\s+(?:against|out))"
    r"(?:\s+(?:it|this|that|both|to\s+proceed|(?:the|this|that|any)\s+(?:surgery|procedure|operation|offer)))?\s*(?:[.;,]|$)",
    re.IGNORECASE,
)
# `..., but in her supplemental report she withdrew that opinion`: so does whoever changes his mind.
_TAKEN_BACK_BEHIND = re.compile(
    r"^[^.;]{0,80}?(?:,|;|\bbut|\band|\bwhich|\bhowever,?)\s+(?:[\w'-]+\s+){0,6}?"
    r"(?:withdrew|retracted|disavowed|recanted|rescinded|took\s+back|has\s+since\s+(?:revised|changed|corrected))\s+"
    r"(?:that|this|it|his|her|their|the|both)\b",
    re.IGNORECASE,
)
# What was performed is asked for: what was spoken of, asked for or set for a day is not yet.
_ASKS_FOR_DEEDS = re.compile(r"surger|procedure|operation|hospitali[sz]ation")
_DONE = re.compile(
    r"\b(?:underwent|undergone|perform(?:s|ed)|done|completed|carried\s+out|had|post[- ]?op\w*|"
    r"status\s+post|s/p|following|"
    r"operated|after|since|took\s+place|successful\w*|without\s+complication\w*|postoperative\w*)\b",
    re.IGNORECASE,
)
_ONLY_PLANNED = re.compile(
    r"\b(?:discuss\w*|recommend\w*|consider\w*|candidate|contemplat\w*|propos\w*|offer(?:s|ed|ing)?|suggest\w*|"
    r"request\w*|authoriz\w*|await\w*|pending|planned|plans?|scheduled|option|options|refer(?:red|ral)|indicated|"
    r"may\s+need|will\s+(?:need|require|undergo|have)|would|possible|potential|future|approved|deferred|certified)\b",
    re.IGNORECASE,
)
_ASKS_FOR_USE = re.compile(r"medication|prescription|drug")
_STOPPED = re.compile(
    r"^[^.;,]{0,40}?\b(?:was|were|has\s+been|is|been)\s+(?:since\s+|now\s+)?(?:stopped|tapered\s+off|weaned\s+off|ceased|"
    r"finished|completed)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(r"\b(?:former|previous|prior|ex|old|past)[\s-]+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
# `The earlier setting of May 3`, `reset from May 3`, `the conference of May 3 is off calendar`: no longer so.
_NO_LONGER_BEFORE = re.compile(
    r"\b(?:earlier|former|previous|prior|superseded)\s+(?:[\w-]+\s+){0,3}$|"
    r"\b(?:first|originally|initially|previously)\s+(?:set|scheduled|noticed|calendared|fixed|booked)\b[^.;]{0,30}$|"
    r"\b(?:moved|reset|rescheduled|corrected|revised|changed|raised|reduced|lowered|increased)\s+from\s+\W*$",
    re.IGNORECASE,
)
_NO_LONGER_BEHIND = re.compile(
    r"^[^.;]{0,30}?\b(?:off\s+calendar|taken\s+off|(?:is|was|were|been)\s+(?:now\s+|since\s+)?(?:postponed|rescheduled|"
    r"continued\s+to|moved\s+to|reset|superseded|replaced|corrected\s+to|changed\s+to)|no\s+longer)\b",
    re.IGNORECASE,
)
# `If the claim is accepted, the weekly rate is $512.40`: said of what may be, and of nothing that is.
_SUPPOSES = re.compile(
    r"^\W*(?:(?:and|but|even|only|then)\s+)?(?:if|unless|assuming|supposing|suppose|provided(?:\s+that)?|in\s+(?:the\s+)?"
    r"(?:event|case)|should\s+(?:the|you|he|she|it|we|they|this|any|your|his|her)|"
    r"(?:had|were)\s+(?:the|he|she|it|they|this|we|you|your|his|her))\b",
    re.IGNORECASE,
)
_SENTENCE_BEFORE = re.compile(r"(?<=[a-z0-9)%])[.!?]\s+(?=[A-Z])|\n")
# What a party says of a sum is its own figure: `according to his lawyer the wage is $1,400.00`
_SAID_BY_PARTY = re.compile(
    r"\b(?:according\s+to|in\s+the\s+(?:view|opinion|words)\s+of)\s+(?:(?:the|his|her|their|your)\s+)?(?:attorney|lawyer|counsel|"
    r"claimant|applicant|worker|employee|union|wife|husband|petitioner)|"
    r"\b(?:attorney|lawyer|counsel|claimant|applicant|worker|employee|union|petitioner|he|she)\s+(?:\w+\s+)?"
    r"(?:claims?|contends?|asserts?|alleges?|argues?|believes?|thinks?|guess(?:es|ed)?)\b",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"wage|rate$|percent|amount|incurred|reserve|paid")
# Whom to turn to holds also behind `If you have questions, ...`
_NAMES = re.compile(
    r"name|firm|address|number|facility|carrier|administrator|venue|specialty|occupation|location"
)
# What these fields ask for lies ahead, or is a wish by itself.
_LIES_AHEAD = re.compile(
    r"next|future|expected|estimat|anticipat|hearing|diary|due|planned|request|potential|recommend|indicator|action|"
    r"reason|restrict|mechanism|description|summary|findings|note|comment"
)
# Free words may tell of what was before: `prior claim in 2018` is a red flag.
_FREE_WORDS = re.compile(
    r"indicator|action|reason|restrict|mechanism|description|summary|findings|note|comment"
)
# The law's sum, or an example's, is nobody's: `at most $1,680.29 a week`, `a typical rating is 7%`.
_GENERAL = re.compile(
    r"\b(?:at\s+most|up\s+to|not\s+(?:to\s+)?exceed(?:ing)?|no\s+more\s+than|state(?:wide|['\u2019]s)?\s+average|"
    r"typical(?:ly)?|usual(?:ly)?|for\s+(?:example|instance)|e\.\s?g\.?|example|illustrat\w+|hypothetical\w*)[^;]*$",
    re.IGNORECASE,
)


def is_of_another(text: str, start: int, end: int | None = None) -> bool:
    """Tell whether the clause around a range tells of a relative, a colleague, or of another claim."""
    begin, stop = clause_around(text, start, start if end is None else end)
    first = re.match(r"\w*", text[start:])  # `That claim was denied` is found from `claim` on
    upto = start + (first.end() if first else 0)
    if _OF_ANOTHER.search(text[begin:upto]) or "family history" in text[:start].casefold():
        return True
    return end is not None and bool(_OF_ANOTHER_BEHIND.search(text[end:stop]))


def is_general(text: str, start: int) -> bool:
    """Tell whether the clause before a sum or share makes it a limit of the law, or an example's."""
    begin, _ = clause_around(text, start, start)
    return bool(_GENERAL.search(text[begin:start]))


def is_unreal(text: str, start: int, end: int) -> bool:
    """Tell whether what stands in a range is only thought of, planned, or over."""
    begin, stop = clause_around(text, start, end)
    before, after = text[begin:start], text[end:stop]
    return bool(_UNREAL_BEFORE.search(before) or _UNREAL_AFTER.match(after) or _FORMER.search(before))


def is_no_longer(text: str, start: int, end: int) -> bool:
    """Tell whether the clause around a range says that what stands in it was so once and is not so now."""
    begin, stop = clause_around(text, start, end)
    return bool(_NO_LONGER_BEFORE.search(text[begin:start]) or _NO_LONGER_BEHIND.match(text[end:stop]))


def is_supposed(text: str, start: int) -> bool:
    """Tell whether the sentence of what begins at a place opens with a condition: `If ..., ...`."""
    begin = max((match.end() for match in _SENTENCE_BEFORE.finditer(text, 0, start)), default=0)
    return _SUPPOSES.match(text[begin:start]) is not None


def _is_said_by_party(text: str, start: int) -> bool:
    begin = max((match.end() for match in _SENTENCE_BEFORE.finditer(text, 0, start)), default=0)
    return _SAID_BY_PARTY.search(text[begin:start]) is not None


def is_undone(text: str, start: int, end: int) -> bool:
    """Tell whether what stands in a range was taken back: withdrawn, vacated, cancelled, declined."""
    _, stop = clause_around(text, start, end)
    if re.match(r",\s+which\b", text[stop:]):
        _, stop = clause_around(text, start, stop + len(", which"))
    behind = (_DECLINED_BEHIND, _TAKEN_BACK_BEHIND)
    return bool(_UNDONE.match(text[end:stop]) or any(one.match(text[end:]) for one in behind))


def is_not_done(field_key: str, text: str, start: int, end: int) -> bool:
    """Tell whether a field asks for what was done, or is taken, and the clause tells of a plan, or of
    an end."""
    name = field_key.rpartition(".")[2]
    begin, stop = clause_around(text, start, end)
    if _ASKS_FOR_USE.search(name):
        return bool(_STOPPED.match(text[end:stop]))
    if not _ASKS_FOR_DEEDS.search(name):
        return False
    around = f"{text[begin:start]} {text[end:stop]}"
    return bool(_ONLY_PLANNED.search(around)) and not _DONE.search(around)


def lies_ahead(field_key: str) -> bool:
    """Tell whether a field asks for what is to come, or for free words, by its key."""
    return bool(_LIES_AHEAD.search(field_key.rpartition(".")[2]))


def is_no_fact(field_key: str, text: str, start: int, end: int) -> bool:
    """Tell whether what stands in a range is no fact for a field: another's, undone, or unreal."""
    behind = None if _FREE_WORDS.search(field_key.rpartition(".")[2]) else end
    if (
        is_of_another(text, start, behind)
        or is_undone(text, start, end)
        or is_not_done(field_key, text, start, end)
    ):
        return True
    if lies_ahead(field_key):
        return False
    name = field_key.rpartition(".")[2]
    is_name = _NAMES.search(name) is not None
    if _FIGURES.search(name) and "lien" not in field_key and _is_said_by_party(text, start):
        return True
    return is_unreal(text, start, end) or (not is_name and is_supposed(text, start))

"""Words that stand where a value should be: "N/A", "not stated", "see above", "None filed".

Two things are told apart. A *placeholder* says that the answerer has no value; it is never a value of any
type. A *denial* ("None filed", "no liens on file") says of a list that it has no items; whether the documents
say so is for the list's reader to ask. Not here: negation in the documents' own words (`evidence`).
"""

import re

_EDGES = " \t\r\n.,;:!?*'\"`()[]<>{}_\u2013\u2014\u2026-"

_STATED = (
    r"(?:stated|found|provided|specified|available|applicable|mentioned|given|listed|indicated|documented|"
    r"disclosed|identified|known|reported|recorded|noted|determined|determinable|present|shown|included|"
    r"answered|entered|supplied|clear|legible|readable|addressed|discussed|extracted|set forth)"
)
_WHERE = r"(?:\s+(?:in|by|from|within|on|at)\s+(?:(?:the|this|any|these)\s+)?[\w ]{1,40})?"
_SUBJECT = (
    r"(?:(?:the|this)\s+)?(?:(?:information|value|field|data|answer|details?|item|it|documents?|records?|"
    r"file)\s+)?(?:(?:is|was|are|were|has|have|does|do|did)\s+)?(?:been\s+)?"
)
_PLACEHOLDER = re.compile(
    rf"""
      n\.?\s*/?\s*a\.? | none | null | nil | nan | undefined | \#?n/a | inf | infinity
    | unknown | unspecified | unstated | undetermined | undisclosed | unavailable | unclear | illegible
    | unreadable | missing | blank | empty | absent | silent | redacted
    | tbd | tba | to\ be\ (?:determined|advised|announced)
    | {_SUBJECT}(?:not|never)\s+(?:yet\s+|explicitly\s+|clearly\s+|specifically\s+|otherwise\s+)?
      {_STATED}{_WHERE}
    | (?:no|without)\s+(?:information|value|data|answer|details?|mention|evidence|record|entry|response|
      result)s?
      (?:\s+(?:was|were|is|are|has\s+been))?(?:\s+{_STATED})?{_WHERE}
    | (?:cannot|can\s?not|could\s+not|can't|couldn't|unable\s+to)\s+(?:be\s+)?
      (?:determined?|found|find|located?|identif(?:y|ied)|confirm(?:ed)?|read|tell|extract(?:ed)?){_WHERE}
    | {_SUBJECT}(?:(?:do|does)\s+not|don't|doesn't)\s+(?:say|state|mention|specify|provide|contain|include)
      (?:\s+(?:it|this|that|one|any))?{_WHERE}
    | i\s+(?:do\s+not|don't)\s+know
    | (?:please\s+)?(?:see|refer\s+to|cf\.?|per)\s+(?:the\s+)?(?:above|below|attached|enclosed|previous|prior|
      next|other|following|notes?|documents?|file|records?|citations?|snippets?|sources?|
      (?:page|p\.|exhibit|attachment|
      appendix|section|item|line|field)\s*[\w.-]{{1,12}})(?:\s+[\w ]{{1,30}})?
    | (?:same\s+)?as\s+(?:above|below|before|stated|noted|previously\s+stated) | same | ditto | idem
    | above | below | various | multiple | several | varies | example
    | placeholder | string | text | value | lorem\ ipsum
    | x{{2,}} | yyyy-mm-dd | mm/dd/yyyy | 0000-00-00 | 00/00/0000
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DENIAL = re.compile(
    rf"""
      (?:there\s+(?:are|is|were|was|have\s+been)\s+)?(?:none|nil|nothing|no|zero|0)
    | (?:there\s+(?:are|is|were|was|have\s+been)\s+)?(?:none|nil|nothing)\b[^;\n]{{0,80}}
    | (?:there\s+(?:are|is|were|was|have\s+been)\s+)?(?:no|not\s+any|zero|without(?:\s+any)?|0)
      (?:\s+[\w/-]+){{1,6}}?(?:\s+(?:{_STATED}|filed|of\s+record|on\s+file|on\s+record|
      pending|claimed|alleged|
      accepted|admitted|outstanding|existing?|to\s+date|at\s+this\s+time|currently|received|paid|issued))
      (?:[\w\s,]{{0,40}})
    | (?:there\s+(?:are|is|were|was|have\s+been)\s+)(?:no|not\s+any)(?:\s+[\w/-]+){{1,6}}
    """,
    re.IGNORECASE | re.VERBOSE,
)
# a sentence is no placeholder, and no pattern runs over a page of text
_LONGEST = 120


def is_placeholder(text: str) -> bool:
    """Tell whether a text says that there is no value, or points elsewhere, and nothing more."""
    bare = _bare(text)
    return len(bare) <= _LONGEST and (not bare or _PLACEHOLDER.fullmatch(bare) is not None)


def is_denial(text: str) -> bool:
    """Tell whether a text says of a list that it has no items: "None filed", "no liens of record"."""
    bare = _bare(text)
    return 0 < len(bare) <= _LONGEST and _DENIAL.fullmatch(bare) is not None


def _bare(text: str) -> str:
    return " ".join(text.strip(_EDGES).split())

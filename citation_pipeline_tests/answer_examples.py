"""Values, lists and texts as answers hold them, awkward ones among them."""

from collections.abc import Sequence
from typing import Any

# fmt: off
WRITTEN: Sequence[Any] = (
    "2024-03-01" + "," * 110, "2024-03-01" + "," * 111, "yes, " + "x" * 115,
    "yes, " + "x" * 116, "5 " + "." * 118, "5 " + "." * 119,
    "yes", "Y", "No", "n", "TRUE", "false.", "checked", "Unchecked", "Yes, since May", "Yes - not yet",
    "No, but pending", "no (denied)", "yes; however unclear", "[x] Yes [ ] No", "[ ] Yes [X] No", "[ ] yes",
    "☒", "☐ Yes ☒ No", "yesterday", "none", "N/A", "null", "", "  ", "unknown", "see above", "TBD", "x",
    "xx", "2024-03-01", "03/01/2024", "March 1, 2024", "on 1 March 2024", "Mon 03/04/2024",
    "03/04/2024 at 10:30", "2024-03-01T10:30:00Z", "2024-03-01 10:30", "before 2024-03-01",
    "2024-03-01 to 2024-04-01", "02/30/2024", "13/13/2024", "dated 2024-03-01.", "2024", "March 2024",
    "2024-03-01 2024-03-01", "0", "12", "-12", "+12", "12.0", "12.5", ".5", "1,250", "1,250.75", "12,50",
    "1.250", "0.250", "10.250", "$412.50", "$-5", "-$5", "- $ -5", "(500)", "(500", "500)", "($1,204.50)",
    "US$ 7", "7 USD", "€9", "£ 3.10", "2 million", "1.5 thousand", "3 million dollars", "50%", "50 %",
    "50 percent", "101%", "-1%", "0%", "100%", "52 weeks", "52 weekly", "5 days", "5 da", "8 hours per day",
    "8/day", "about 500", "500 to 600", "500-600", "1e5", "9" * 19, "9" * 400, "5 " + "x" * 120,
    "12 dollars each", "12 apples", "12 a", "modified_duty", "Modified Duty", "MODIFIED-DUTY", "full duty",
    "fullduty", "off", "3", "ab", "A.B.", True, False, 0, 1, 3, -3, 2.0, 2.5, 100, 101, 10**19, 2**63,
    2**63 - 1, float("inf"), float("nan"), None, [], ["a"], ["a", " a", "b"], ["none"], [1], {}, {"a": 1},
    '{"a": 1}', '["a"]', "[a]", "x" * 5000, "x" * 5001,
)

LISTS: Sequence[Any] = (
    [], ["a", "b"], ["a", "A", "b"], ["none"], ["none filed", "n/a"], ["a", "none"], [1, 2], [0], ["0"],
    [None], "a; b", "a\nb", "a, b", "a and b", "just one", "none", "no liens filed", "unknown",
    '["a", "b",]', "[a]", "", '["a", "b"]', "null", {"holder": "Ode"}, [{"holder": "Ode"}],
    [{"holder": "none"}], [{"amount": 5}], 7, 2.5,
    [{"holder": "Ode", "amount": "$5"}, {"holder": "Ode", "amount": 5}], [{"holder": "Ode", "amount": 901}],
    [{"holder": "Ode", "amount": "x"}], [{"holder": "Ode", "other": 1}], ["Ode"], [["Ode"]], [{}],
    [{"by": {}}], [{"holder": "Ode", "days": ["03/01/2024", "x"]}], [{"holder": "Ode", "days": "none"}],
    True, "open; closed", [{"holder": "Ode", "by": {"name": "Ann"}}], [{"holder": "Ode", "by": "Ann"}],
    ["open", "shut"], ["OPEN"], "5", [{"holder": 5}], [{"holder": 0}], [{"holder": ["a", "b"]}],
    [{"holder": ["none"]}], ["1", 2, "x", 2.5], 5001,
)

PHRASES = (
    "none " + "y " * 40 + "z" * 35, "no " + "y " * 4 + "filed " + "z" * 40, "nil " + "w" * 76,
    "not found in " + "z" * 40,
    "There are no " + "a" * 107, "There are no " + "a" * 108, "see page " + "9" * 12, "see page " + "9" * 13,
    "None", "none filed", "No liens on file", "there are no liens", "There have been none to date", "0",
    "zero", "nothing was received", "no", "not any claims pending", "without any liens filed",
    "no known liens", "nobody", "no one two three four five six filed",
    "no one two three four five six seven filed", "No. 5", "n/a", "N.A.", "not stated",
    "Not yet provided in the file", "the information is not available", "was never specified",
    "cannot be determined from the records", "unable to find", "see page 4", "see attached report", "see",
    "per", "refer to the above notes", "as above", "ditto", "various", "multiple", "several claims", "XXXX",
    "xx", "x", "does not say", "the file does not mention it", "I don't know", "to be determined", "TBA",
    "-", "", "(none)", "no evidence of it was found", "no data", "no answer given on this form",
    "unknown at this time", "empty", "none " + "y" * 80, "none " + "y" * 81, "none; ever",
    "not found " + "z" * 120, "yyyy-mm-dd", "Nobel",
)

BROKEN = (
    '{"extractions": [{"field_key": "a", "value": 1}, {"field_key": "b", "val',
    '{"extractions": [{"field_key": "a", "value": NaN}]}',
    '```json\n{"extractions": [{"field_key": "a"}]}\n```', '``` \n[{"field_key": "a"}]```',
    'Here: {"extractions": [{"field_key": "a"}, {"field_key": oops}, {"field_key": "c"}]} done',
    '{"extractions":[ {"field_key": "a"},, {"field_key": "b"}]', '{"extractions": {"field_key": "a"}}',
    '{"extractions": [1, "x", null]}',
    '{"extractions": [{"field_key": "a", "value": "\\ud800 \\u0000 b"}]}',
    '{"extractions": [{"a": ' + "[" * 18 + "]" * 18 + "}]}",
    '{"extractions": [{"a": ' + "[" * 19 + "]" * 19 + '}, {"b": 1}]}',
    '{"extractions": [{"a": ' + "[" * 20 + "]" * 20 + '}, {"b": 1}]}', '{"extractions": [' + "[" * 5000, "",
    "no JSON", "[]", "{}", '{"other": []}', '"extractions": [{"field_key": "a"} {"field_key": "b"}',
)

EVIDENCE: Sequence[tuple[str, Any, Sequence[str]]] = (
    *(("day", day, ("on 03/01/2024",)) for day in ("2024-03-01", "1900-01-01", "1899-12-31", "2079-12-31")),
    *(("day", day, ("on 03/01/2024",)) for day in ("2080-01-01", "2024-13-01", 5)),
    *(("rate", rate, ("it is 999999999",)) for rate in (999999999, 1e9, -1e9, True, "5", 5)),
    *(("percent", share, ("0 to 100 percent",)) for share in (0, 100, 100.5, -0.5)),
    ("stage", "modified_duty", ("on modified work",)), ("stage", "modified_duty", ("mod work", "modi")),
    ("stage", "PQME", ("Panel QME report",)), ("stage", "PQME", ("Peter Quill met Eve",)),
    ("stage", "PQME", ("QM",)), ("stage", "closed", ("the file is shut",)), ("stage", "else", ("else",)),
    ("is_open", True, ("Open: Yes",)), ("is_open", True, ("It is not open.",)),
    ("is_open", True, ("It was never moved. It is open.",)), ("is_open", True, ("[ ] Yes [x] No",)),
    ("is_open", False, ("[ ] Yes [x] No",)), ("is_open", False, ("It is not open now. It is open again.",)),
    ("is_open", True, ("It is not open now. It is open again.",)), ("is_open", False, ("It is open.",)),
    ("is_open", False, ("No word; it is open",)),
    ("note", "one two three four five six seven", ("one two three four five six",)),
    ("note", "one two three four five six seven eight", ("one two three four five",)),
    ("note", "one two three four five six seven eight", ("one two three four",)),
    ("note", "one two three four five six seven eight", ("one two three four nine ten eleven twelve",)),
    ("note", "Doctor Nguyen of Oakland", ("Nguyen", "Doctor Nguyen of Oakland")),
    ("note", "Doctor Ngu of Oak", ("Ngu", "Doctor Ngu of Oak")), ("note", "  ", ("x",)),
    ("note", "uncited", ()), ("names", ["Ode"], ("Ode",)), ("names", [], ("There is none.",)),
    ("names", [], ("Ode and Ann",)), ("names", "Ode", ("Ode",)),
    ("liens", [{"holder": "Ode", "amount": 1e9, "days": ["x"]}, {"holder": ""}], ("Ode",)),
)
# fmt: on

"""Which day a document speaks for: the day it was written, sent, signed or printed.

A wrong day makes an old paper the claim's newest word, so each way of finding it is tried in the order of
how sure it is, and what cannot be a day of writing is passed over: a birth, a day long before all others.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.rules.lexicons.lexicon import DATE_KEY, DocumentRules
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.pairs import Pair
from citation_pipeline.core.values.dates import days_later, find_dates, iso_date

_PLAIN = ("date",)
_SIGNED = re.compile(
    r"(?:\bdated?|\bsigned(?: on| by)?(?: [A-Z][\w.'\u2019-]*){0,4}|executed on|"
    r"\bprepared(?: by [^.\n]{2,40}?)?(?: on)?|filed and served|"
    r"\bserved(?: on)?|issued on|(?<![a-z]\s)\b(?:mailed|circulated)|(?<![a-z]\s)\bdate:|"
    r"\b(?:fecha|fechado|firmado)(?: el)?:?)"
    r"(?:\s(?:on|this)\b)?[\s:|,]*",
    re.IGNORECASE,
)
_PRINTED = re.compile(
    r"\b(?:(?:snapshot|data|status|report|figures|financials|balances|amounts|screen) as of|^as of|"
    r"(?:re)?printed|(?:screen |date )?print(?: date)?|"
    r"run(?: date)?|generated|exported|export(?: run| date)?|"
    r"report date|prepared|(?:corrected|amended|revised)(?: (?:filing|copy|statement|report|print))?)"
    r"(?: on| of| by [\w. ]{2,25}?(?: on|,| \|))?[:\s]+",
    re.IGNORECASE,
)
_PRINT_LABEL = re.compile(r"(?:re)?print|run|generated|export", re.IGNORECASE)
_SAYS_AS_OF = re.compile(r"\bas of\b", re.IGNORECASE)
_MOST_AHEAD = 25  # years of a document before which the claim has no other
# What is said of a paper's making, and, where nothing is, of the visit that it reports.
_MADE = re.compile(
    r"(?:dictated|transcribed|typed|written|composed|compiled|worked(?: up)?|updated|completed|created|"
    r"entered|revised|finali[sz]ed|(?:letter|notice|memo(?:randum)?|report) of)(?: on)?[:\s]+",
    re.IGNORECASE,
)
_SEEN = re.compile(r"(?:examined|evaluated|seen|interviewed|visited|inspected)(?: on)?[:\s]+", re.IGNORECASE)
_FROM = re.compile(r"^(?:From|De|Von)\s?:", re.IGNORECASE)
_SENT = re.compile(r"^(?:Date|Sent|Fecha|Enviado|Datum|Gesendet)\s?:", re.IGNORECASE)
_TIME_BEHIND = re.compile(r",?\s+(?:at\s+)?\d{1,2}:\d{2}")
_AHEAD = re.compile(
    r"(?:next|diar(?:y|ied)|appointment|hearing|due|expires?|scheduled|return|"
    r"follow[- ]?up|rtc|good until|valid|expect\w*|anticipat\w*|(?:re)?set|fixed|reassigned|continued|"
    r"trial|mediation|heard|convenes?|take place)\b[^.]{0,30}$|"
    r"\b(?:by|until|before|around|about|approximately)\s+(?:\w+day,?\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
# A file's name may hold the day of a visit whose report was written weeks later.
_WRITTEN_AFTER = 90
_TITLE_ROWS = 26  # the part of a first page where a letter's date is
_HEAD_ROWS = 7
_HEAD_WORDS = 12
_TITLE_WORDS = 3  # a label before a day has fewer words, or a colon
_AS_OF = re.compile(r"\b(?:as of|as at)[:\s]+$", re.IGNORECASE)
_OTHER_DAY = re.compile(
    r"\b(?:DO[BIL]|D/[IAL]|born|birth|injur\w*|accident|loss|incident|hire\w*|hearing|due|next|effective|from|"
    r"expires?|received|period|through|thru|re|hurt|working since|employed since)\b|\d\s*[-\u2013]\s*$",
    re.IGNORECASE,
)
# `Closing Report July 16, 2025`, not a sentence or what it tells: `seen on July 16, 2025`.
_TITLE = re.compile(
    r"^(?:(?:[A-Z0-9][\w.'&/()\u2019-]*|of|and|the|for|to|as|[-\u2013|:#])[,:.]?\s+)+[\w.]+[\s\d/,.-]*$"
)
_BIRTH = re.compile(
    r"\b(?:DOB|D\.O\.B\.?|born|birth(?:day|date)?|nacid[oa]|nacimiento)\b[^.;\d]{0,30}$", re.IGNORECASE
)
_BIRTH_WITHIN = 60  # characters before a day: a label may be on the line above
_LONGEST_LABEL = 6
# What a document reports lies within a claim's life: a day so far before its latest is a birth or a hire.
_MOST_YEARS = 12
_NAMED_DAYS = (
    re.compile(r"(?<!\d)(?P<y>20\d\d)[-_. ]?(?P<m>[01]\d)[-_. ]?(?P<d>[0-3]\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})[-_. ](?P<d>\d{1,2})[-_. ](?P<y>(?:20)?\d\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?P<y>(?:20)?[12]\d)(?!\d)"),
)
# Before a letter's day stands no more than the weekday and the town it was written in.
_BEFORE_BARE = re.compile(
    r"^(?:date[d]?:?\s*|fecha:?\s*)?"
    r"(?:(?-i:[A-Z\u00c0-\u00de])[^\W\d]+(?:[ .'\u2019-]{1,2}[^\W\d]+){0,3},\s*){0,2}"
    r"(?:a\s+)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s*)?",
    re.IGNORECASE,
)


def own_date(
    document: ParsedDocument,
    rows: Sequence[Row],
    pairs: Sequence[Pair],
    rules: DocumentRules | None,
    *,
    newest_entry: str = "",
    before: str = "",
) -> str:
    """Return the day that the document speaks for: a labelled date, the letter's date, or a signature's.

    A log without a labelled date speaks for its newest note; pages without a day of their own that go on
    with a paper of the day `before` speak for that day, unless they tell of later ones.
    """
    text = document.text
    found = find_dates(text)
    births = {str(span.value) for span in found if _is_birth(text, span.start)}
    past = [
        str(span.value) for span in found if not _AHEAD.search(text[max(0, span.start - 60) : span.start])
    ]
    latest = max(past, default="") or max((str(span.value) for span in found), default="")
    earliest = str(int(latest[:4]) - _MOST_YEARS) + latest[4:] if latest else ""
    for day in _days(document, rows, pairs, rules, newest_entry):
        if day and day not in births and day >= earliest:
            return day
    # what a file was called on the day it was kept, its writer did not write later
    named = named_day(document.source.name)
    written = [day for day in past if day not in births]
    if before and before >= max(written, default=""):
        return before
    written = _without_far_ahead(written)
    return max((day for day in written if not named or day <= named), default="") or max(written, default="")


_FAR = 120  # days
_FEW = 4  # one in so many


def _without_far_ahead(days: Sequence[str]) -> list[str]:
    """Return the days without the few far behind all others: when a time limit ends, or a room is free."""
    told = sorted(days)
    for place in range(len(told) - 1, 0, -1):
        is_gap = days_later(told[place - 1], _FAR) < told[place]
        if is_gap and _FEW * (len(told) - place) <= len(told):
            return told[:place]
    return told


def _days(
    document: ParsedDocument,
    rows: Sequence[Row],
    pairs: Sequence[Pair],
    rules: DocumentRules | None,
    newest_entry: str,
) -> Iterator[str]:
    """Yield the days that may be the document's own, the surest first; some are empty."""
    yield _sent_day(rows)
    speaks_for = _as_of_day(rows)
    for label in rules.dates if rules else ():
        # what was printed again speaks for the day of its figures all the same
        yield speaks_for if _PRINT_LABEL.match(" ".join(label)) else ""
        yield _labelled(pairs, label) if label != _PLAIN else ""
    if newest_entry:
        yield newest_entry
    has_label = rules is None or rules.has_date_label
    if has_label:
        yield _printed_date(rows)
    taken = frozenset(word for pair in pairs for word in pair.value.words)
    named = named_day(document.source.name)
    for letter in (_head_date(rows, taken), letter_date(rows, taken)):
        if letter and not (named and letter > days_later(named, _WRITTEN_AFTER)):
            yield letter
    if has_label:
        yield _stamped_date(rows)
    for pair in pairs if has_label else ():
        start = int(document.words.text_start[pair.value.words[0]])
        is_own = DATE_KEY in pair.keys and not _is_other_day(document.text, start)
        if is_own and (dates := find_dates(pair.value.text)):
            yield str(dates[0].value)
    for match in _SIGNED.finditer(document.text):
        dates = find_dates(document.text[match.end() : match.end() + 30])
        line = document.text[: match.start()].rpartition("\n")[2]
        if dates and dates[0].start <= 2 and not _OTHER_DAY.search(line):
            yield str(dates[0].value)
    for made in (_MADE, _SEEN):
        yield _head_verb(rows, made)
    # a notice's plain day is the hearing's, a fax machine's is the day it was sent
    yield _stamped_date(rows)


def _head_verb(rows: Sequence[Row], verb: re.Pattern[str]) -> str:
    """Return the day behind a verb that opens a part of a head's line: `Dictated May 5, 2025`."""
    for row in rows[:_TITLE_ROWS]:
        for segment in row.segments if row.page == rows[0].page else ():
            told = verb.match(segment.text)
            dates = find_dates(segment.text[told.end() : told.end() + 30]) if told else []
            if dates and dates[0].start <= 1:
                return str(dates[0].value)
    return ""


def _is_birth(text: str, start: int) -> bool:
    return bool(_BIRTH.search(text[max(0, start - _BIRTH_WITHIN) : start]))


def _is_other_day(text: str, start: int) -> bool:
    """Tell whether the words before a day make it one that is no day of writing."""
    line = text[max(0, start - 25) : start].rpartition("\n")[2]
    return bool(_AHEAD.search(text[max(0, start - 60) : start]) or _OTHER_DAY.search(line))


def _head_date(rows: Sequence[Row], labelled: frozenset[int]) -> str:
    """Return the date in a document's first lines: behind `as of`, or at the end of a title."""
    for row in rows[:_HEAD_ROWS]:
        if row.page == rows[0].page and (day := title_day(row)):
            dates = find_dates(row.text)
            if _AS_OF.search(row.text[: dates[0].start]):
                return max(day, *_other_parts(rows))
            if labelled.isdisjoint(row.words):
                return day
        last = row.segments[-1]
        is_beside_title = len(row.segments) == 2 and len(row.segments[0].texts) >= _TITLE_WORDS
        is_own = is_beside_title and labelled.isdisjoint(last.words) and is_bare_date(last.text)
        if row.page == rows[0].page and is_own and not _OTHER_DAY.search(row.segments[0].text):
            return str(find_dates(last.text)[0].value)
    return ""


def _other_parts(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the days of a sheet's parts: `Present (as of 1/15)` stands above `Proposed (as of 6/7)`."""
    for row in rows:
        dates = find_dates(row.text) if len(row.segments) == 1 else []
        if len(dates) == 1 and _AS_OF.search(row.text[: dates[0].start]) and title_day(row):
            yield str(dates[0].value)


def title_day(row: Row) -> str:
    """Return the one day that a short line ends with or gives as its `as of`, empty without one."""
    dates = find_dates(row.text) if len(row.text.split()) <= _HEAD_WORDS else []
    if len(dates) != 1:
        return ""
    before, after = row.text[: dates[0].start], row.text[dates[0].end :]
    if _AS_OF.search(before):
        return str(dates[0].value)
    is_end = before.strip() and not after.strip() and not any(c.isdigit() for c in before)
    return str(dates[0].value) if is_end and not _OTHER_DAY.search(before) else ""


def names_other_day(text: str) -> bool:
    """Tell whether a line is the label of a day that is no day of writing: `2. Date of birth`."""
    return len(text.split()) <= _LONGEST_LABEL and bool(_OTHER_DAY.search(text))


def is_of_other_day(before: str) -> bool:
    """Tell whether the words before a day on its line make it one that is no day of writing."""
    return bool(_OTHER_DAY.search(before) or _AHEAD.search(before))


def reads_as_title(row: Row) -> bool:
    """Tell whether a line is words in capitals before a day."""
    return bool(_TITLE.match(row.text))


def named_day(name: str) -> str:
    """Return the day that a file's name holds: `Review 3-3-25`, `scan 20240826 0007`."""
    for form in _NAMED_DAYS:
        for match in form.finditer(name):
            day = iso_date(year=int(match["y"]), month=int(match["m"]), day=int(match["d"]))
            if day is not None:
                return day
    dates = find_dates(name)
    return str(dates[0].value) if dates else ""


def _labelled(pairs: Sequence[Pair], label: tuple[str, ...]) -> str:
    """Return the day behind a label; a packet of visits speaks for its last one."""
    days = [str(dates[0].value) for p in pairs if p.name == label and (dates := find_dates(p.value.text))]
    return max(days, default="")


def letter_date(rows: Sequence[Row], labelled: frozenset[int]) -> str:
    """Return the date that is on a line of its own in a letter's head and is no label's value."""
    above = ""
    for row in rows[:_TITLE_ROWS]:
        if row.page != rows[0].page or row.box.top > 0.45:
            break
        text = row.segments[0].text
        # a date with a full stop is the end of the sentence above
        is_alone = len(row.segments) == 1 and row.words[0] not in labelled
        if is_alone and not names_other_day(above) and is_bare_date(text) and text[-1] != ".":
            return str(find_dates(text)[0].value)
        above = row.text
    return ""


def _sent_day(rows: Sequence[Row]) -> str:
    """Return the day of a message: the date of its own header, not of one that it quotes."""
    head = [row.text for row in rows[:10]]
    if not any(_FROM.match(text) for text in head):
        return ""
    sent = next((text for text in head if _SENT.match(text)), "")
    dates = find_dates(sent)
    return str(dates[0].value) if dates else ""


def _printed_date(rows: Sequence[Row]) -> str:
    """Return the day on which a print was made, as its first or last lines say: `Printed 08/26/2025`."""
    place = printed_day(rows)
    return place[0] if place else ""


def printed_day(rows: Sequence[Row]) -> tuple[str, Segment, int, int] | None:
    """Return the day of a print, the segment that says it and the range of its words there."""
    for row in (*rows[:6], *rows[-3:]):
        for segment in row.segments:
            for match in _PRINTED.finditer(segment.text):
                dates = find_dates(segment.text[match.end() : match.end() + 30])
                if dates and dates[0].start <= 2:
                    return str(dates[0].value), segment, match.start(), match.end() + dates[0].end
    return None


def _as_of_day(rows: Sequence[Row]) -> str:
    """Return the day that the head says the figures are of: `Balances as of 06/30/2025`."""
    place = printed_day(rows)
    if place is None:
        return ""
    day, segment, start, end = place
    return day if _SAYS_AS_OF.search(segment.text[start:end]) else ""


def plausible_day(day: str, others: Iterable[str]) -> bool:
    """Tell whether a document may be of a day, beside the days of the claim's other documents.

    Nobody has papers of a day that is decades ahead of all others: it is misprinted, or another day.
    """
    latest = max((other for other in others if other), default="")
    return not (day and latest) or int(day[:4]) - int(latest[:4]) <= _MOST_AHEAD


def _stamped_date(rows: Sequence[Row]) -> str:
    """Return the day of a stamp of day and time in the head or the foot."""
    for row in (*rows[:2], *rows[-2:]):
        stamped = [
            span
            for span in find_dates(row.text)
            if _TIME_BEHIND.match(row.text[span.end :]) and not _AHEAD.search(row.text[: span.start])
        ]
        if stamped:
            return str(stamped[0].value)
    return ""


def is_bare_date(text: str) -> bool:
    """Tell whether a line is a date and nothing else but a weekday and a town."""
    if _OTHER_DAY.search(text):
        return False
    first, slash, again = text.partition(" / ")
    if slash and re.search(r"\b(?:19|20)\d\d\W*$", again) and first.rstrip()[-4:] == again.rstrip(" .")[-4:]:
        text = first  # a letter in two languages has its day in both
    rest = text[_BEFORE_BARE.match(text).end() :]  # type: ignore[union-attr]  # matches the empty text too
    dates = find_dates(rest)
    return len(dates) == 1 and dates[0].start == 0 and dates[0].end >= len(rest.rstrip(" ."))

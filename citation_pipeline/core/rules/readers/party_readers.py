"""The parties to an agreement: who it is between, whom a letter is to and from, who signs it."""

import re
from collections.abc import Iterator

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.readers.candidates import Candidate, Item, candidate_of
from citation_pipeline.core.values.names import is_person_like

_FORMS = (
    r"(?:Inc|INC|LLC|L\.L\.C|LLP|L\.P|LP|Ltd|LTD|Limited|Corp|CORP|N\.A|S\.A|GmbH|AG|SE|plc|PLC|B\.V|N\.V|Co|P\.C|"
    r"S\.p\.A|S\.r\.l|Jr|Sr|III|IV)"
)
_WORD = r"(?:[A-Z0-9][\w.&'\u2019/-]*|[a-z]\d[\w-]*)"
_LOWER = rf"&|and(?= {_WORD}(?: {_WORD})*,? {_FORMS})|of|for|de|von|van|la"
_NAME = re.compile(
    rf"(?:(?:The|the) )?{_WORD}(?:,? {_FORMS}\b\.?| (?:{_WORD}|{_LOWER}))*(?:, {_FORMS}\b\.?)*"
)
_OPENING = re.compile(
    r"\b(?:(?:by and )?(?:between|among)(?: and among)?|zwischen|entre|pomi\u0119dzy|tra)(?: each of)?:?\s+",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"(?:\)|\u201d|\"|,|\b[A-Z]\w+|\.)[,;]?\s+"
    r"(?:(?:on the one hand,? |and,? |und |et |y |i )+(?:on the other hand,? )?)(?:between |among )?"
)
_NO_PARTY = re.compile(
    r"^(?:this|that|the (?:part|compan|employ|recipient|undersigned|other|agreement|date|execut|follow)\w*|"
    r"agreement|whereas|exhibit|section|state|article|each|any|such|all|both|its?|in|on|as|a|an|recitals?|"
    r"witnesseth|"
    r"company|employee|executive|recipient|party|parties|confidential\w*|with|effective|dated|delaware|corporation|"
    r"to whom|ladies|gentlemen|general|vice|president|chief|attn|attention|secretary|chairman|director)\b",
    re.IGNORECASE,
)
_DEFINED = re.compile(r"\(\s*(?:the|each|collectively|together|hereinafter|referred|\u201c|\"|as defined)")
_LONGEST = 900
_MOST_PARTIES = 6


def read_parties(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the parties that the opening sentence of an agreement names."""
    if not rules.parties:
        return
    for sentence, text in reading.statements:
        opening = _OPENING.search(text[:_LONGEST])
        if opening is None or not _is_agreement(text[: opening.start()]):
            continue
        items = list(_named(sentence.passage, opening.end()))
        if len(items) >= 2:
            yield candidate_of(
                reading,
                rules,
                None,
                sentence.unit,
                sentence.as_of,
                affinity,
                "parties",
                items=items,
                is_list=True,
            )
            return
    yield from _of_letter(reading, rules, affinity)


def _is_agreement(text: str) -> bool:
    return bool(re.search(r"\b(?:agreement|contract|made|entered|dated|vertrag|contrat|umowa)\b", text, re.I))


def _named(passage: Passage, start: int) -> Iterator[Item]:
    """Yield the names behind `between`, and behind each `and`: up to a description or a defined term."""
    text = passage.text[:_LONGEST]
    place = start
    for _ in range(_MOST_PARTIES):
        match = _NAME.match(text, place)
        name = _plain(match[0]) if match else ""
        if match and name and not _NO_PARTY.match(name):
            unit = passage.part(match.start(), match.end())
            yield Item({"": name}, unit)
        following = _NEXT.search(text, match.end() - 1 if match else place)
        if following is None:
            return
        place = following.end()


def _of_letter(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Read a letter agreement: the firm that it calls the company, and the firm that it is addressed to."""
    items: list[Item] = []
    for sentence, text in reading.statements[:40]:
        for match in _NAME.finditer(text[:_LONGEST]):
            name = _plain(match[0])
            is_firm = re.search(rf"\b{_FORMS}\b|Corporation|Company|Bank\b", name)
            defined = _DEFINED.match(text[match.end() :].lstrip(" ,"))
            if is_firm and defined and not _NO_PARTY.match(name) and len(items) < 2:
                items.append(Item({"": name}, sentence.passage.part(match.start(), match.end())))
    known = {str(item.value[""]) for item in items}
    for row in reading.rows[:24]:
        segment = row.segments[0]
        name = _plain(segment.text)
        is_firm = re.search(rf"\b{_FORMS}\b\.?$|(?:Corporation|Company|Partners|Group|Bank)$", name)
        if (
            row.page == reading.rows[0].page
            and is_firm
            and name not in known
            and not _NO_PARTY.match(name)
            and len(name.split()) <= 8
        ):
            items.append(Item({"": name}, segment.passage))
            known.add(name)
    if 2 <= len(items) <= 4:
        unit = items[0].unit
        yield candidate_of(
            reading, rules, None, unit, reading.date, 0.9 * affinity, "parties", items=items, is_list=True
        )


def _plain(text: str) -> str:
    name = " ".join(text.split()).strip(' ,;:("\u201c')
    name = re.sub(r"\s+(?:and|of|for|the|de|la)$", "", name)
    if name.endswith(".") and not re.search(rf"\b{_FORMS}\.$|\b[A-Z]\.$", name):
        name = name[:-1]
    if not (re.search(_FORMS, name) or is_person_like(name) or len(name) > 1):
        return ""
    return name

"""Sentences with one meaning-bearing change: medical and legal pairs, names, units, codes, marks, and eleven
languages. Each page says either member of a pair, so that neither direction is favoured."""

import random
from collections.abc import Iterator, Sequence

from benchmarks.quotations.cases import Case, Drawn, whole
from benchmarks.quotations.noise import misread
from benchmarks.quotations.sheets import Range, Sheet, occurrences, text_of
from benchmarks.quotations.wordings import Wording, capital, interleaved, lines, parse, wordings

KINDS = [
    "medical",
    "affix",
    "unit",
    "code",
    "name",
    "lookalike",
    "negation",
    "modal",
    "role",
    "side",
    "comparator",
    "range",
    "grouping",
    "number",
    "exchange",
    "ordinal",
    "lead",
    "address",
]
RIGHT_TO_LEFT = ("he", "ar")
UNSPACED = ("zh", "ja")
SHORTEST = 4
SLIPPED = ("lookalike", "medical")


def draw(split: str, seed: str) -> Iterator[Drawn]:
    yield from pairs(split, seed)
    yield languages(split, seed)


def pairs(split: str, seed: str) -> Iterator[Drawn]:
    """Two documents: one says what stands first in each bracket, the other what stands last."""
    fillers = lines(split, "fillers")
    for name, side in (("first", 0), ("last", -1)):
        numbers = random.Random(f"{seed} statements {name}")
        held = {
            wording.variants[side]: (kind, wording) for kind in KINDS for wording in wordings(split, kind)
        }
        sheet = Sheet(f"{split}_statements_{name}")
        places: dict[str, Range] = {}
        for sentence, planted in interleaved(list(held), fillers, numbers):
            sheet.room()
            place = sheet.write(capital(sentence) + ".")
            if planted:
                places[sentence] = place
        record = sheet.record()
        cases = []
        for sentence, (kind, wording) in held.items():
            cases += of_sentence(record, sentence, places[sentence], kind, wording, numbers)
        yield Drawn([record], cases)


def of_sentence(
    record: dict, said: str, place: Range, kind: str, wording: Wording, numbers: random.Random
) -> list[Case]:
    """Draw the honest quotation and each altered one, whole or cut round the change."""
    document = record["doc_id"]
    cases = [honest(record, said, place, kind, numbers)]
    if kind in SLIPPED:
        cases += slipped(record, said, place, wording, numbers)
    for variant in wording.variants:
        if variant == said:
            continue
        for text in {variant, cut(said, variant, numbers)}:
            if not occurrences(record, text):
                cases.append(Case(document, kind, "altered", text, (whole(place),), honest=False))
    return cases


def slipped(
    record: dict, said: str, place: Range, wording: Wording, numbers: random.Random
) -> Iterator[Case]:
    """Draw quotations with a few misread words, as printed and with the change beside them."""
    document = record["doc_id"]
    for count in (1, 2, 3):
        for variant in wording.variants:
            page, words = said.split(), variant.split()
            if len(page) != len(words):
                continue
            same = [at for at, (a, b) in enumerate(zip(page, words, strict=True)) if a == b and len(a) > 3]
            for at in numbers.sample(same, min(count, len(same))):
                words[at] = misread(words[at], 20, numbers)
            text = " ".join(words)
            if text != variant:
                is_honest = variant == said
                name = "slipped" if is_honest else "slipped_altered"
                yield Case(document, name, str(count), text, (whole(place),), honest=is_honest)


def honest(record: dict, said: str, place: Range, kind: str, numbers: random.Random) -> Case:
    count = place[1] - place[0]
    length = count if count <= SHORTEST else numbers.randint(SHORTEST, count)
    start = place[0] + numbers.randint(0, count - length)
    text = text_of(record, (start, start + length)).rstrip(".")
    found = occurrences(record, text) or [(start, start + length)]
    return Case(record["doc_id"], "honest", kind, text, tuple(whole(f) for f in found), honest=True)


def cut(said: str, variant: str, numbers: random.Random) -> str:
    """Return a part of the altered sentence that holds the change and a few words on each side."""
    page, words = said.split(), variant.split()
    ahead = 0
    while ahead < min(len(page), len(words)) and page[ahead] == words[ahead]:
        ahead += 1
    behind = 0
    while behind < min(len(page), len(words)) - ahead and page[-1 - behind] == words[-1 - behind]:
        behind += 1
    start = max(0, ahead - numbers.randint(2, 4))
    end = min(len(words), len(words) - behind + numbers.randint(2, 4))
    return " ".join(words[start:end])


def languages(split: str, seed: str) -> Drawn:
    """One document per language; the changes are a negation, a digit, a word or one character."""
    by_language: dict[str, list[tuple[str, Wording]]] = {}
    for line in lines(split, "languages"):
        label, text = line.split(":", 1)
        language, kind = label.split()
        by_language.setdefault(language, []).append((kind, parse(text.strip())))
    records, cases = [], []
    for language, held in by_language.items():
        numbers = random.Random(f"{seed} language {language}")
        sheet = Sheet(f"{split}_language_{language}")
        rtl = language in RIGHT_TO_LEFT
        end = "。" if language in UNSPACED else "."
        places = []
        for _, wording in held:
            sheet.room()
            places.append(sheet.write(wording.variants[0] + end, rtl=rtl))
        record = sheet.record()
        records.append(record)
        for (kind, wording), place in zip(held, places, strict=True):
            cases += of_language(record, language, kind, wording, place, numbers)
    return Drawn(records, cases)


def of_language(
    record: dict,
    language: str,
    kind: str,
    wording: Wording,
    place: Range,
    numbers: random.Random,
) -> list[Case]:
    document, said = record["doc_id"], wording.variants[0]
    cases = [Case(document, "language_honest", language, said, (whole(place),), honest=True)]
    if language in UNSPACED:
        start = numbers.randint(0, max(0, len(said) - 9))
        part = said[start : start + numbers.randint(8, 12)]
        cases.append(Case(document, "language_part", language, part, (whole(place),), honest=True))
    elif place[1] - place[0] > SHORTEST:
        start = numbers.randint(place[0], place[1] - SHORTEST)
        span = (start, numbers.randint(start + SHORTEST, place[1]))
        text = text_of(record, span).rstrip(".")
        found: Sequence[Range] = occurrences(record, text) or [span]
        spans = tuple(whole(f) for f in found)
        cases.append(Case(document, "language_honest", language, text, spans, honest=True))
    for variant in wording.variants[1:]:
        texts = {variant} if language in UNSPACED else {variant, cut(said, variant, numbers)}
        cases += [
            Case(document, f"language_{kind}", language, text, (whole(place),), honest=False)
            for text in sorted(texts)
            if not occurrences(record, text)
        ]
    return cases

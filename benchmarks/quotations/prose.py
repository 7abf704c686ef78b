"""Letters and reports of several pages, or documents given by path, and what is quoted of them: clean
quotations of badly recognized pages, long quotations, decoration, parts of several pages, names exchanged,
negations left out."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.quotations import noise
from benchmarks.quotations.cases import Case, Drawn, whole
from benchmarks.quotations.ellipses import JOINTS
from benchmarks.quotations.sheets import Range, Sheet, occurrences, pages_of, runs, text_of
from benchmarks.quotations.wordings import Slots, capital, lines

NEGATIONS = ("not", "no", "never", "cannot", "without")
SENTENCES_PER_PARAGRAPH = 4
DECORATIONS: dict[str, Callable[[str, str, str], str]] = {
    # start, middle and end of the quotation
    "quote label": lambda a, b, c: f'Quote: "{a} {b} {c}"',
    "excerpt label": lambda a, b, c: f"Excerpt — {a} {b} {c}",
    "bold": lambda a, b, c: f"{a} **{b}** {c}",
    "heading": lambda a, b, c: f"### {a} {b} {c}",
    "code": lambda a, b, c: f"`{a} {b} {c}`",
    "struck": lambda a, b, c: f"{a} ~~{b}~~ {c}",
    "quoted block": lambda a, b, c: f"> {a} {b}\n> {c}",
    "list": lambda a, b, c: f"- {a} {b} {c}",
    "reference": lambda a, b, c: f"{a} {b} {c} [2]",
    "inner reference": lambda a, b, c: f"{a} {b}[^4] {c}",
    "page": lambda a, b, c: f"{a} {b} {c} (p. 7)",
    "pages": lambda a, b, c: f"{a} {b} {c} (pp. 3-4)",
    "source mark": lambda a, b, c: f"{a} {b}【11:3†source】 {c}",
    "cite": lambda a, b, c: f"<cite index='5-1'>{a} {b} {c}</cite>",
    "superscript": lambda a, b, c: f"{a} {b}<sup>9</sup> {c}",
    "comment": lambda a, b, c: f"{a} <!-- column two --> {b} {c}",
    "unknown tag": lambda a, b, c: f"<evidence id='3'>{a} {b} {c}</evidence>",
    "entities": lambda a, b, c: f"{a}&nbsp;{b}&#32;{c}",
    "underlined": lambda a, b, c: f"{a} <u>{b}</u> {c}",
    "zero width": lambda a, b, c: f"{a} \u200b{b}\ufeff {c}",
    "outer ellipsis": lambda a, b, c: f"…{a} {b} {c}…",
    "link": lambda a, b, c: f"{a} [{b}](#page-4) {c}",
}


def draw(split: str, seed: str, given: Sequence[Mapping[str, Any]] = ()) -> Iterator[Drawn]:
    """Draw of three reports of our own; of each document given by path too."""
    own = [report(split, seed, number) for number in range(3)]
    strangers = report("held" if split == "dev" else "dev", seed, 9)
    for record in [*own, *given]:
        numbers = random.Random(f"{seed} prose {record['doc_id']}")
        yield Drawn([record], list(quoted(record, strangers, numbers)))
        yield from recognized(record, numbers)


def report(split: str, seed: str, number: int, paragraphs: int = 40) -> dict[str, Any]:
    """Return a report of several pages with a footer on each."""
    numbers = random.Random(f"{seed} report {number}")
    slots = Slots(split, numbers)
    templates = lines(split, "prose")
    sheet = Sheet(f"{split}_report{number}")
    for _ in range(paragraphs):
        chosen = numbers.sample(templates, SENTENCES_PER_PARAGRAPH)
        if sheet.top > 0.8:
            # A paragraph may go over the page: its first part ends where the footer begins.
            text = " ".join(capital(slots.fill(t)) for t in chosen).split()
            sheet.write(" ".join(text[: len(text) // 2]))
            sheet.top = max(sheet.top, 0.95)
            sheet.write(f"{slots.company()} file note {number}", kind="Footer")
            sheet.turn()
            sheet.write(" ".join(text[len(text) // 2 :]))
        else:
            sheet.write(" ".join(capital(slots.fill(t)) for t in chosen))
    return sheet.record()


def places_of(record: Mapping[str, Any], text: str, span: Range) -> tuple[tuple[Range, ...], ...]:
    return tuple(whole(found) for found in occurrences(record, text) or [span])


def spans(record: Mapping[str, Any], length: int, count: int, numbers: random.Random) -> list[Range]:
    found = list(runs(record, length))
    return numbers.sample(found, min(count, len(found)))


def quoted(record: Mapping[str, Any], strangers: Mapping[str, Any], numbers: random.Random) -> Iterator[Case]:
    yield from decorated(record, numbers)
    yield from long(record, numbers)
    yield from stitched(record, strangers, numbers)
    yield from changed(record, numbers)


def decorated(record: Mapping[str, Any], numbers: random.Random) -> Iterator[Case]:
    document = record["doc_id"]
    for name, decorate in DECORATIONS.items():
        for span in spans(record, numbers.randint(7, 14), 1, numbers):
            words = text_of(record, span).split()
            first, second = len(words) // 3, 2 * len(words) // 3
            parts = words[:first], words[first:second], words[second:]
            text = decorate(*(" ".join(part) for part in parts))
            places = places_of(record, " ".join(words), span)
            yield Case(document, "decorated", name, text, places, honest=True, flag_ok=name == "struck")
            change = alter(words, record, numbers)
            if change is not None:
                parts = change[:first], change[first:second], change[second:]
                text = decorate(*(" ".join(part) for part in parts))
                yield Case(document, "decorated_altered", name, text, (whole(span),), honest=False)


def long(record: Mapping[str, Any], numbers: random.Random) -> Iterator[Case]:
    document, total = record["doc_id"], len(record["words"])
    for length in (300, 450, 600, 900):
        if length > total // 2:
            break
        start = numbers.randrange(total - length)
        span = (start, start + length)
        words = text_of(record, span).split()
        yield Case(document, "long", str(length), " ".join(words), (whole(span),), honest=True)
        for _ in range(2):
            change = alter(words, record, numbers)
            if change is not None:
                yield Case(
                    document, "long_altered", str(length), " ".join(change), (whole(span),), honest=False
                )


def stitched(
    record: Mapping[str, Any], strangers: Mapping[str, Any], numbers: random.Random
) -> Iterator[Case]:
    """Parts of different pages joined by an ellipsis; one of them altered; one of them of another
    document."""
    document = record["doc_id"]
    by_page: dict[int, list[Range]] = {}
    for span in runs(record, 8):
        if len(occurrences(record, text_of(record, span))) == 1:
            by_page.setdefault(min(pages_of(record, span)), []).append(span)
    if len(by_page) < 2:
        return
    for number in range(8):
        chosen = numbers.sample(sorted(by_page), 3 if number % 3 == 0 and len(by_page) > 2 else 2)
        parts = [numbers.choice(by_page[page]) for page in sorted(chosen)]
        joint = JOINTS[number % len(JOINTS)]
        texts = [text_of(record, part) for part in parts]
        variant = f"{len(parts)} parts"
        yield Case(document, "stitched", variant, joint.join(texts), (tuple(parts),), True, flag_ok=True)
        change = alter(texts[-1].split(), record, numbers)
        if change is not None:
            text = joint.join([*texts[:-1], " ".join(change)])
            yield Case(document, "stitched_altered", variant, text, (tuple(parts),), honest=False)
        other = text_of(strangers, numbers.choice(list(runs(strangers, 8))))
        text = joint.join([*texts[:-1], other])
        yield Case(document, "stitched_missing", variant, text, (tuple(parts[:-1]),), honest=False)


def changed(record: Mapping[str, Any], numbers: random.Random) -> Iterator[Case]:
    """Names of the document exchanged, negations left out, plain words replaced."""
    document = record["doc_id"]
    capitals = sorted(
        {w[0] for w in record["words"] if re.fullmatch(r"[A-Z][a-z]{4,}", w[0]) and w[0][1:].islower()}
    )
    drawn = 0
    for span in spans(record, 9, 400, numbers):
        words = text_of(record, span).split()
        for at, word in enumerate(words[1:-1], start=1):
            if word in capitals and not words[at - 1].endswith((".", ":")):
                other = numbers.choice([name for name in capitals if name != word])
                text = " ".join([*words[:at], other, *words[at + 1 :]])
                if drawn < 10 and not occurrences(record, text):
                    drawn += 1
                    yield Case(document, "name_of_document", "swap", text, (whole(span),), honest=False)
                break
    negatives = [i for i, w in enumerate(record["words"]) if w[0].casefold() in NEGATIONS]
    for at in numbers.sample(negatives, min(6, len(negatives))):
        span = (max(0, at - 4), min(len(record["words"]), at + 6))
        text = f"{text_of(record, (span[0], at))} {text_of(record, (at + 1, span[1]))}"
        if not occurrences(record, text):
            yield Case(document, "negation_dropped", "dropped", text, (whole(span),), honest=False)
    for span in spans(record, 10, 10, numbers):
        change = alter(text_of(record, span).split(), record, numbers)
        if change is not None:
            yield Case(
                document, "word_of_document", "replaced", " ".join(change), (whole(span),), honest=False
            )


def alter(words: Sequence[str], record: Mapping[str, Any], numbers: random.Random) -> list[str] | None:
    """Return the words with one digit changed, a *not* added or a word replaced by another of the document;
    `None` where the result stands in the document too."""
    plain = [at for at, word in enumerate(words) if re.fullmatch(r"[a-z]{5,}", word)]
    digits = [at for at, word in enumerate(words) if any(c.isdigit() for c in word)]
    ways = ["digit"] * bool(digits) * 2 + ["word"] * bool(plain) + ["not"] * bool(plain)
    if not ways:
        return None
    way, result = numbers.choice(ways), list(words)
    if way == "digit":
        at = numbers.choice(digits)
        places = [i for i, c in enumerate(words[at]) if c.isdigit()]
        i = numbers.choice(places)
        result[at] = (
            words[at][:i] + str((int(words[at][i]) + numbers.randint(1, 9)) % 10) + words[at][i + 1 :]
        )
    elif way == "word":
        at = numbers.choice(plain)
        others = sorted({w[0] for w in record["words"] if re.fullmatch(r"[a-z]{5,}", w[0])} - {words[at]})
        if not others:
            return None
        result[at] = numbers.choice(others)
    else:
        result.insert(numbers.choice(plain), "not")
    return None if occurrences(record, " ".join(result)) else result


def recognized(record: Mapping[str, Any], numbers: random.Random) -> Iterator[Drawn]:
    """The document with recognition noise on its words, and clean quotations of it."""
    known = {word[0].casefold().strip(".,;:") for word in record["words"]}
    for percent in noise.PERCENTS:
        name = f"noise{percent}_{record['doc_id']}"
        page = noise.damaged(record, name, percent, known, numbers)
        cases = []
        for length in (4, 6, 8, 12, 16, 25):
            for span in spans(record, length, 3, numbers):
                clean = text_of(record, span)
                if len(occurrences(record, clean)) > 1 or clean == text_of(page, span):
                    continue
                cases.append(Case(name, "noisy_page", f"{percent}%", clean, (whole(span),), honest=True))
                change = alter(clean.split(), record, numbers)
                if change is not None:
                    text = " ".join(change)
                    cases.append(
                        Case(name, "noisy_page_altered", f"{percent}%", text, (whole(span),), honest=False)
                    )
        yield Drawn([page], cases)

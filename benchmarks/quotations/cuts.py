"""Quotations that say something else than the page: another abbreviation among misread words, cells that were
only read behind each other, cuts inside words of scripts without spaces."""

import random
from collections.abc import Iterator, Sequence

from benchmarks.quotations.cases import Case, Drawn, whole
from benchmarks.quotations.noise import CONFUSED
from benchmarks.quotations.sheets import Sheet
from benchmarks.quotations.wordings import lines, wordings

_MISREAD = (1, 2, 3)  # other words that are misread
_LEAST_WORD = 6  # letters of a word that is misread
_FIGURES = {
    "dev": (
        ("Part", "Neck", "Back", "Hip"), ("Rating", "10%", "15%", "20%"), ("Weeks", "3.2", "5.5", "8.7"),
    ),
    "held": (
        ("Payee", "Bay Imaging", "Oak Clinic", "Fir Labs"), ("Billed", "1,200.50", "300.00", "75.25"),
        ("Paid", "900.00", "250.00", "60.10"),
    ),
}  # fmt: skip
_SPLIT = (0.08, 0.34, 0.6)


def draw(split: str, seed: str) -> Iterator[Drawn]:
    yield abbreviations(split, seed)
    yield columns(split)
    yield cut_words(split)


def abbreviations(split: str, seed: str) -> Drawn:
    numbers = random.Random(f"{seed} abbreviations")
    fillers = lines(split, "fillers")
    documents, cases = [], []
    for number, wording in enumerate(wordings(split, "abbreviation")):
        sheet = Sheet(f"{split}_abbreviation{number}")
        sheet.write(numbers.choice(fillers) + ".")
        right, wrong = wording.variants
        place = (whole(sheet.write(right + ".")),)
        sheet.write(numbers.choice(fillers) + ".")
        documents.append(sheet.record())
        for count in _MISREAD:
            slips = slipped(right, count, numbers)
            altered = " ".join(slips.get(at, word) for at, word in enumerate(wrong.split()))
            honest = " ".join(slips.get(at, word) for at, word in enumerate(right.split()))
            cases.append(Case(sheet.name, "abbreviation_noisy", f"{count}", altered, place, honest=False))
            cases.append(Case(sheet.name, "abbreviation_honest", f"{count}", honest, place, honest=True))
    return Drawn(documents, cases)


def slipped(text: str, count: int, numbers: random.Random) -> dict[int, str]:
    """Return so many words of a text, by their place, each with one letter misread."""
    words = text.split()
    long = [at for at, word in enumerate(words) if len(word) >= _LEAST_WORD and word.isalpha()]
    found = {}
    for at in numbers.sample(long, count):
        word = words[at]
        place = numbers.choice([n for n in range(1, len(word)) if word[n] in CONFUSED])
        others = CONFUSED[word[place]].replace(word[place], "")
        found[at] = word[:place] + numbers.choice(others) + word[place + 1 :]
    return found


def columns(split: str) -> Drawn:
    """A table that the parser reads by columns: the last cell of one is behind the first of the next."""
    documents, cases = [], []
    table = _FIGURES[split]
    for turn, printed in enumerate((table, [column[1:] for column in table])):
        sheet = Sheet(f"{split}_columns{turn}")
        cells = _by_columns(sheet, printed)
        documents.append(sheet.record())
        for before, behind, ranges, follows in zip(printed, printed[1:], cells, cells[1:], strict=False):
            for first in range(1, len(before)):
                said = " ".join((*before[first:], behind[0]))
                place = (whole((ranges[first][0], follows[0][1])),)
                cases.append(Case(sheet.name, "column_read_on", f"{turn}", said, place, honest=False))
        for row in range(len(printed[0])):
            said = " ".join(column[row] for column in printed)
            place = (tuple(column[row] for column in cells),)
            cases.append(Case(sheet.name, "column_row", f"{turn}", said, place, honest=True))
        for column, ranges in zip(printed, cells, strict=True):
            place = (whole((ranges[0][0], ranges[-1][1])),)
            cases.append(Case(sheet.name, "column_whole", f"{turn}", " ".join(column), place, honest=True))
    return Drawn(documents, cases)


def _by_columns(sheet: Sheet, table: Sequence[Sequence[str]]) -> list[list[tuple[int, int]]]:
    top, found = sheet.top, []
    for left, column in zip(_SPLIT, table, strict=True):
        sheet.top = top
        ranges = sheet.rows([(cell,) for cell in column], (left,))
        found.append([row[0] for row in ranges])
    return found


def cut_words(split: str) -> Drawn:
    """Draw parts of a line, cut inside a word or not; the file has `page | altered / honest | honest`."""
    documents, cases = [], []
    for number, line in enumerate(lines(split, "cut")):
        sheet = Sheet(f"{split}_cut_words{number}")
        altered, _, honest = line.partition("/")
        page, *wrong = (part.strip() for part in altered.split("|"))
        place = (whole(sheet.write(page)),)
        cases += [Case(sheet.name, "language_cut", "", text, place, honest=False) for text in wrong if text]
        right = (part.strip() for part in honest.split("|"))
        cases += [Case(sheet.name, "language_part", "", text, place, honest=True) for text in right if text]
        documents.append(sheet.record())
    return Drawn(documents, cases)

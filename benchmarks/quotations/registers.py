"""Long registers whose cells are all alike, with page and value hints; tables quoted with their header words
between the cells."""

import random
from collections.abc import Callable, Iterator, Sequence

from benchmarks.quotations.cases import Case, Drawn, whole
from benchmarks.quotations.sheets import Range, Sheet, occurrences

LEFTS = (0.06, 0.16, 0.3, 0.52, 0.66, 0.8)
HEADERS = {
    "dev": ("Entry", "Posted", "Recipient", "Sum", "Class", "State"),
    "held": ("Voucher", "Issued", "Vendor", "Total", "Code", "Result"),
}
PEOPLE = {"dev": ("Barlow", "Ketcham", "Orsini"), "held": ("Tanaka", "Whitlock", "Ferrer")}
AMOUNTS = {"dev": ("315.00", "1,240.00", "86.50"), "held": ("472.25", "2,030.00", "95.75")}
STATES = {"dev": ("Cleared", "Open"), "held": ("Issued", "Void")}
ROWS_PER_PAGE = 40
FORMS: dict[str, Callable[[str, str], str]] = {
    "colon": lambda head, cell: f"{head}: {cell}",
    "equal": lambda head, cell: f"{head} = {cell}",
    "bold": lambda head, cell: f"**{head}:** {cell}",
    "space": lambda head, cell: f"{head} {cell}",
    "quoted": lambda head, cell: f'"{head}": "{cell}"',
}
JOINTS = (", ", "; ", "\n", " | ")


def draw(split: str, seed: str) -> Iterator[Drawn]:
    for rows in (480, 1200):
        yield register(split, seed, rows)
    yield statement(split, seed)


def register(split: str, seed: str, rows: int) -> Drawn:
    numbers = random.Random(f"{seed} register {rows}")
    sheet = Sheet(f"{split}_register{rows}")
    first_number = numbers.randint(300, 600) * 100
    table: list[tuple[str, ...]] = []
    cells: list[list[Range]] = []
    for start in range(0, rows, ROWS_PER_PAGE):
        part = [
            (
                str(first_number + number),
                f"{numbers.randint(1, 12):02d}/{numbers.randint(1, 28):02d}/2021",
                numbers.choice(PEOPLE[split]),
                numbers.choice(AMOUNTS[split]),
                numbers.choice(("TD", "PD", "MED")),
                STATES[split][0] if numbers.random() < 0.9 else STATES[split][1],
            )
            for number in range(start, start + ROWS_PER_PAGE)
        ]
        sheet.write(f"Register sheet {sheet.page}", kind="Header")
        cells += sheet.rows([HEADERS[split], *part], LEFTS)[1:]
        table += part
        if start + ROWS_PER_PAGE < rows:
            sheet.turn()
    record = sheet.record()
    cases = [
        *by_page(record, table, cells, numbers),
        *by_value(record["doc_id"], table, cells, numbers),
        *whole_rows(record["doc_id"], table, cells, numbers),
    ]
    return Drawn([record], cases)


def by_page(
    record: dict, table: Sequence[Sequence[str]], cells: Sequence[Sequence[Range]], numbers: random.Random
) -> Iterator[Case]:
    """A cell that is printed hundreds of times, with the page where it is meant: any of that page is right, a
    column's head too where it says the same."""
    pages = {at: record["words"][ranges[0][0]][1] for at, ranges in enumerate(cells)}
    for page in sorted(set(pages.values())):
        for column in (2, 3, 5):
            rows = [at for at in pages if pages[at] == page]
            text = table[numbers.choice(rows)][column]
            found = occurrences(record, text)
            places = tuple(whole(span) for span in found if record["words"][span[0]][1] == page)
            yield Case(
                record["doc_id"], "register_page", text, text, places, honest=True, hint={"page": page}
            )


def by_value(
    document: str,
    table: Sequence[Sequence[str]],
    cells: Sequence[Sequence[Range]],
    numbers: random.Random,
) -> Iterator[Case]:
    """A cell with the number of its row as value: only that row's is right."""
    for at in sorted(numbers.sample(range(len(table)), 24)):
        for column in (3, 5):
            yield Case(
                document,
                "register_value",
                "row",
                table[at][column],
                (whole(cells[at][column]),),
                honest=True,
                hint={"value": table[at][0]},
            )


def whole_rows(
    document: str,
    table: Sequence[Sequence[str]],
    cells: Sequence[Sequence[Range]],
    numbers: random.Random,
) -> Iterator[Case]:
    for at in sorted(numbers.sample(range(len(table)), 10)):
        place = whole((cells[at][0][0], cells[at][-1][1]))
        text = " ".join(table[at])
        yield Case(document, "register_row", "as printed", text, (place,), honest=True)
        swapped = list(table[at])
        swapped[3] = numbers.choice([a for a in sorted({row[3] for row in table}) if a != table[at][3]])
        yield Case(document, "register_row_altered", "amount", " ".join(swapped), (place,), honest=False)


def statement(split: str, seed: str) -> Drawn:
    """A statement of account: rows quoted with their header words, rightly and with two values exchanged."""
    numbers = random.Random(f"{seed} statement")
    sheet = Sheet(f"{split}_statement")
    sheet.write("Statement of account")
    header = HEADERS[split][:5]
    table = [
        (
            str(7000 + numbers.randint(100, 999)),
            f"{numbers.randint(1, 12):02d}/{numbers.randint(1, 28):02d}/2020",
            f"{numbers.choice(PEOPLE[split])} {numbers.choice(('Clinic', 'Supply', 'Transport'))}",
            f"{numbers.randint(100, 900)}.{numbers.randint(10, 99)}",
            f"{numbers.randint(10, 99)}.{numbers.randint(10, 99)}",
        )
        for _ in range(36)
    ]
    found = sheet.rows([header, *table], LEFTS[:5])
    heads, cells = found[0], found[1:]
    optional = tuple(heads)
    cases = []
    for row, ranges in zip(table[:30], cells, strict=False):
        form, joint = numbers.choice(sorted(FORMS)), numbers.choice(JOINTS)
        place = ((ranges[0][0], ranges[-1][1]),)
        text = joint.join(FORMS[form](h, c) for h, c in zip(header, row, strict=True))
        cases.append(
            Case(sheet.name, "header_row", form, text, (place,), True, flag_ok=True, optional=optional)
        )
        turned = [row[0], row[1], row[2], row[4], row[3]]
        text = joint.join(FORMS[form](h, c) for h, c in zip(header, turned, strict=True))
        cases.append(Case(sheet.name, "header_row_swapped", form, text, (place,), honest=False))
    return Drawn([sheet.record()], cases)

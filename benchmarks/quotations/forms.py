"""Checkboxes, and dates and numbers rewritten in another form: rightly, wrongly."""

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from benchmarks.quotations.cases import Case, Drawn, whole
from benchmarks.quotations.sheets import Sheet, occurrences
from benchmarks.quotations.wordings import Slots, lines

BOXES = (
    ("☒", "☐"),
    ("☑", "☐"),
    ("[X]", "[ ]"),
    ("[x]", "[ ]"),
    ("(x)", "( )"),
    ("■", "□"),
    ("✓", "✗"),
    ("●", "○"),
)
DATES: dict[str, Callable[[date], str]] = {
    "us": lambda d: f"{d.month:02d}/{d.day:02d}/{d.year}",
    "us short": lambda d: f"{d.month}/{d.day}/{d.year % 100:02d}",
    "long": lambda d: f"{Slots.MONTHS[d.month - 1]} {d.day}, {d.year}",
    "british": lambda d: f"{d.day} {Slots.MONTHS[d.month - 1]} {d.year}",
    "short month": lambda d: f"{Slots.MONTHS[d.month - 1][:3]}. {d.day}, {d.year}",
    "iso": lambda d: d.isoformat(),
}
UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
]
UNITS += ["sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def draw(split: str, seed: str) -> Iterator[Drawn]:
    yield checkboxes(split, seed, 0)
    yield checkboxes(split, seed, 1)
    for turn in range(2):
        yield dates(split, seed, turn)
    for turn in range(3):
        yield amounts(split, seed, turn)


def checkboxes(split: str, seed: str, turn: int) -> Drawn:
    numbers = random.Random(f"{seed} checkboxes {turn}")
    sheet = Sheet(f"{split}_checkboxes{turn}")
    cases = []
    fillers = lines(split, "fillers")
    for number, question in enumerate(lines(split, "questions")):
        on, off = BOXES[(number + 4 * turn) % len(BOXES)]
        yes = (number + turn) % 2 == 0
        sheet.room()
        sheet.write(numbers.choice(fillers) + ".")
        right, wrong = [
            f"{question} {on if ticked else off} Yes {off if ticked else on} No" for ticked in (yes, not yes)
        ]
        place = (whole(sheet.write(right)),)
        cases.append(Case(sheet.name, "checkbox", on, right, place, honest=True))
        cases.append(Case(sheet.name, "checkbox_wrong", on, wrong, place, honest=False))
        other = "☒" if on != "☒" else "☑"
        redrawn = right.replace(on, other).replace(off, "☐")
        cases.append(Case(sheet.name, "checkbox_redrawn", on, redrawn, place, honest=True, flag_ok=True))
        unticked = right.replace(on, off)
        cases.append(Case(sheet.name, "checkbox_wrong", "none", unticked, place, honest=False))
    return Drawn([sheet.record()], cases)


def dates(split: str, seed: str, turn: int) -> Drawn:
    numbers = random.Random(f"{seed} dates {turn}")
    sheet = Sheet(f"{split}_dates{turn}")
    cases = []
    fillers = lines(split, "fillers")
    for number, template in enumerate(lines(split, "dates")):
        day = date(2021, 1, 1) + timedelta(days=numbers.randrange(1400))
        names = sorted(DATES)
        printed = names[(number + 3 * turn) % len(names)]
        sheet.room()
        sheet.write(numbers.choice(fillers) + ".")
        place = (whole(sheet.write(template.replace("{}", DATES[printed](day)) + ".")),)
        for form in numbers.sample([name for name in names if name != printed], 2):
            text = template.replace("{}", DATES[form](day))
            cases.append(
                Case(sheet.name, "date_rewritten", f"{printed} as {form}", text, place, True, flag_ok=True)
            )
            wrong = day + timedelta(days=numbers.choice((1, -1, 10, 31, 365, -365, 61)))
            text = template.replace("{}", DATES[form](wrong))
            cases.append(Case(sheet.name, "date_wrong", f"{printed} as {form}", text, place, honest=False))
    return Drawn([sheet.record()], cases)


def in_words(number: int) -> str:
    if number < 20:
        return UNITS[number]
    return TENS[number // 10] + (f"-{UNITS[number % 10]}" if number % 10 else "")


def forms_of(slot: str, numbers: random.Random) -> tuple[list[str], list[str]]:
    """Return forms of one amount and forms of another one, the printed form first."""
    if slot == "money":
        value = numbers.choice((1_200_000, 350_000, 48_000, 2_500_000, 125_000, 900_000, 76_000))
        wrong = value + numbers.choice((100_000, 10_000, 1_000))
        return money(value), money(wrong)
    value = numbers.randint(6, 90)
    wrong = numbers.choice([n for n in (value + 1, value + 10, value - 3) if n != value])
    if slot == "percent":
        return percent(value), percent(wrong)
    return [str(value), in_words(value), f"{in_words(value)} ({value})"], [
        str(wrong),
        in_words(wrong),
        f"{in_words(wrong)} ({wrong})",
    ]


def money(value: int) -> list[str]:
    shorter = f"{value / 1e6:g} million" if value >= 1e6 else f"{value // 1000}K"
    return [f"${value:,}", f"${shorter}", f"${value:,}.00", f"${value}", f"{value:,} dollars"]


def percent(value: int) -> list[str]:
    return [f"{value}%", f"{value} percent", f"{in_words(value)} percent", f"{value} %"]


def amounts(split: str, seed: str, turn: int) -> Drawn:
    numbers = random.Random(f"{seed} amounts {turn}")
    sheet = Sheet(f"{split}_amounts{turn}")
    fillers = lines(split, "fillers")
    drawn: list[tuple[str, str, list[str], list[str], tuple[int, int]]] = []
    for template in lines(split, "amounts"):
        slot = next(name for name in ("money", "small", "percent") if f"{{{name}}}" in template)
        right, wrong = forms_of(slot, numbers)
        sheet.room()
        sheet.write(numbers.choice(fillers) + ".")
        shown = template.replace(f"{{{slot}}}", right[0])
        drawn.append((slot, template, right, wrong, sheet.write(shown + ".")))
    record, cases = sheet.record(), []
    for slot, template, right, wrong, place in drawn:
        for kind, forms in (("number_rewritten", right), ("number_wrong", wrong)):
            text = template.replace(f"{{{slot}}}", numbers.choice(forms[1:]))
            honest = kind == "number_rewritten"
            if honest or not occurrences(record, text):
                cases.append(Case(sheet.name, kind, slot, text, (whole(place),), honest, flag_ok=honest))
    return Drawn([record], cases)

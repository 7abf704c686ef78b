"""The sentences that are planted, read from `wordings/<split>/*.txt`. The two splits share no sentence: what
is tuned on `dev` is measured on `held`.

`[page|altered|altered]` is what the page says and what altered quotations say instead; several brackets of a
line change together.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "wordings"
BRACKET = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Wording:
    """A sentence and its variants: the first is what a page says unless the case turns it round."""

    variants: tuple[str, ...]
    focus: tuple[str, ...]
    """What each variant says in its (first) bracket."""


def lines(split: str, name: str) -> list[str]:
    text = (FOLDER / split / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line.strip() and not line.startswith("#")]


def parse(line: str) -> Wording:
    brackets = [match.group(1).split("|") for match in BRACKET.finditer(line)]
    if not brackets:
        return Wording((line,), ("",))
    count = min(len(bracket) for bracket in brackets)
    variants = []
    for number in range(count):
        at = iter(brackets)
        said = BRACKET.sub(lambda _, at=at, number=number: next(at)[number], line)
        variants.append(" ".join(said.split()))
    return Wording(tuple(variants), tuple(brackets[0][:count]))


def wordings(split: str, name: str) -> list[Wording]:
    return [parse(line) for line in lines(split, name)]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Slots:
    """Fills {person}, {date} and the like, always in the same way for the same seed."""

    FIRST = {
        "dev": [
            "Adela",
            "Bruno",
            "Carla",
            "Dmitri",
            "Estelle",
            "Farid",
            "Greta",
            "Hiro",
            "Imani",
            "Jorge",
            "Kamala",
            "Lionel",
        ],
        "held": [
            "Noemi",
            "Oscar",
            "Pilar",
            "Quentin",
            "Rosa",
            "Samir",
            "Tilda",
            "Ulrich",
            "Vera",
            "Winston",
            "Xenia",
            "Yusuf",
        ],
    }
    LAST = {
        "dev": [
            "Acheson",
            "Bellweather",
            "Castellan",
            "Dragomir",
            "Engstrom",
            "Fairchild",
            "Galvez",
            "Hollister",
            "Ivers",
        ],
        "held": [
            "Jablonski",
            "Kettering",
            "Lindqvist",
            "Mbeki",
            "Norwood",
            "Ostrander",
            "Pellegrini",
            "Ravenel",
            "Sandoval",
        ],
    }
    COMPANY = {
        "dev": ["Orchard Valley Foods", "Blue Heron Freight", "Granite Peak Medical", "Willow Creek Imaging"],
        "held": ["Silver Birch Foundry", "Cedar Point Rehab", "Twin Rivers Supply", "Amber Coast Surgery"],
    }
    ROLE = ("adjuster", "case nurse", "treating physician", "evaluator", "safety officer", "arbitrator")
    JOB = ("welder", "packer", "forklift", "loading", "assembly", "baking", "painting", "cleaning")
    MONTHS = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]

    def __init__(self, split: str, numbers: random.Random) -> None:
        self.split = split
        self.numbers = numbers

    def fill(self, template: str) -> str:
        return SLOT.sub(lambda match: getattr(self, match.group(1))(), template)

    def person(self) -> str:
        return f"{self.numbers.choice(self.FIRST[self.split])} {self.numbers.choice(self.LAST[self.split])}"

    def company(self) -> str:
        return self.numbers.choice(self.COMPANY[self.split])

    def role(self) -> str:
        return self.numbers.choice(self.ROLE)

    def job(self) -> str:
        return self.numbers.choice(self.JOB)

    def count(self) -> str:
        return str(self.numbers.randint(3, 48))

    def amount(self) -> str:
        return f"${self.numbers.randint(200, 98000):,}.{self.numbers.randint(0, 99):02d}"

    def date(self) -> str:
        month, day, year = self.numbers.randint(1, 12), self.numbers.randint(1, 28), 2018
        year += self.numbers.randint(0, 6)
        written = f"{self.MONTHS[month - 1]} {day}, {year}", f"{month:02d}/{day:02d}/{year}"
        return self.numbers.choice(written)


def interleaved(
    planted: Sequence[str], fillers: Sequence[str], numbers: random.Random
) -> Iterator[tuple[str, bool]]:
    """Yield the planted sentences in random order with fillers between; the flag tells which is which."""
    order = list(planted)
    numbers.shuffle(order)
    for sentence in order:
        yield sentence, True
        if numbers.random() < 0.4:
            yield numbers.choice(fillers), False

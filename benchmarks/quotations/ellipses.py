"""Ellipses that leave out a negation, and honest ones that leave out other words."""

import random
import re

from benchmarks.quotations.cases import Case, Drawn, whole
from benchmarks.quotations.sheets import Sheet
from benchmarks.quotations.wordings import lines

JOINTS = (" … ", " [...] ", " ... ", " […] ")


def draw(split: str, seed: str) -> Drawn:
    numbers = random.Random(f"{seed} hidden")
    sheet = Sheet(f"{split}_ellipses")
    cases = []
    fillers = lines(split, "fillers")
    for line in lines(split, "hidden_negation"):
        sheet.room()
        before, negation, after = re.split(r"[{}]", line)
        head, inside, tail = before.split(), negation.split(), after.split()
        first, last = sheet.write(f"{before}{negation}{after}.")
        sheet.write(numbers.choice(fillers) + ".")
        for joint in JOINTS[:2]:
            more, left = numbers.choice((0, 0, 1, 2)), numbers.randint(3, min(7, len(head)))
            shown = head[-left:], tail[more : more + numbers.randint(5, 8)]
            text = joint.join(" ".join(part) for part in shown)
            cases.append(
                Case(
                    sheet.name, "hidden_negation", joint.strip(), text, (whole((first, last)),), honest=False
                )
            )
            # Left out before or behind the negation, which is shown.
            start = first + numbers.randint(0, 1)
            gone = numbers.randint(1, 2)
            keep = first + len(head) + len(inside) + numbers.randint(2, 3)
            spans_shown = (start, keep), (keep + gone, last)
            page = [w[0] for w in sheet.words]
            text = joint.join(" ".join(page[a:b]).rstrip(".") for a, b in spans_shown)
            cases.append(
                Case(
                    sheet.name,
                    "honest_ellipsis",
                    joint.strip(),
                    text,
                    (spans_shown,),
                    honest=True,
                    flag_ok=True,
                    optional=((keep, keep + gone),),
                )
            )
    return Drawn([sheet.record()], cases)

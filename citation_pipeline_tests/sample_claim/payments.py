"""The claim's payments: the rows of the ledger and the sums that other papers quote. In whole cents."""

import random
from dataclasses import dataclass
from datetime import date, timedelta

RUN_DATE = date(2025, 12, 5)


@dataclass(frozen=True)
class Payment:
    """One line of the ledger."""

    issued: date
    payee: str
    description: str
    period: str
    coverage: str
    cents: int


def _day(value: date) -> str:
    return value.strftime("%m/%d/%Y")


def _period(start: date, days: int) -> str:
    return f"{_day(start)}-{_day(start + timedelta(days=days - 1))}"


def _temporary_disability() -> list[Payment]:
    """206 days at $809.80 a week: first paid at $730.67, then made up when the wages were recomputed."""
    payee = "Leocadia Barragán"
    return [
        Payment(date(2024, 12, 9), payee, "TTD retroactive", _period(date(2024, 9, 16), 84), "IND", 876_804),
        *(
            Payment(s + timedelta(days=12), payee, "TTD", _period(s, 14), "IND", 146_134)
            for s in (date(2024, 12, 9) + timedelta(days=14 * n) for n in range(3))
        ),
        Payment(
            date(2025, 1, 24), payee, "TTD rate adjustment", _period(date(2024, 9, 16), 126), "IND", 142_434
        ),
        *(
            Payment(s + timedelta(days=12), payee, "TTD", _period(s, 14), "IND", 161_960)
            for s in (date(2025, 1, 20) + timedelta(days=14 * n) for n in range(5))
        ),
        Payment(date(2025, 4, 14), payee, "TTD final", _period(date(2025, 3, 31), 10), "IND", 115_686),
    ]


def _permanent_disability() -> list[Payment]:
    starts = (date(2025, 4, 10) + timedelta(days=14 * n) for n in range(16))
    return [
        Payment(s + timedelta(days=14), "Leocadia Barragán", "PD advance", _period(s, 14), "IND", 58_000)
        for s in starts
    ]


_MEDICAL = (
    ("Signal Hill Orthopaedic Associates", "99214 Office visit, established", (12_847, 13_102)),
    ("Tidewater Rehabilitation", "97110 Therapeutic exercise", (6_214, 9_368)),
    ("Tidewater Rehabilitation", "97140 Manual therapy", (4_875, 5_120)),
    ("Bluff Park Pharmacy", "Meloxicam 15 mg #30", (1_896, 2_240)),
    ("Cerritos Imaging Center", "73221 MRI upper extremity joint", (41_833, 42_110)),
    ("Signal Hill Orthopaedic Associates", "20610 Injection, major joint", (8_415, 8_902)),
)


def _medical() -> list[Payment]:
    draw = random.Random(20251205)
    rows = [
        Payment(
            date(2024, 10, 28),
            "Dockside Occupational Clinic",
            "99204 New patient",
            "09/13/2024",
            "MED",
            18_962,
        ),
        Payment(
            date(2025, 2, 3),
            "Los Cerritos Surgical Pavilion",
            "29881 Facility fee",
            "12/17/2024",
            "MED",
            381_417,
        ),
        Payment(
            date(2025, 2, 27),
            "Los Cerritos Surgical Pavilion",
            "29827 Facility fee",
            "01/14/2025",
            "MED",
            644_190,
        ),
        Payment(
            date(2025, 2, 27),
            "Signal Hill Orthopaedic Associates",
            "29827 Surgeon",
            "01/14/2025",
            "MED",
            214_736,
        ),
    ]
    for number in range(46):
        payee, description, (low, high) = _MEDICAL[draw.randrange(len(_MEDICAL))]
        served = date(2024, 10, 21) + timedelta(days=8 * number + draw.randrange(5))
        issued = served + timedelta(days=24 + draw.randrange(12))
        if issued <= RUN_DATE:
            rows.append(Payment(issued, payee, description, _day(served), "MED", draw.randint(low, high)))
    return rows


def _expense() -> list[Payment]:
    return [
        Payment(
            date(2024, 11, 22), "Brightwater Investigations", "AOE/COE investigation", "", "EXP", 168_500
        ),
        Payment(
            date(2025, 1, 2),
            "Clearline Utilization Review",
            "UR, physician level",
            "12/26/2024",
            "EXP",
            19_500,
        ),
        Payment(
            date(2025, 5, 30), "Matsunaga Fell LLP", "Defense fees", "04/01/2025-05/15/2025", "EXP", 214_200
        ),
        Payment(
            date(2025, 8, 29), "Winston Achterberg, M.D.", "ML201 evaluation", "07/22/2025", "EXP", 251_875
        ),
        Payment(
            date(2025, 10, 17), "Matsunaga Fell LLP", "Defense fees", "05/16/2025-09/30/2025", "EXP", 302_650
        ),
        Payment(
            date(2025, 11, 24),
            "Clearline Utilization Review",
            "UR, physician level",
            "11/17/2025",
            "EXP",
            19_500,
        ),
    ]


PAYMENTS: tuple[Payment, ...] = tuple(
    sorted(
        [*_temporary_disability(), *_permanent_disability(), *_medical(), *_expense()],
        key=lambda p: (p.issued, p.payee, p.cents),
    )
)


def paid(*coverages: str, until: date = RUN_DATE) -> int:
    """Cents paid under these coverages up to a day."""
    return sum(p.cents for p in PAYMENTS if p.coverage in coverages and p.issued <= until)


OUTSTANDING = {"IND": 3_850_000, "MED": 2_725_000, "EXP": 960_000}


def incurred(*coverages: str) -> int:
    return paid(*coverages) + sum(OUTSTANDING[c] for c in coverages)


def money(cents: int) -> str:
    """Cents as printed: $1,234.50."""
    return f"${cents / 100:,.2f}"

"""Dates and sums as other countries write them: day first, months in five languages, a comma for the point.

Used where a document shows that it is of another country; `dates` and `numbers` read the American forms.
"""

import re
from collections.abc import Iterator
from datetime import date

from citation_pipeline.core.values.spans import ValueSpan, fold_words

_MONTHS = (
    "januar januari janvier enero stycznia styczen jan",
    "februar februari fevrier febrero lutego luty feb fev",
    "marz maerz maart mars marzo marca marzec mar mrz",
    "april avril abril kwietnia kwiecien apr avr abr",
    "mai mei mayo maja maj",
    "juni juin junio czerwca czerwiec jun",
    "juli juillet julio lipca lipiec jul",
    "august augustus aout agosto sierpnia sierpien aug ago",
    "september septembre septiembre wrzesnia wrzesien sep sept",
    "oktober octobre octubre pazdziernika pazdziernik okt oct",
    "november novembre noviembre listopada listopad nov",
    "dezember december decembre diciembre grudnia grudzien dez dec dic",
)
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
_NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?!\d|[./-]\d)")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_NAMED = re.compile(
    r"(?<!\d)(\d{1,2})(?:\.|er|\u00ba)?\s+(?:de\s+|d['\u2019])?([^\W\d_]{3,12})\.?\s+(?:de\s+|del\s+)?(\d{4})"
)
_SUM = re.compile(
    r"(?P<before>(?:\u20ac|EUR|z\u0142|PLN|CHF|\u00a3|GBP|\$|USD|Rs\.?|INR|\u20b9)\s?)?(?P<sign>-)?"
    r"(?P<number>\d{1,3}(?:[. \u00a0]\d{3})+,\d{2}|\d+,\d{2})(?!\d)"
    r"(?P<behind>\s?(?:\u20ac|EUR|z\u0142|PLN|CHF))?"
)
# Words that only documents of other countries print; three of them tell the country.
_WORDS = """rechnung rechnungsnummer rechnungsnr rechnungsdatum datum betrag gesamtbetrag mwst ust und der
zahlbar kunde facture montant tva ht ttc numero vous le les payer echeance societe factura fecha importe iva
cliente vencimiento pagar del faktura sprzedawca nabywca kwota brutto netto razem zaplaty zapłaty wystawienia
factuur factuurnummer factuurdatum btw totaal aantal het van"""
_FOREIGN = frozenset(_WORDS.split())
_LEAST_FOREIGN = 3


def is_day_first(text: str) -> bool:
    """Tell whether a document writes the day before the month: by its dates, else by its words."""
    found = [(int(m[1]), int(m[3])) for m in _NUMERIC.finditer(text)]
    days_first = sum(first > 12 >= second for first, second in found)
    days_second = sum(second > 12 >= first for first, second in found)
    if days_first or days_second:
        return days_first > days_second
    return len(_FOREIGN.intersection(fold_words(text))) >= _LEAST_FOREIGN


def find_day_first_dates(text: str) -> Iterator[ValueSpan]:
    """Yield the dates of a text whose days come first, left to right by form."""
    for match in _ISO.finditer(text):
        yield from _span(match, int(match[1]), int(match[2]), int(match[3]))
    for match in _NUMERIC.finditer(text):
        year = int(match[4]) + (2000 if len(match[4]) == 2 else 0)
        yield from _span(match, year, int(match[3]), int(match[1]))
    for match in _NAMED.finditer(text):
        month = _NUMBER_OF.get("".join(fold_words(match[2])))
        if month is not None:
            yield from _span(match, int(match[3]), month, int(match[1]))


def _span(match: re.Match[str], year: int, month: int, day: int) -> Iterator[ValueSpan]:
    try:
        yield ValueSpan(match.start(), match.end(), date(year, month, day).isoformat())
    except ValueError:
        return


def find_comma_sums(text: str) -> Iterator[tuple[ValueSpan, bool]]:
    """Yield sums with a comma before their cents, each with whether a currency is printed beside it."""
    for match in _SUM.finditer(text):
        digits = re.sub(r"[. \u00a0]", "", match["number"]).replace(",", ".")
        value = -float(digits) if match["sign"] else float(digits)
        yield ValueSpan(match.start(), match.end(), value), bool(match["before"] or match["behind"])

"""What a quotation drops or takes from beside it: a qualifier, a hedge, a cell of another row.
Also words in another form that say the same."""

import random
import re
from collections.abc import Iterator

from benchmarks.quotations.cases import Case, Drawn, whole
from benchmarks.quotations.sheets import Sheet

# what is in brackets may not be left out in silence
QUALIFIED = {
    "dev": (
        "This opinion is silent on whether the illness is [work] related.",
        "No image of the [lumbar] spine was taken at the visit.",
        "Payment of the [disputed] bills was made under protest in autumn.",
        "A [full] release to duty was signed by the attending physician.",
        "The [medical] portion of the file was closed without hearing.",
        "He has a [nonsurgical] lesion of the outer ankle on both films.",
    ),
    "held": (
        "The panel left open whether the hernia is [job] connected.",
        "No study of the [cervical] nerves was ordered by the clinic.",
        "Release of the [contested] wages was ordered by the arbitrator.",
        "A [conditional] offer of the old position was mailed in June.",
        "The [indemnity] part of the matter was settled by the parties.",
        "She has a [healed] fracture of the inner elbow on one film.",
    ),
}
HEDGED = {
    "dev": (
        "Der Arzt hält die Beschwerden [vermutlich] für eine Folge des Sturzes.",
        "Le salarié reprendra [probablement] son poste au début de juin.",
        "La fractura de la muñeca es [posiblemente] anterior a la caída.",
        "Il perito ritiene che il danno sia [forse] precedente alla visita.",
        "O segurado precisa [talvez] de nova consulta no fim do mês.",
        "De arts acht het letsel [mogelijk] ouder dan het ongeval.",
        "Врач считает перелом [возможно] старым повреждением кисти.",
        "Lekarz uważa uraz [prawdopodobnie] za skutek upadku w pracy.",
    ),
    "held": (
        "Die Klinik rechnet [wahrscheinlich] mit einer langen Genesung des Mannes.",
        "La blessure du genou est [apparemment] due à une chute ancienne.",
        "El médico considera la lesión [quizás] causada por el trabajo.",
        "La ferita del piede guarirà [probabilmente] entro la primavera.",
        "A dor no ombro é [possivelmente] resultado de um acidente antigo.",
        "De werkgever betaalt het loon [waarschijnlijk] vanaf de zomer door.",
        "Травма колена получена [вероятно] при падении на складе.",
        "Skada på handen beror [möjligen] på ett äldre fall hemma.",
    ),
}
FORMS = {
    "dev": (
        ("Rosenthal v. Kimball Freight, Inc., decided in spring", "v.", "vs."),
        ("Paid to Gardner & Pruitt of the county seat", "&", "and"),
        ("The matter of Ellison versus Harper Mills was heard", "versus", "v."),
        ("Delivered to Whitlock Foods, Inc. at the gate", "Inc.", "Incorporated"),
    ),
    "held": (
        ("Donovan v. Sterling Cartage, Ltd., decided in autumn", "v.", "vs."),
        ("Billed by Hughes & Maddox of the capital", "&", "and"),
        ("The claim of Bishop versus Carver Dairies was tried", "versus", "v."),
        ("Shipped by Langley Tools, Corp. on the dock", "Corp.", "Corporation"),
    ),
}
_PARTS = {
    "dev": ("Shoulder", "Elbow", "Wrist", "Hip", "Knee", "Ankle", "Thumb", "Neck"),
    "held": ("Flexion", "Extension", "Abduction", "Adduction", "Rotation", "Tilt", "Grip", "Pinch"),
}
_LEFTS = (0.06, 0.3, 0.5, 0.7)
_BRACKETED = re.compile(r"\[([^\]]+)\] ?")


def draw(split: str, seed: str) -> Iterator[Drawn]:
    yield from (_sentences(split), _table(split, seed))


def _sentences(split: str) -> Drawn:
    sheet = Sheet(f"{split}_qualifiers")
    cases: list[Case] = []
    for kind, lines in (("qualifier", QUALIFIED[split]), ("hedge", HEDGED[split])):
        for line in lines:
            place = sheet.write(_BRACKETED.sub(r"\1 ", line))
            for variant, gap in (("silent", ""), *((("ellipsis", "… "),) if kind == "hedge" else ())):
                text = _BRACKETED.sub(gap, line)
                cases.append(Case(sheet.name, f"{kind}_dropped", variant, text, (whole(place),), False))
    for printed, form, other in FORMS[split]:
        place = sheet.write(f"{printed}.")
        for quoted in (printed, printed.replace(form, other)):
            variant = "as printed" if quoted == printed else other
            cases.append(Case(sheet.name, "other_form", variant, quoted, (whole(place),), honest=True))
    return Drawn([sheet.record()], cases)


def _table(split: str, seed: str) -> Drawn:
    """A table of measurements: rows as printed, and rows with one cell of the row above or below."""
    numbers = random.Random(f"{seed} cells")
    sheet = Sheet(f"{split}_cells")
    sheet.write("Measurements of the examination")
    drawn = numbers.sample(range(20, 190), 3 * len(_PARTS[split]))
    table = [
        (part, *(f"{number}" for number in drawn[3 * at : 3 * at + 3]))
        for at, part in enumerate(_PARTS[split])
    ]
    cells = sheet.rows([("Motion", "Right", "Left", "Usual"), *table], _LEFTS)[1:]
    cases: list[Case] = []
    for at, row in enumerate(table):
        place = whole((cells[at][0][0], cells[at][-1][1]))
        cases.append(Case(sheet.name, "row_cells", "as printed", " ".join(row), (place,), honest=True))
        for column in (1, 2, 3):
            beside = at + numbers.choice([step for step in (-1, 1) if 0 <= at + step < len(table)])
            mixed = [*row[:column], table[beside][column], *row[column + 1 :]]
            cases.append(Case(sheet.name, "row_mixed", "neighbour", " ".join(mixed), (place,), honest=False))
    return Drawn([sheet.record()], cases)

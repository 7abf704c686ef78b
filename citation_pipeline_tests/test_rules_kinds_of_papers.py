"""What tells a paper's kind where no title does, and what of a claim's papers agrees."""

from dataclasses import replace

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.types import recognize_type
from citation_pipeline.core.rules.documents import without_covers
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.rules.pages.layout import read_rows
from citation_pipeline_tests.rules_papers import LEXICON, SCHEMA, paper, read
from citation_pipeline_tests.typeset import Line, typeset

KINDS = read_lexicon(LEXICON, schema=SCHEMA).documents
STATUS = ("CLAIM STATUS REPORT", "Report date: 05/06/2024")


def kind_of(document: ParsedDocument) -> str:
    return recognize_type(document, read_rows(document), KINDS).type


def lines(texts: list[str], page: int = 1) -> list[Line]:
    return [Line(60, 40 + 16 * n, text, page=page) for n, text in enumerate(texts)]


def test_a_register_is_known_by_its_rows_whatever_its_payees_are_called() -> None:
    payees = [
        "VOCATIONAL REPORT SVCS",
        "OPERATIVE REPORT COPY",
        "T QUORN",
        "T QUORN",
        "ADAIR IMAGING",
        "T QUORN",
    ]
    cells = [
        Line(60 + 150 * column, 100 + 16 * row, cell)
        for row, payee in enumerate(payees * 2)
        for column, cell in enumerate((f"0{1 + row % 9}/11/2024", payee, "310.25"))
    ]
    assert kind_of(typeset("sheet", [Line(60, 40, "QUORN MUTUAL"), *cells])) == "ledger"


def test_a_first_report_is_known_by_what_it_asks() -> None:
    asks = ["Name", "What were you doing?", "Which part of your body?", "Who was told?", "Last day worked"]
    assert kind_of(typeset("form", lines(["QUORN TIMBER", *asks]))) == "form_5020"


def test_an_examiners_letter_is_known_by_what_he_says_of_himself() -> None:
    said = [
        "Teo Strand, MD",
        "May 6, 2024",
        "This is an independent medical evaluation. I would not be treating him.",
        "I examined Mr. Quorn at your request on May 2, 2024.",
    ]
    letter = typeset("letter", lines(said))
    assert kind_of(letter) == "qme_report"
    assert read(letter)["medical_evaluators.evaluation_date"].value == "2024-05-02"


def test_the_papers_of_one_fax_are_read_one_by_one() -> None:
    def called(page: int) -> str:
        return f"FAX 05/07/24 09:14 FROM QUORN CLINIC TO CLAIMS P {page}/2"

    first = lines([called(1), "Chart note, 2 May 2024.", "Naproxen was stopped."])
    second = lines([called(2), "Request for more therapy", "We ask for: six visits"], page=2)
    parts = list(without_covers([typeset("fax", [*first, *second])]))
    assert [part.pages[0].page for part in parts] == [1, 2]
    assert kind_of(parts[1]) == "rfa"
    goes_on = lines([called(2), "and told to come back in a month, when the", "next film is due."], page=2)
    assert len(list(without_covers([typeset("fax", [*first, *goes_on])]))) == 1


def test_two_papers_outvote_a_third_on_what_never_changes() -> None:
    right, wrong = "Date of birth: 03/09/1971", "Date of birth: 03/09/1977"
    old = [paper("PROGRESS NOTE", f"Date of exam: 05/0{n}/2024", right, name=str(n)) for n in (1, 2)]
    late = paper(*STATUS, wrong, name="late")
    assert read(*old, late)["claimant.date_of_birth"].value == "1971-03-09"
    assert read(old[0], late)["claimant.date_of_birth"].value is None


def test_a_firms_store_is_no_part_of_its_name() -> None:
    said = (
        "Employer: Quorn Stores, Inc.",
        "Employer: Quorn Stores, Inc., store 417",
        "Employer: Quorn Stores, Inc. (#417)",
    )
    papers = [paper(*STATUS, line, name=str(n)) for n, line in enumerate(said)]
    assert read(*papers)["employer.name"].value == "Quorn Stores, Inc."


def test_an_occupation_that_others_qualify_is_agreed_on() -> None:
    said = (
        "Occupation: pipe fitter",
        "Occupation: senior pipe fitter",
        "Occupation: Pipe fitter, second shift",
    )
    papers = [paper(*STATUS, line, name=str(n)) for n, line in enumerate(said)]
    assert read(*papers)["claimant.occupation"].value.lower() == "pipe fitter"


def test_a_line_of_tasks_without_its_day_is_a_candidate() -> None:
    dated = read(paper(*STATUS, "Action items: send the first notice to Ms. Reo by 06/01/2024"))
    assert dated["next_actions.action_items"].value
    bare = read(paper(*STATUS, "Action items: I would guess that it is over this summer"))
    assert bare["next_actions.action_items"].value is None


def test_a_title_before_a_name_ends_no_sentence() -> None:
    told = "I saw Ms. Quorn on 06/04/2024 for an independent medical examination."
    said = ["INDEPENDENT MEDICAL EXAMINATION", "June 9, 2024", told]
    assert read(typeset("exam", lines(said)))["medical_evaluators.evaluation_date"].value == "2024-06-04"


def test_hidden_pages_are_known_by_their_number() -> None:
    whole = typeset("sheet", [*lines([*STATUS]), *lines(["Average weekly wage: $905.10"], page=2)])
    assert read(whole)["wages.average_weekly_wage"].value == 905.10
    hidden = replace(whole, warnings=("page 2: hidden_cells",))
    assert read(hidden)["wages.average_weekly_wage"].value is None

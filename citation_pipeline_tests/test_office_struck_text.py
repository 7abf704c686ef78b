"""What an office file, a mail or a web page strikes out is struck out for a citation as on a printed page."""

import io
from collections.abc import Callable

import docx
import openpyxl
import pytest
from openpyxl.styles import Font

from citation_pipeline.adapters.office.files import set_pages
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.struck_words import struck_words
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline_tests.parser_files import package, source_of

MAIL = "From: ann@x.org\nTo: bob@x.org\nContent-Type: text/html; charset=utf-8\n\n"
ODT = (
    '<document-content xmlns="o" xmlns:s="s"><automatic-styles><s:style s:name="T1"><s:text-properties '
    's:text-line-through-style="solid"/></s:style></automatic-styles><body><text>'
    '<p>Rent <span s:style-name="T1">870.00 agreed</span> 910.00</p></text></body></document-content>'
)


def word_file() -> bytes:
    document = docx.Document()
    line = document.add_paragraph("Rent ")
    line.add_run("870.00").font.strike = True
    line.add_run(" ")
    line.add_run("agreed").font.double_strike = True
    line.add_run(" 910.00").font.strike = False
    return saved(document)


def table_of_a_word_file() -> bytes:
    document = docx.Document()
    cells = document.add_table(1, 2).rows[0].cells
    cells[0].paragraphs[0].add_run("870.00 agreed").font.strike = True
    cells[1].text = "910.00"
    return saved(document)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["870.00 agreed", "910.00"])
    book.active["A1"].font = Font(strike=True)
    return saved(book)


def saved(document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "Word": ("lease.docx", word_file),
    "a Word table": ("lease.docx", table_of_a_word_file),
    "Excel": ("rents.xlsx", workbook),
    "OpenDocument": (
        "lease.odt",
        lambda: package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": ODT}),
    ),
    "RTF": ("lease.rtf", lambda: rb"{\rtf1 Rent {\strike 870.00 }\striked1 agreed\plain  910.00}"),
    "a mail": (
        "lease.eml",
        lambda: MAIL.encode() + b"<s>870.00</s> <b style='text-decoration:line-through'>agreed</b> 910.00",
    ),
    "a web page": ("lease.html", lambda: b"<html><p>Rent <del>870.00 <i>agreed</i></del> 910.00</p></html>"),
    "a web table": (
        "lease.html",
        lambda: b"<html><table><tr><td><s>870.00 agreed</s><td>910.00</table></html>",
    ),
}  # fmt: skip


def read(parser, name: str) -> ParsedDocument:
    file, made = FILES[name]
    data = made()
    return parser.parse(source_of(data, file), data)


@pytest.mark.parametrize("name", FILES)
def test_words_that_a_file_strikes_out_are_read_and_known_to_be_struck_out(parser, name: str) -> None:
    document = read(parser, name)
    assert [document.words.texts[word] for word in sorted(struck_words(document))] == ["870.00", "agreed"]
    assert "910.00" in document.words.texts
    assert "\ufdd0" not in document.text + "".join(block.content for block in document.blocks)


def test_a_figure_that_a_mail_strikes_out_is_no_sure_citation(parser) -> None:
    document = read(parser, "a mail")
    fields = [
        ExtractedField("old", 870.0, "number", (Snippet(document.source.source_id, "870.00"),)),
        ExtractedField("rent", 910.0, "number", (Snippet(document.source.source_id, "910.00"),)),
    ]
    old, rent = resolve_claim([document], fields)
    assert (old.status, old.confidence <= 0.3) == (CitationStatus.FLAGGED, True)
    assert (rent.status, "struck_out" in rent.warnings) == (CitationStatus.RESOLVED, False)


def test_the_line_through_a_struck_word_is_drawn_where_the_viewer_shows_it(parser) -> None:
    file, made = FILES["Word"]
    source = source_of(made(), file)
    (page,) = set_pages(made(), source.media_type, options=OfficeOptions()).pages
    ends = {(word.x, word.x + word.width): word.text for word in page.words}
    assert [ends[left, right] for left, _, right, _ in page.rules] == ["870.00", "agreed"]


def workbook_with(total: str | float) -> bytes:
    book = openpyxl.Workbook()
    for row in (["March", 40.5], ["April", 12], ["Total", total]):
        book.active.append(row)
    return saved(book)


def test_a_workbook_whose_formulas_nobody_computed_says_that_cells_are_empty(parser) -> None:
    data = workbook_with("=SUM(B1:B2)")
    document = parser.parse(source_of(data, "sums.xlsx"), data)
    assert document.warnings == ("page 1: formulas_without_results",)
    data = workbook_with(52.5)
    assert parser.parse(source_of(data, "sums.xlsx"), data).warnings == ()

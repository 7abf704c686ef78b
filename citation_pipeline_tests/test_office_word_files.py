"""Word files: everything a reader sees has a page, a place and its structure."""

import io
import zipfile

import docx
import numpy as np
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from citation_pipeline.adapters.file_types import DOCX
from citation_pipeline.adapters.office.drawing import NoSuchPageError, draw_page
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.parser_files import image_bytes, letter_pdf, picture_of, source_of


def _bytes(document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def report():
    document = docx.Document()
    document.add_heading("Nurse Case Manager Report", 0)
    document.add_heading("History", 1)
    document.add_paragraph("Mr. O’Rourke was seen on 03/14/2023 by Dr. Núñez. " * 30)
    document.add_paragraph("No surgery is planned", style="List Bullet")
    document.add_paragraph("Return to work", style="List Number")
    document.add_paragraph("Follow up", style="List Number")
    table = document.add_table(rows=4, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Benefit and period"
    table.cell(0, 2).text = "Paid"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "TD"
    for row, (period, paid) in enumerate([("01/18/2020", "$586.67"), ("01/25/2020", "$1,173.34")], start=1):
        table.cell(row, 1).text = period
        table.cell(row, 2).text = paid
    document.add_page_break()
    document.add_paragraph("On the second page.")
    section = document.sections[0]
    section.header.paragraphs[0].text = "RE: Tomás Ibarra Núñez"
    section.footer.paragraphs[0].text = "Confidential"
    return _bytes(document)


def test_every_part_becomes_a_block_of_its_type(parser, report):
    document = parser.parse(source_of(report, "report.docx"), report)
    assert document.status == DocumentStatus.PARSED
    kinds = {block.content: block.type for block in document.blocks}
    assert kinds["Nurse Case Manager Report"] == "Title"
    assert kinds["History"] == "Section Header"
    assert kinds["• No surgery is planned"] == "List Item"
    assert kinds["2. Follow up"] == "List Item"
    assert [block.page for block in document.blocks if block.type == "Header"] == [1, 2]
    assert [block.type for block in document.blocks if block.content == "Confidential"] == ["Footer"] * 2
    assert document.blocks[-2].content == "On the second page."
    assert document.blocks[-2].page == 2


def test_a_table_keeps_its_merged_cells(parser, report):
    document = parser.parse(source_of(report, "report.docx"), report)
    (table,) = [block for block in document.blocks if block.type == "Table"]
    assert '<td colspan="2">Benefit and period</td><td>Paid</td>' in table.content
    assert '<td rowspan="2">TD</td><td>01/18/2020</td><td>$586.67</td>' in table.content
    assert "<tr><td>01/25/2020</td><td>$1,173.34</td></tr>" in table.content
    words = document.words
    assert [words.texts[i] for i in range(table.word_start, table.word_end)][-1] == "$1,173.34"


def test_the_same_bytes_are_laid_out_the_same_and_words_do_not_overlap(parser, report):
    first, second = (parser.parse(source_of(report, "report.docx"), report) for _ in range(2))
    np.testing.assert_array_equal(first.words.boxes, second.words.boxes)
    boxes, lines, texts = first.words.boxes, first.words.line, first.words.texts
    same_line = np.flatnonzero(np.diff(lines) == 0)
    assert len(same_line) > 100
    for word in same_line.tolist():
        assert boxes[word, 0] + boxes[word, 2] < boxes[word + 1, 0], texts[word]
    assert (boxes >= 0).all()
    assert (boxes[:, :2] + boxes[:, 2:] <= 1).all()


def test_the_drawn_page_has_its_ink_where_the_words_are(parser, report):
    document = parser.parse(source_of(report, "report.docx"), report)
    for page in (1, 2):
        pixels = np.asarray(draw_page(report, document.source.media_type, page, 2.0).convert("L"))
        height, width = pixels.shape
        covered = np.zeros(pixels.shape, bool)
        for word in np.flatnonzero(document.words.page == page).tolist():
            box = document.words.box(word)
            left, right = int(box.left * width) - 1, int(box.right * width) + 2
            top, bottom = int(box.top * height) - 1, int(box.bottom * height) + 2
            assert (pixels[top:bottom, left:right] < 128).any(), document.words.texts[word]
            covered[top:bottom, left:right] = True
        for block in document.blocks:
            if block.type == "Table":  # its rules are ink too
                top, bottom = int(block.box.top * height) - 12, int(block.box.bottom * height) + 60
                covered[max(0, top) : bottom] = True
        assert (pixels[~covered] > 128).all()
    with pytest.raises(NoSuchPageError):
        draw_page(report, document.source.media_type, 3, 1.0)


def test_revisions_fields_and_hidden_text_read_as_displayed(parser):
    document = docx.Document()
    paragraph = document.add_paragraph()
    for xml in (
        "<w:r {}><w:t xml:space='preserve'>Paid </w:t></w:r>",
        "<w:del {} w:id='1' w:author='a'><w:r><w:delText>$100.00</w:delText></w:r></w:del>",
        "<w:ins {} w:id='2' w:author='a'><w:r><w:t>$200.00</w:t></w:r></w:ins>",
        "<w:r {}><w:rPr><w:vanish/></w:rPr><w:t>SECRET</w:t></w:r>",
        "<w:r {}><w:fldChar w:fldCharType='begin'/></w:r>",
        "<w:r {}><w:instrText> DATE </w:instrText></w:r>",
        "<w:r {}><w:fldChar w:fldCharType='separate'/></w:r>",
        "<w:r {}><w:t xml:space='preserve'> on 03/14/2023</w:t></w:r>",
        "<w:r {}><w:fldChar w:fldCharType='end'/></w:r>",
        "<w:sdt {}><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt>",
        "<w:r {}><w:tab/><w:sym w:font='Wingdings' w:char='F0A8'/></w:r>",
        "<w:r {}><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>"
        "</w:fldChar></w:r>",
        "<w:r {}><w:instrText> FORMCHECKBOX </w:instrText></w:r>",
        "<w:r {}><w:fldChar w:fldCharType='end'/></w:r>",
        "<w:r {}><w:t xml:space='preserve'> yes</w:t></w:r>",
    ):
        paragraph._p.append(parse_xml(xml.format(nsdecls("w"))))
    data = _bytes(document)
    parsed = parser.parse(source_of(data, "a.docx"), data)
    assert parsed.text == "Paid $200.00 on 03/14/2023☒ ☐☒ yes"


def test_a_word_wider_than_the_page_and_letters_no_font_has_are_kept(parser):
    document = docx.Document()
    document.add_paragraph("x" * 400 + " 医療費 Łódź")
    data = _bytes(document)
    parsed = parser.parse(source_of(data, "a.docx"), data)
    assert parsed.text.replace("\n", "").replace(" ", "") == "x" * 400 + "医療費Łódź"
    assert (parsed.words.boxes[:, 0] + parsed.words.boxes[:, 2] <= 1 - 71 / 612).all()
    draw_page(data, parsed.source.media_type, 1, 1.0)


def test_a_cell_longer_than_a_page_goes_on_the_next(parser):
    document = docx.Document()
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).text = "note " * 900
    table.cell(1, 1).text = "after"
    data = _bytes(document)
    parsed = parser.parse(source_of(data, "a.docx"), data)
    assert len(parsed.pages) > 1
    assert parsed.text.split().count("note") == 900
    assert parsed.words.texts[-1] == "after"


def test_a_document_of_strict_or_foreign_producers_without_styles_is_read(parser):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(
            "word/document.xml",
            '<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:body>'
            "<w:p><w:r><w:t>Only this</w:t></w:r></w:p></w:body></w:document>",
        )
    data = buffer.getvalue()
    assert parser.parse(source_of(data, "a.docx"), data).text == "Only this"


def _picture(words, *, size=30):
    return io.BytesIO(image_bytes(picture_of(letter_pdf((words,), size=size)).crop((0, 0, 1700, 700)), "PNG"))


def test_a_scan_that_was_pasted_is_read_where_it_is_shown(parser):
    document = docx.Document()
    document.add_paragraph("See the scan:")
    document.add_picture(_picture("Paid in full"), width=docx.shared.Inches(5))
    document.add_paragraph("After it")
    data = _bytes(document)
    parsed = parser.parse(source_of(data, "pasted.docx"), data)
    assert [block.content for block in parsed.blocks] == ["See the scan:", "Paid in full", "After it"]
    place = parsed.words.texts.index("full")
    assert parsed.words.confidence[place] > 0.5
    assert np.isnan(parsed.words.confidence[0])
    drawn = np.asarray(draw_page(data, DOCX, 1, 2.0).convert("L"))
    box = parsed.words.box(place)
    height, width = drawn.shape
    ink = drawn[
        int(box.top * height) : int(box.bottom * height), int(box.left * width) : int(box.right * width)
    ]
    assert (ink < 128).mean() > 0.1


def test_a_word_file_of_one_pasted_scan_is_no_empty_file(parser):
    document = docx.Document()
    document.add_picture(_picture("Paid in full"))
    data = _bytes(document)
    assert "Paid in full" in parser.parse(source_of(data, "scan.docx"), data).text


def test_the_first_page_of_a_section_has_its_own_running_lines(parser):
    document = docx.Document()
    section = document.sections[0]
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = "Letterhead of the first page"
    section.first_page_footer.paragraphs[0].text = "First footer"
    section.header.paragraphs[0].text = "Later header"
    section.footer.paragraphs[0].text = "Later footer"
    document.add_paragraph("One")
    document.add_page_break()
    document.add_paragraph("Two")
    second = document.add_section()
    second.different_first_page_header_footer = False
    second.header.is_linked_to_previous = False
    second.header.paragraphs[0].text = "Header of the appendix"
    document.add_paragraph("Three")
    data = _bytes(document)
    parsed = parser.parse(source_of(data, "sections.docx"), data)
    assert [parsed.text[page.text_start : page.text_end].split("\n\n") for page in parsed.pages] == [
        ["Letterhead of the first page", "One", "First footer"],
        ["Later header", "Two", "Later footer"],
        ["Header of the appendix", "Three", "Later footer"],
    ]


def test_comments_and_equations_are_read(parser):
    document = docx.Document()
    paragraph = document.add_paragraph("The rate is ")
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    paragraph._p.append(parse_xml(f"<m:oMath {math}><m:r><m:t>x=2/3</m:t></m:r></m:oMath>"))
    run = paragraph.add_run(" of the wage.")
    document.add_comment(run, text="Check this", author="Ana Examiner", initials="AE")
    data = _bytes(document)
    parsed = parser.parse(source_of(data, "comments.docx"), data)
    kinds = {block.content: block.type for block in parsed.blocks}
    assert kinds["The rate is x=2/3 of the wage."] == "Text"
    assert kinds["Ana Examiner: Check this"] == "Comment"

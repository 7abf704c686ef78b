"""A photographed form keeps its structure: boxes become fields, ticked squares keep their state."""

import io

from reportlab.pdfgen.canvas import Canvas

from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.adapters.office.images import parse_image
from citation_pipeline.core.layout.forms import checkboxes_of, fields_of
from citation_pipeline_tests.parser_files import image_bytes, picture_of, source_of


def form_pdf() -> bytes:
    """A boxed field with its label above, and two squares of which one is ticked."""
    buffer = io.BytesIO()
    page = Canvas(buffer, pagesize=(400, 300))
    page.setFont("Helvetica", 8)
    for left, label, value in (
        (40, "1. EMPLOYEE NAME", "MARTA OYELARAN"),
        (200, "2. DATE OF INJURY", "09/12/2024"),
    ):
        page.rect(left, 200, 160, 36)
        page.setFont("Helvetica", 8)
        page.drawString(left + 4, 224, label)
        page.setFont("Helvetica", 12)
        page.drawString(left + 4, 206, value)
    for left, word, is_ticked in ((40, "Accepted", True), (200, "Denied", False)):
        page.rect(left, 120, 12, 12)
        if is_ticked:
            page.setLineWidth(1.5)
            page.line(left + 2, 122, left + 10, 130)
            page.line(left + 2, 130, left + 10, 122)
            page.setLineWidth(1)
        page.drawString(left + 20, 121, word)
    page.save()
    return buffer.getvalue()


def test_a_photographed_form_keeps_its_fields_and_ticks() -> None:
    data = image_bytes(picture_of(form_pdf()), "PNG", dpi=(200, 200))
    document = parse_image(
        source_of(data, "form.png"),
        data,
        recognize_page=PageRecognizer(),
        limits=ParseLimits(),
        on_page=lambda: None,
    )
    texts = document.words.texts
    fields = {
        " ".join(texts[i] for i in field.label_ids): " ".join(texts[i] for i in field.value_ids)
        for field in fields_of(document)
    }
    assert any("DATE OF INJURY" in label and value == "09/12/2024" for label, value in fields.items()), fields
    states = {" ".join(texts[i] for i in box.label_ids): box.checked for box in checkboxes_of(document)}
    assert states == {"Accepted": True, "Denied": False}

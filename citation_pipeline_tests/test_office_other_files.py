"""Texts, mails and pictures become pages like any other."""

import numpy as np
import pytest
from PIL import Image

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.drawing import draw_page
from citation_pipeline.adapters.office.files import set_pages
from citation_pipeline.adapters.office.html_text import text_of_html
from citation_pipeline.adapters.office.mail import attachments_of_mail
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline_tests.parser_files import image_bytes, letter_pdf, mail_of, picture_of, source_of


def test_a_text_keeps_its_lines_and_columns(parser):
    data = "Name:      Tomás Núñez\r\nPaid:      $1,000.00\r\n\r\nSecond paragraph.\fNext page.".encode(
        "cp1252"
    )
    document = parser.parse(source_of(data, "notes.txt"), data)
    assert [block.content for block in document.blocks] == [
        "Name: Tomás Núñez\nPaid: $1,000.00",
        "Second paragraph.",
        "Next page.",
    ]
    assert [page.page for page in document.pages] == [1, 2]
    words = document.words
    assert words.box(words.texts.index("Tomás")).left == pytest.approx(
        words.box(words.texts.index("$1,000.00")).left
    )


def test_an_html_body_is_read_as_displayed():
    text = text_of_html(
        "<html><head><title>no</title><style>p{}</style></head><body><p>Dear Ms.&nbsp;Ibarra,</p>"
        "<script>alert(1)</script><div>TD is<br>$586.67 <b>per</b> week</div>"
        "<table><tr><td>Paid</td><td>$5.00</td></tr></table>"
        "<ul><li>one</li><li>two</li></ul><span style='display: none'>hidden</span></body></html>"
    )
    assert text == "Dear Ms. Ibarra,\n\nTD is\n$586.67 per week\n\nPaid\t$5.00\n\n• one\n\n• two"


@pytest.mark.parametrize(("levels", "is_read"), [(3, True), (240, True), (260, False), (5000, False)])
def test_a_page_nested_too_deep_is_refused_for_that_and_one_less_deep_is_read_to_its_end(levels, is_read):
    page = f"<p>before</p>{'<div>' * levels}within{'</div>' * levels}<p>behind</p>"
    mail = f"From: a@x.org\nTo: b@x.org\nContent-Type: text/html\n\n<html>{page}</html>"
    for data, kind in (
        (f"<!DOCTYPE html><html><body>{page}</body></html>", file_types.HTML),
        (mail, file_types.MAIL),
    ):
        if is_read:
            blocks = set_pages(data.encode(), kind, options=OfficeOptions()).blocks
            words = [word for block in blocks for line in block.lines for word, _ in line]
            assert words[-3:] == ["before", "within", "behind"]
            continue
        with pytest.raises(RefusedDocumentError) as refused:
            set_pages(data.encode(), kind, options=OfficeOptions())
        assert refused.value.error.code == "nested_too_deep"


def test_a_mail_of_html_alone_and_of_an_unknown_charset_are_read(parser):
    data = mail_of(plain=None, html="<p>Only <b>HTML</b></p>").as_bytes()
    assert "Only HTML" in parser.parse(source_of(data, "mail.eml"), data).text
    data = (
        b"From: a@example.com\r\nMIME-Version: 1.0\r\nSubject: =?unknown?q?x?=\r\n"
        b"Content-Type: text/plain; charset=nonsense\r\n\r\nStill read\r\n"
    )
    assert "Still read" in parser.parse(source_of(data, "mail.eml"), data).text


def test_a_mail_is_read_as_it_is_displayed_and_warned_of_where_its_plain_text_says_otherwise(parser):
    rich = "<p>The barge is <b>put off</b> to 4 May. <a href='https://a.example/9'>Map</a></p>"
    mails = {
        "The barge sails on 2 May.": ("put off to 4 May", ("page 1: mail_parts_differ",)),
        "The barge is put off to 4 May. Map [https://a.example/9]": ("put off to 4 May", ()),
        "Please look at this in another program": ("put off to 4 May", ("page 1: mail_parts_differ",)),
    }
    for plain, (shown, warnings) in mails.items():
        data = mail_of(plain=plain, html=rich).as_bytes()
        document = parser.parse(source_of(data, "barge.eml"), data)
        assert shown in document.text
        assert "sails" not in document.text
        assert document.warnings == warnings


def test_a_mail_that_is_forwarded_within_another_is_a_document_of_its_own():
    outer = mail_of(plain="See below.")
    outer.add_attachment(mail_of(plain="The sloop is sold."), disposition="inline")
    (attached,) = attachments_of_mail(outer.as_bytes())
    assert attached.name == "part 2.eml"
    assert b"The sloop is sold." in attached.read()


def test_a_standard_fax_has_oblong_dots_and_is_read_as_it_was_sent(parser):
    fine = picture_of(letter_pdf(), dpi=204).convert("1")
    coarse = fine.resize((fine.width, fine.height // 2))  # 204 by 98 dots an inch
    second = picture_of(letter_pdf(("Second sheet",)), dpi=204).convert("1").resize(coarse.size)
    data = image_bytes(
        coarse, "TIFF", dpi=(204, 102), save_all=True, append_images=[second], compression="group4"
    )
    document = parser.parse(source_of(data, "fax.tif"), data)
    assert [round(page.height_pt / page.width_pt, 2) for page in document.pages] == [1.29, 1.29]
    assert "Packing Company" in document.text
    assert document.text.endswith("Second sheet")


def test_a_phone_photo_is_read_as_the_viewer_shows_it(parser):
    upright = picture_of(letter_pdf(), dpi=150)
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held upright, its sensor lay sideways
    data = image_bytes(upright.rotate(90, expand=True), "JPEG", exif=exif)
    document = parser.parse(source_of(data, "photo.jpg"), data)
    (page,) = document.pages
    assert page.height_pt > page.width_pt
    first = document.words.box(document.words.texts.index("Delta"))
    assert first.top < 0.2
    assert draw_page(data, file_types.JPEG, 1, 1.0).size == upright.size


def test_a_transparent_picture_is_read_on_white(parser):
    ink = picture_of(letter_pdf())
    image = Image.new("LA", ink.size)
    image.putalpha(ink.point(lambda value: 255 - value))
    data = image_bytes(image, "PNG", dpi=(200, 200))
    assert "Delta Valley Packing Company" in parser.parse(source_of(data, "a.png"), data).text


@pytest.mark.parametrize("size", [1.0, 2.0])
@pytest.mark.parametrize(
    ("name", "like"),
    [("Nguyễn", "Nguyen"), ("Łukasz", "Lukasz"), ("Иванов", "······"), ("李", "··"), ("Ωμέγα", "·····")],
)
def test_names_of_other_alphabets_are_drawn_as_letters_inside_their_boxes(parser, name, like, size):
    def ink(word: str) -> np.ndarray:
        data = f"Dear {word} and all".encode()
        document = parser.parse(source_of(data, "note.txt"), data)
        pixels = np.asarray(draw_page(data, file_types.TEXT, 1, size).convert("L"))
        height, width = pixels.shape
        box = document.words.box(document.words.texts.index(word))
        left, right = round(box.left * width), round(box.right * width)
        gap = round(3 * size)  # half a space: what is drawn beyond the box would be seen there
        rows = slice(round((box.top - 0.01) * height), round((box.bottom + 0.01) * height))
        assert (pixels[rows, right + 1 : right + gap] > 128).all()
        assert (pixels[rows, left - gap : left - 1] > 128).all()
        return pixels[rows, left : right + 1] < 128

    drawn, other = ink(name), ink(like)
    assert drawn.any(axis=1).sum() > 6 * size  # as tall as letters, which dots are not
    assert drawn.shape == other.shape
    assert (drawn != other).sum() > 4 * size

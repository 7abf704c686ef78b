"""Placed pages as a PDF: three standard fonts, words and rules, nothing else.

It exists so that pages laid out here are drawn by the renderer that draws every other page.
"""

from collections.abc import Sequence

from citation_pipeline.adapters.office.font_metrics import BOLD, MONO, REGULAR, encoded
from citation_pipeline.adapters.office.typesetting import PlacedPage

_FONTS = {REGULAR: ("F1", "Helvetica"), BOLD: ("F2", "Helvetica-Bold"), MONO: ("F3", "Courier")}


def pdf_of_pages(pages: Sequence[PlacedPage]) -> bytes:
    """Return a PDF with these pages; the same pages give the same bytes."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    fonts = b""
    for short, name in _FONTS.values():
        number = add(f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>".encode("ascii"))
        fonts += f"/{short} {number} 0 R".encode("ascii")
    tree = len(objects) + 2 * len(pages) + 1
    kids = b""
    for page in pages:
        stream = _content(page)
        content = add(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
        sheet = add(
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %.2f %.2f]/Resources<</Font<<%s>>>>/Contents %d 0 R>>"
            % (tree, page.width, page.height, fonts, content)
        )
        kids += b"%d 0 R " % sheet
    add(b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), kids))
    catalog = add(b"<</Type/Catalog/Pages %d 0 R>>" % tree)
    return _assembled(objects, catalog)


def _content(page: PlacedPage) -> bytes:
    parts = [b"0.5 w"]
    for left, top, right, bottom in page.rules:
        parts.append(b"%.2f %.2f m %.2f %.2f l S" % (left, page.height - top, right, page.height - bottom))
    for word in page.words:
        text = encoded(word.text).replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        font = _FONTS[word.font][0].encode("ascii")
        parts.append(
            b"BT /%s %.2f Tf %.2f %.2f Td (%s) Tj ET"
            % (font, word.size, word.x, page.height - word.baseline, text)
        )
    return b"\n".join(parts)


def _assembled(objects: Sequence[bytes], catalog: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, catalog, start)
    return bytes(out)

"""RTF onto pages: paragraphs, tables, running lines, notes and pictures out of its control words.

Written here: the readers on offer leave out running lines, footnotes and pictures.
"""

import binascii
import re
from dataclasses import dataclass, field, replace

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.placed_pages import Paper, RunningLines, Style
from citation_pipeline.adapters.office.placed_pictures import place_picture
from citation_pipeline.adapters.office.struck_text import struck
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.typesetting import Typesetter

# a control word with its number, an escaped byte, an escaped sign, a brace, or letters
_TOKEN = re.compile(
    rb"\\([a-zA-Z]+)(-?\d+)? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
_NOTES = ("footnote", "annotation")
_SIGNS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\f", "tab": "\t", "emdash": "—", "endash": "–",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•", "enspace": " ",
    "emspace": " ", "cell": "\x07", "nestcell": "\t", "row": "\x06", "trowd": "\x04", "nestrow": "\n",
}  # fmt: skip
_HEADERS = ("header", "headerl", "headerr")
_FOOTERS = ("footer", "footerl", "footerr")
# destinations whose text no reader sees on the page
_UNSEEN = frozenset((
    "fonttbl", "colortbl", "stylesheet", "info", "fldinst", "listtable", "listoverridetable", "rsidtbl",
    "generator", "themedata", "colorschememapping", "latentstyles", "datastore", "xmlnstbl", "nonshppict",
    "bkmkstart", "bkmkend", "filetbl", "revtbl", "objdata", "datafield", "pgptbl", "listpicture", "mmathPr",
    "atnid", "atnref", "atndate", "atntime", "atrfstart", "atrfend", "wgrffmtfilter", "fchars", "lchars",
    "blipuid", "userprops", "docvar", "passwordhash", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "panose",
))  # fmt: skip
_CODE_PAGES = {0: 1252, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
               178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250}  # fmt: skip
_DEEPEST = 500  # groups


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds inside a pair of braces: where text goes, and how bytes and Unicode are read."""

    destination: str = "body"
    codec: str = "cp1252"
    skipped: int = 1  # letters that stand in for a Unicode one
    is_hidden: bool = False
    is_struck: bool = False


@dataclass(slots=True)
class _Texts:
    """The texts by destination, and the pictures; a picture's place in the body is marked."""

    parts: dict[str, list[str]] = field(default_factory=dict)
    pictures: list[bytearray] = field(default_factory=list)

    def add(self, destination: str, text: str) -> None:
        self.parts.setdefault(destination, []).append(text)

    def text(self, destination: str) -> str:
        return "".join(self.parts.get(destination, ()))


def set_rich_text(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out an RTF; one without a readable letter is a RefusedDocumentError."""
    texts = _read(data)
    header = next((text for name in _HEADERS if (text := texts.text(name).strip())), "")
    footer = next((text for name in _FOOTERS if (text := texts.text(name).strip())), "")
    first = (texts.text("headerf").strip(), texts.text("footerf").strip())
    running = RunningLines(header, footer, first if any(first) else None)
    setter = Typesetter(Paper(), running=running, on_page=options.on_page)
    set_body(setter, texts.text("body"), texts.pictures, options)
    for name in _NOTES:
        for note in texts.text(name).split("\x05"):
            style = "Comment" if name == "annotation" else "Text"
            setter.paragraph(note.strip(), Style(style, size=9.5, space_before=2.0))
    if not setter.blocks and not setter.warnings:
        raise refusals.empty_file()
    return setter


def set_body(setter: Typesetter, text: str, pictures: list[bytearray], options: OfficeOptions) -> None:
    """Lay out a text whose cells end in BEL and whose rows end in ACK; SUB marks the next picture.

    A row begins after EOT where the file says so, else with the line that its first cell ends.
    """
    waiting = iter(pictures)

    def add_pictures(marked: str) -> None:
        for _ in range(marked.count("\x1a")):
            picture = next(waiting, None)
            if picture is not None:
                place_picture(setter, bytes(picture), options)

    for number, page in enumerate(text.split("\f")):
        if number and page.strip():
            setter.break_page()
        rows: list[list[Cell]] = []
        for chunk in page.split("\x06"):
            before, row = _parted(chunk)
            if before.strip():
                _set_rows(setter, rows)
                rows = []
            for line in before.split("\n"):
                setter.paragraph(line.replace("\x1a", ""), Style())
                add_pictures(line)
            if row:
                rows.append([Cell(cell.replace("\x1a", "").strip()) for cell in row.split("\x07")[:-1]])
                add_pictures(row)
        _set_rows(setter, rows)


def _parted(chunk: str) -> tuple[str, str]:
    """Return the paragraphs before a row, and the row's cells."""
    first = chunk.find("\x07")
    if first < 0:
        return chunk.replace("\x04", ""), ""
    begin = chunk.rfind("\x04", 0, first)
    if begin < 0:
        begin = chunk.rfind("\n", 0, first)
    return chunk[: max(0, begin)].replace("\x04", ""), chunk[begin + 1 :].replace("\x04", "")


def _set_rows(setter: Typesetter, rows: list[list[Cell]]) -> None:
    if rows:
        setter.table(rows, [1.0] * max(map(len, rows)))


def _read(data: bytes) -> _Texts:
    texts = _Texts()
    groups = [_Group(codec=_codec(data))]
    fonts: dict[str, str] = {}
    font, skip, at, is_ignorable = "", 0, 0, False
    while at < len(data) and (match := _TOKEN.match(data, at)):
        at = match.end()
        word, number, byte, sign, brace, plain = match.groups()
        group = groups[-1]
        if brace == b"{":
            if len(groups) > _DEEPEST:
                raise refusals.corrupt("its groups are nested too deep")
            groups.append(group)
        elif brace == b"}":
            if len(groups) > 1:
                groups.pop()
            if group.destination in _NOTES and groups[-1].destination != group.destination:
                texts.add(group.destination, "\x05")
        elif word is not None:
            name = word.decode()
            if name == "bin":  # so many raw bytes
                at += max(0, int(number or 0))
            elif name == "u" and number is not None:
                _add(texts, group, chr(int(number) % 65536))
                skip = group.skipped
            elif name == "f" and number is not None:
                font = number.decode()
                if group.destination != "fonttbl" and font in fonts:
                    groups[-1] = replace(group, codec=fonts[font])
            elif name == "fcharset" and int(number or 0) in _CODE_PAGES:
                fonts[font] = f"cp{_CODE_PAGES[int(number or 0)]}"
            else:
                groups[-1] = _after_word(texts, group, name, number, is_ignorable=is_ignorable)
        elif byte is not None:
            if skip:
                skip -= 1
            else:
                at = _add_bytes(texts, group, data, match.start())
        elif sign is not None:
            _add(texts, group, {b"~": " ", b"_": "-", b"\n": "\n", b"\r": "\n"}.get(sign, ""))
            if sign in b"\\{}":
                _add(texts, group, sign.decode())
        elif plain is not None:
            if group.destination == "pict":
                texts.pictures[-1].extend(_hex(plain))
            else:
                _add(texts, group, plain[skip:].decode(group.codec, "replace"))
            skip = max(0, skip - len(plain))
        is_ignorable = sign == b"*"
    return texts


def _after_word(
    texts: _Texts, group: _Group, name: str, number: bytes | None, *, is_ignorable: bool
) -> _Group:
    """Return what holds after a control word, having added the sign that it stands for."""
    if name in _SIGNS:
        _add(texts, group, _SIGNS[name])
    elif name == "uc" and number is not None:
        return replace(group, skipped=max(0, int(number)))
    elif name in ("v", "deleted"):
        return replace(group, is_hidden=number != b"0")
    elif name in ("strike", "striked"):
        return replace(group, is_struck=number != b"0")
    elif name == "plain":
        return replace(group, is_struck=False)
    elif name == "pict" and group.destination != "unseen":
        texts.add(group.destination, "\x1a")
        texts.pictures.append(bytearray())
        return replace(group, destination="pict")
    elif name in _UNSEEN or (is_ignorable and name not in ("shppict", "shpinst", "annotation", "footnote")):
        return replace(group, destination=name if name == "fonttbl" else "unseen")
    elif name in (*_HEADERS, *_FOOTERS, "headerf", "footerf", "footnote", "annotation"):
        return replace(group, destination=name)
    return group


def _add(texts: _Texts, group: _Group, text: str) -> None:
    if group.destination not in ("unseen", "fonttbl", "pict") and not group.is_hidden:
        texts.add(group.destination, struck(text) if group.is_struck and text.isprintable() else text)


def _add_bytes(texts: _Texts, group: _Group, data: bytes, at: int) -> int:
    """Add a run of escaped bytes, of which two may be one letter; returns where it ends."""
    run = re.compile(rb"(?:\\'[0-9a-fA-F]{2})+").match(data, at)
    assert run is not None
    values = bytes.fromhex(run.group().replace(b"\\'", b"").decode())
    _add(texts, group, values.decode(group.codec, "replace"))
    return run.end()


def _hex(plain: bytes) -> bytes:
    digits = re.sub(rb"[^0-9a-fA-F]", b"", plain)
    try:
        return binascii.unhexlify(digits[: len(digits) & ~1])
    except binascii.Error:
        return b""


def _codec(data: bytes) -> str:
    found = re.search(rb"\\ansicpg(\d+)", data[:4096])
    name = f"cp{int(found.group(1))}" if found else "cp1252"
    try:
        b"".decode(name)
    except LookupError:
        return "cp1252"
    return name

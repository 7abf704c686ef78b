"""Damage inside a spreadsheet's package is the file's, and said so; it is no defect of the parser."""

import io
import zipfile

import openpyxl
import pytest

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.parser_files import source_of


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_a_spreadsheet_with_a_damaged_part_is_corrupt(parser: LocalParser, part: str) -> None:
    out = io.BytesIO()
    book = openpyxl.Workbook()
    book.worksheets[0].append(["Date", "Paid"])
    book.save(out)
    data = bytearray(out.getvalue())
    assert parser.parse(source_of(bytes(data), "ledger.xlsx"), bytes(data)).status == DocumentStatus.PARSED
    with zipfile.ZipFile(out) as whole:
        at = whole.getinfo(part).header_offset + 30 + len(part)
    data[at + 8 : at + 24] = bytes(16)
    document = parser.parse(source_of(bytes(data), "ledger.xlsx"), bytes(data))
    assert document.status == DocumentStatus.CORRUPT

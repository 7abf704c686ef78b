"""A table's file: how it is compressed, and that others read it."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from citation_pipeline.adapters.tables.document_rows import _texts
from citation_pipeline.adapters.tables.parquet_files import encode, read_columns


@pytest.mark.parametrize(("rows", "compression"), [(10, "LZ4"), (200_000, "ZSTD")])
def test_others_read_small_and_large_tables_each_compressed_by_what_suits_it(
    tmp_path: Path, rows: int, compression: str
) -> None:
    file = tmp_path / "table.parquet"
    file.write_bytes(encode(pa.table({"number": range(rows)}), marks={b"of": b"here"}))
    assert pq.read_metadata(file).row_group(0).column(0).compression == compression
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT sum(number) FROM '{file}'").fetchall()
    assert found == [(rows * (rows - 1) // 2,)]


def test_texts_read_as_a_dictionary_are_those_that_were_written_whatever_their_number(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for texts in (["the", "mill", "the"] * 20_000, [f"page {number} " * 9 for number in range(60_000)], []):
        path.write_bytes(encode(pa.table({"text": pa.array(texts, pa.string())}), marks={}))
        column = read_columns(path, ["text"], repeated=["text"]).column("text")
        assert pa.types.is_dictionary(column.type)
        found = _texts(column)
        assert found == texts
        assert len(set(map(id, found[:30_000]))) == len(set(found[:30_000]))

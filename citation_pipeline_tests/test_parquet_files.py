"""A table's file: how it is compressed, and that others read it."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from citation_pipeline.adapters.tables.parquet_files import encode


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

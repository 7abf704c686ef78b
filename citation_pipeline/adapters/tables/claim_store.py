"""The store: one Parquet file per table and claim, the viewer datasets, and the claims' registrations.

What a table means is determined by `shapes`; how documents and answers become rows, by the modules beside it,
how a file is put in place by `stored_files`.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pydantic_core

from citation_pipeline.adapters.claim_originals import FOLDERS, placed, take_in
from citation_pipeline.adapters.coordination.database import FILE_NAME as COORDINATION_FILE
from citation_pipeline.adapters.coordination.database import Coordination, open_at
from citation_pipeline.adapters.object_storage.objects import ObjectFiles
from citation_pipeline.adapters.sql_engines import sqlite_url
from citation_pipeline.adapters.tables.file_places import ANYTHING
from citation_pipeline.adapters.tables.parquet_files import (
    DamagedFileError,
    encode,
    read_columns,
    read_footer,
)
from citation_pipeline.adapters.tables.part_boundaries import FOLDER as BOUNDARIES
from citation_pipeline.adapters.tables.shapes import SHAPES, VOLATILE_COLUMNS
from citation_pipeline.adapters.tables.store_errors import (
    DamagedTableError,
    MissingTableError,
    OutdatedTableError,
    StoreError,
    TornStageError,
)
from citation_pipeline.adapters.tables.stored_files import Copies, StoredFiles
from citation_pipeline.adapters.tables.viewer_dataset_files import (
    VIEWER_STATE,
    part_viewer_bytes,
    version_of_bytes,
)
from citation_pipeline.core.claims import Claim, ClaimFile, check_claim_id
from citation_pipeline.core.planning.stages import (
    STAGE_TABLES,
    STAGES,
    UPSTREAM,
    StageState,
    upstream_versions,
)

AUTO_ORIGINALS = "auto"
"""A store in object storage keeps claims' files; of one on this machine their folders are read."""

_INPUTS, _VERSION = b"citation_pipeline.inputs", b"citation_pipeline.data_version"
_OF_STORES = ("claims", "dagster_home", COORDINATION_FILE)  # one of them is in every store
_NOT_OF_FOLDERS = ("origin", "origin_mark", "files")  # keys of claims whose files the store keeps
_NOTHING_READ: Mapping[str, pa.Table] = {}
_NOTHING_SEEN: Mapping[str, str | None] = {}
_SEEN: ContextVar[Mapping[str, str | None]] = ContextVar("seen", default=_NOTHING_SEEN)


class ClaimStore(StoredFiles):
    """Reads and writes everything the pipeline keeps, under one root (a path or an object-storage URL)."""

    def __init__(
        self,
        root: str | Path,
        *,
        copies: Copies = Copies(),  # noqa: B008 - it is frozen
        coordination_url: str = "",
        originals: str = AUTO_ORIGINALS,
    ) -> None:
        """Open a store; what is decided once is in that database, by default in a local store's own file.

        `originals` says where claims' files are read from: "store", "folder", or as `AUTO_ORIGINALS` does.
        """
        super().__init__(root, copies=copies)
        own = sqlite_url(self.local_path(COORDINATION_FILE)) if self.is_local else ""
        self._coordination_url = coordination_url or own
        self._coordination: Coordination | None = None
        self.keeps_originals = originals == "store" or (originals == AUTO_ORIGINALS and not self.is_local)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_coordination": None}  # a process has connections of its own

    @property
    def coordination(self) -> Coordination | None:
        """What is decided once; None for a store in object storage that was opened without its URL."""
        if not self._coordination_url:
            return None
        if self._coordination is None or not self._coordination.is_of_this_process:
            self._coordination = open_at(self._coordination_url)
        return self._coordination

    # --- claims ----------------------------------------------------------------------------------

    def register(self, claim: Claim) -> None:
        """Keep how a claim is to be read, with its files where the store keeps those; replaces the last one.

        Raises ClaimFolderError for a folder that is gone while its files are taken in.
        """
        check_claim_id(claim.claim_id)
        if self.keeps_originals or claim.files:
            before = self._registration(claim.claim_id)
            claim = take_in(self, claim, known=before.files if before is not None else ())
        kept = {name: value for name, value in asdict(claim).items() if value or name not in _NOT_OF_FOLDERS}
        text = json.dumps(kept, indent=1, sort_keys=True)
        self.write_bytes(text.encode(), "claims", f"{claim.claim_id}.json")

    def claim(self, claim_id: str) -> Claim:
        """Return a claim's registration; raises StoreError when there is none."""
        check_claim_id(claim_id)
        try:
            found = self._registration(claim_id)
        except (ValueError, TypeError) as error:
            raise StoreError(f"{claim_id}: its registration is damaged: run its folder again") from error
        if found is None:
            raise StoreError(f"{claim_id} is not in the store {self.shown_root}: run its folder first")
        return placed(self, found) if found.files else found

    def _registration(self, claim_id: str) -> Claim | None:
        """Return a claim's registration as it is written, None without one; raises ValueError, TypeError."""
        try:
            kept = json.loads(self.read_bytes("claims", f"{claim_id}.json"))
        except FileNotFoundError:
            return None
        return Claim(**{**kept, "files": tuple(ClaimFile(**file) for file in kept.get("files", ()))})

    def claim_ids(self) -> list[str]:
        """Return the registered claims, sorted."""
        return self.names("claims", ".json")

    def forget_vanished(self) -> None:
        """Remove this machine's copies of what is not in a store in object storage any more."""
        if not isinstance(self.place, ObjectFiles):
            return
        self.place.mirror.forget_all_but({path: info.mark for path, info in self.place.all_files()})
        registered = set(self.current().claim_ids())
        folders = self.host_path(FOLDERS)
        for left in folders.iterdir() if folders.is_dir() else ():
            if left.name.removesuffix(".json") not in registered:
                shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)

    # --- tables ----------------------------------------------------------------------------------

    def read_table(
        self,
        table: str,
        claim_id: str,
        columns: list[str] | None = None,
        *,
        repeated: Sequence[str] = (),
    ) -> pa.Table:
        """Return one claim's table; raises MissingTableError, OutdatedTableError or DamagedTableError.

        `repeated` are columns of texts that are wanted as a dictionary of Arrow's.
        """
        check_claim_id(claim_id)
        try:
            kept = self.read_with(
                lambda path: read_columns(path, columns, repeated=repeated), table, f"{claim_id}.parquet"
            )
        except FileNotFoundError as error:
            raise MissingTableError(table, claim_id) from error
        except DamagedFileError as error:
            raise DamagedTableError(table, claim_id) from error
        wanted = columns or SHAPES[table].names
        if sorted(kept.column_names) != sorted(wanted):
            raise OutdatedTableError(table, claim_id)
        return kept.select(wanted)

    def read_rows(self, table: str, claim_id: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
        """Return one claim's rows by column name; raises as `read_table`."""
        return rows_of(self.read_table(table, claim_id, columns))

    def read_tables(self, table: str, claim_ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        """Return the rows of many claims; a column that an older version did not write is null.

        Raises MissingTableError or the file's own ArrowInvalid for what is not there or torn.
        """
        # imported by who needs it: it brings pandas to processes that did not leave it out before
        import pyarrow.dataset as ds

        names = [f"{table}/{check_claim_id(claim_id)}.parquet" for claim_id in claim_ids]
        shape = pa.schema([SHAPES[table].field(name) for name in columns])
        try:
            paths = [str(self.place.local_copy(name)) for name in names]
            found = ds.dataset(paths, schema=shape, format="parquet")
            return found.to_table(columns=list(columns))
        except FileNotFoundError as error:
            raise MissingTableError(table, ", ".join(claim_ids[:3])) from error

    def write_stage(
        self, stage: str, claim_id: str, *, tables: Mapping[str, pa.Table], inputs: Mapping[str, str]
    ) -> StageState:
        """Put a stage's tables in place, the sealing one last, and return the stage's state."""
        check_claim_id(claim_id)
        names = STAGE_TABLES[stage]
        if set(tables) != set(names):
            raise StoreError(f"{stage} keeps {', '.join(names)}, but was given {', '.join(sorted(tables))}")
        version = version_of(tables)
        marks = {_INPUTS: _as_json(inputs), _VERSION: version.encode()}
        encoded = {name: encode(tables[name].cast(SHAPES[name]), marks=marks) for name in names}
        for name in names:
            self._write_over_seen(encoded[name], name, f"{claim_id}.parquet")
        return StageState(dict(inputs), version)

    @contextmanager
    def writing_over_seen(self, stage: str, claim_id: str) -> Iterator[None]:
        """Within the block, a stage's files of a remote store only replace those that are there now.

        So of two writers that both began before either wrote, one wins and the other gets a
        ChangedMeanwhileError before any file of its own is in place. On this machine a lease decides.
        """
        if self.is_local:
            yield
            return
        files = [f"{table}/{claim_id}.parquet" for table in STAGE_TABLES.get(stage, ())]
        files += [f"viewer_dataset/{claim_id}/data.json"] if stage == "viewer_dataset" else []
        # a run's work is made from what it asked or wrote itself: a later mark would hide another writer
        place = self if self.is_within_run else self.current()
        token = _SEEN.set({file: place.file_mark(file) for file in files})
        try:
            yield
        finally:
            _SEEN.reset(token)

    def _write_over_seen(self, data: bytes | pa.Buffer, *parts: str) -> None:
        self.write_bytes(data, *parts, expected=_SEEN.get().get("/".join(parts), ANYTHING))

    def write_side_table(self, name: str, claim_id: str, table: pa.Table) -> None:
        """Put a table in place that belongs to no stage."""
        check_claim_id(claim_id)
        self.write_bytes(encode(table.cast(SHAPES[name]), marks={}), name, f"{claim_id}.parquet")

    def copy_table(self, name: str, to: str, claim_id: str) -> None:
        """Put a claim's table in place under another name of the same shape; raises MissingTableError."""
        check_claim_id(claim_id)
        file = f"{claim_id}.parquet"
        try:
            self.copy((name, file), (to, file))
        except FileNotFoundError as error:
            raise MissingTableError(name, claim_id) from error

    def stage_state(self, stage: str, claim_id: str) -> StageState | None:
        """Return what a stage left, or None when it never finished or its tables come from two runs."""
        check_claim_id(claim_id)
        if stage == "viewer_dataset":
            return self._viewer_state(claim_id)
        states = [self.table_state(table, claim_id) for table in STAGE_TABLES[stage]]
        first = states[0]
        return first if first is not None and all(state == first for state in states) else None

    def stage_states(self, claim_id: str) -> dict[str, StageState | None]:
        """Return what every stage of a claim left."""
        return {stage: self.stage_state(stage, claim_id) for stage in STAGES}

    def upstream_versions(
        self, stage: str, claim_id: str, *, states: Mapping[str, StageState | None] | None = None
    ) -> dict[str, str]:
        """Return the versions of what a stage is made from, "missing" where there is none.

        Where a person divided a file, whatever is made from the parsed documents is made from that too.
        `states` is what the stages left, for a caller that has read it.
        """
        known = states or {name: self.stage_state(name, claim_id) for name in UPSTREAM[stage]}
        found = upstream_versions(stage, known)
        if "parsed_documents" in found and self.has(BOUNDARIES, f"{claim_id}.json"):
            kept = self.read_bytes(BOUNDARIES, f"{claim_id}.json")
            found["part_boundaries"] = hashlib.sha256(kept).hexdigest()[:16]
        return found

    def check_whole(self, stage: str, claim_id: str, read: Mapping[str, pa.Table] = _NOTHING_READ) -> None:
        """Raise TornStageError when a stage's tables are there but come from two runs.

        Of tables that were `read` already, what was read counts.
        """
        states = [
            _state_in(read[table].schema) if table in read else self.table_state(table, claim_id)
            for table in STAGE_TABLES[stage]
        ]
        if None not in states and any(state != states[0] for state in states):
            raise TornStageError(stage, claim_id)

    def table_state(self, table: str, claim_id: str) -> StageState | None:
        """Return what the stage left that wrote a table, or None without one of the present shape."""
        check_claim_id(claim_id)
        try:
            with self.place.end(f"{table}/{claim_id}.parquet") as end:
                kept = read_footer(end, name=self.path(table, f"{claim_id}.parquet"))
        except (FileNotFoundError, DamagedFileError):  # either is made by the next run
            return None
        # a table of an older shape counts as never made, so that the next run makes it again
        return _state_in(kept) if kept.names == SHAPES[table].names else None

    def table_marks(self, table: str, suffix: str = ".parquet") -> dict[str, str]:
        """Return, by claim, a mark that changes whenever the claim's file of this table is exchanged."""
        return {
            name.removesuffix(suffix): info.mark
            for name, info in self.place.files(table).items()
            if name.endswith(suffix)
        }

    # --- viewer datasets --------------------------------------------------------------------------

    def write_viewer_dataset(
        self, claim_id: str, dataset: Mapping[str, Any], *, inputs: Mapping[str, str]
    ) -> StageState:
        """Put a claim's `data.json` in place and return the stage's state."""
        check_claim_id(claim_id)
        # in one line: indented JSON is written ten times as slowly, and nobody reads a megabyte of it
        body = json.dumps(dataset, ensure_ascii=False).encode()
        version = version_of_bytes(body)
        state = json.dumps({"inputs": dict(inputs), "dataVersion": version})
        text = b"".join((body[:-1], VIEWER_STATE, state.encode(), b"}"))
        self.write_bytes(text, "viewer_dataset", claim_id, "data.json")
        return StageState(dict(inputs), version)

    def read_viewer_dataset(self, claim_id: str) -> dict[str, Any]:
        """Return a claim's `data.json`; raises MissingTableError or DamagedTableError."""
        content = self._viewer_bytes(claim_id)
        try:
            return _dataset_in(content)
        except ValueError:  # its words say what was read
            raise DamagedTableError("viewer_dataset", claim_id) from None

    def read_intact_viewer_dataset(
        self, claim_id: str, inputs: Mapping[str, str]
    ) -> tuple[dict[str, Any], StageState] | None:
        """Return a claim's `data.json` and state if it was made from these inputs and no byte changed since.

        None says that it has to be built.
        """
        try:
            body, state = part_viewer_bytes(self._viewer_bytes(claim_id))
        except MissingTableError:
            return None
        if state is None or state.inputs != inputs or state.data_version != version_of_bytes(body):
            return None
        return _dataset_in(body), state

    def _viewer_bytes(self, claim_id: str) -> bytes:
        check_claim_id(claim_id)
        try:
            return self.read_bytes("viewer_dataset", claim_id, "data.json")
        except FileNotFoundError as error:
            raise MissingTableError("viewer_dataset", claim_id) from error

    def _viewer_state(self, claim_id: str) -> StageState | None:
        try:
            return part_viewer_bytes(self._viewer_bytes(claim_id))[1]
        except MissingTableError:
            return None


def no_store_at(root: str) -> str:
    """Return why a path of this machine is no store, with the remedy; nothing for a store, or for a URL."""
    place = StoredFiles(root)
    folder = place.host_folder
    if not place.is_local or any((folder / name).exists() for name in _OF_STORES):
        return ""
    what = "is a file" if folder.is_file() else "is empty" if folder.is_dir() else "is not there"
    if folder.is_dir() and any(folder.iterdir()):
        what = "holds other things"
    return (
        f"no store is here: {place.shown_root} {what}; name one with --store or CITATION_PIPELINE_STORE, or "
        "run a claim first: citation-pipeline run CLAIM_DIR --store DIR"
    )


def _dataset_in(body: bytes) -> dict[str, Any]:
    # in a third less time than Python's own reader takes: a re-match reads each claim's
    dataset: dict[str, Any] = pydantic_core.from_json(body)
    return dataset


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """Return a table's rows by column name."""
    names = table.column_names  # made anew whenever it is asked for
    values = (column.to_pylist() for column in table.columns)  # five times as fast as row by row
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _state_in(shape: pa.Schema) -> StageState | None:
    """Return what the stage left that wrote a file with these columns and marks."""
    marks = shape.metadata
    if not marks or _VERSION not in marks:
        return None
    return StageState(json.loads(marks[_INPUTS]), marks[_VERSION].decode())


def _as_json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()


def version_of(tables: Mapping[str, pa.Table]) -> str:
    """Return a fingerprint of the rows of a stage's tables, volatile columns left out."""
    digest = hashlib.sha256()
    for name in sorted(tables):
        stable = tables[name].drop_columns(list(VOLATILE_COLUMNS.get(name, ())))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, stable.schema.remove_metadata()) as writer:
            writer.write_table(stable.combine_chunks().replace_schema_metadata(None))
        digest.update(name.encode())
        digest.update(sink.getvalue())
    return digest.hexdigest()[:16]

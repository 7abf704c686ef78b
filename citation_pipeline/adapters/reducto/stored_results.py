"""Results as they are kept: what Reducto answered, and its text, in a folder per claim, and in the store.

`<source_id>.reducto.json` is the result as it was received, without presigned addresses; where it was
fetched from an address of its own, the job's answer (usage, credits, model) lies beside it as
`<source_id>.reducto-job.json`. `<source_id>.md` is the text of the chunks. Not here: when they are written
(`document_steps`) and what they become (`conversion`).
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.reducto.block_contents import without_page_markers
from citation_pipeline.adapters.reducto.errors import ReductoResultError
from citation_pipeline.adapters.reducto.parse_results import ParseResult, read_parse_result
from citation_pipeline.adapters.whole_files import PRIVATE, write_whole

RESULT_SUFFIX, JOB_SUFFIX, TEXT_SUFFIX = ".reducto.json", ".reducto-job.json", ".md"


@dataclass(frozen=True, slots=True)
class RawResult:
    """The answers of a finished job; `job` is None when `result` is itself the job's answer."""

    result: bytes
    job: bytes | None

    @property
    def sha256(self) -> str:
        """Hex digest of the result's bytes."""
        return hashlib.sha256(self.result).hexdigest()

    def read(self, *, name: str) -> ParseResult:
        """Validate; raises `ReductoResultError` that calls the result `name`."""
        return read_parse_result(self.result, job=self.job, name=name)


def store_result(raw: RawResult, *, folder: Path, source_id: str) -> Path:
    """Write all files of a result and return the path of the raw one, which is written last.

    The text is left out when the result cannot be read: what was paid for is kept in any case.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        text = text_of(raw.read(name=source_id))
    except ReductoResultError:
        text = None
    if text is not None:
        write_whole(folder / f"{source_id}{TEXT_SUFFIX}", text.encode(), mode=PRIVATE)
    job_path = folder / f"{source_id}{JOB_SUFFIX}"
    if raw.job is not None:
        write_whole(job_path, raw.job, mode=PRIVATE)
    else:
        job_path.unlink(missing_ok=True)
    path = folder / f"{source_id}{RESULT_SUFFIX}"
    write_whole(path, raw.result, mode=PRIVATE)
    return path


def load_result(path: Path) -> RawResult:
    """Read what `store_result` wrote, or a lone `.reducto.json`; OSError when there is none."""
    job_path = path.with_name(path.name.removesuffix(RESULT_SUFFIX) + JOB_SUFFIX)
    return RawResult(path.read_bytes(), job_path.read_bytes() if job_path.is_file() else None)


class KeptResults:
    """Results in the store, packed, by content and job options: any host finds what another paid for."""

    def __init__(self, kept: KeptBytes) -> None:
        self._kept = kept

    def keep(self, raw: RawResult, sha256: str, fingerprint: str) -> None:
        """Put a result into the store, its last part last."""
        if raw.job is not None:
            self._kept.keep(f"{sha256}-{fingerprint}.job.json.gz", gzip.compress(raw.job, mtime=0))
        self._kept.keep(f"{sha256}-{fingerprint}.json.gz", gzip.compress(raw.result, mtime=0))

    def find(self, sha256: str, fingerprint: str) -> RawResult | None:
        """Return a result, or None; one that cannot be unpacked is none."""
        result = self._kept.find(f"{sha256}-{fingerprint}.json.gz")
        job = self._kept.find(f"{sha256}-{fingerprint}.job.json.gz") if result is not None else None
        try:
            return (
                RawResult(gzip.decompress(result), gzip.decompress(job) if job is not None else None)
                if result is not None
                else None
            )
        except (OSError, EOFError, zlib.error):
            return None


def text_of(result: ParseResult) -> str:
    """Return the text of all chunks, without page markers, ending in a newline."""
    parts = [
        without_page_markers(chunk.content or "\n\n".join(block.content for block in chunk.blocks))
        for chunk in result.chunks
    ]
    return "\n\n".join(part for part in parts if part) + "\n"

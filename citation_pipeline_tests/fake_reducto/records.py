"""What the fake remembers: uploads, jobs, counters and the log of requests.

One object for one running server; every method takes the lock. Times come from the monotonic clock.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citation_pipeline_tests.fake_reducto.faults import FaultQueue
from citation_pipeline_tests.fake_reducto.oddities import apply_oddities
from citation_pipeline_tests.fake_reducto.pages import UnreadableDocumentError, read_pages
from citation_pipeline_tests.fake_reducto.results import parse_response

STATUSES = ("Pending", "Pending:0.4", "InProgress", "Completed")
"""One status per poll; the last is repeated. `Failed:NAME` fails with that error name."""


@dataclass
class Settings:
    """How this server behaves; the admin endpoint may change any of them while it runs."""

    api_key: str = "test-key"
    rate: float = 0.0  # requests a second on the API host; 0 is no limit
    burst: int = 1  # requests that may come at once
    retry_after: str | None = "1"  # header of a 429 that comes from the rate limit
    statuses: Sequence[str] = STATUSES
    outcomes: Mapping[str, Sequence[str]] = field(default_factory=dict)  # sha256 → statuses
    oddities: Sequence[str] = ()
    inline_limit: int = 6_000_000  # results above this many bytes become "url" by themselves
    always_inline: bool = False  # ignore force_url_result, as an older server would
    whole_response_at_url: bool = False  # the address serves the ParseResponse, not its `result`
    result_ttl: float = 3600.0
    direct_limit: int = 100_000_000  # bytes of a direct upload
    list_configs: bool = True  # GET /jobs carries raw_config
    delete_lag: int = 1  # GETs of a deleted job that answer 409 before 410
    fixtures: str | None = None  # folder of <sha256>.json ParseResponses


@dataclass
class Upload:
    """One uploaded file."""

    file_id: str
    data: bytes | None
    deleted: bool = False

    @property
    def sha256(self) -> str:
        """Hex digest of the bytes."""
        return hashlib.sha256(self.data or b"").hexdigest()


@dataclass
class Job:
    """One parse job; its result is made once, on the first poll that completes it."""

    job_id: str
    file_id: str
    sha256: str
    config: Mapping[str, Any]
    statuses: Sequence[str]
    created: float
    polls: int = 0
    polls_since_delete: int | None = None
    cancelled: bool = False
    outcome: dict[str, Any] | None = None  # {"response": …} or {"error": …}


class Records:
    """The server's memory."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.faults = FaultQueue()
        self.lock = threading.RLock()
        self.reset()

    def reset(self) -> None:
        """Forget everything but the settings."""
        with self.lock:
            self.uploads: dict[str, Upload] = {}
            self.jobs: dict[str, Job] = {}
            self.fixtures: dict[str, Any] = {}
            self.counters: Counter[str] = Counter()
            self.requests: list[dict[str, Any]] = []
            self.webhooks: list[dict[str, Any]] = []
            self._tokens, self._refilled = float(self.settings.burst), time.monotonic()
            self.faults.clear()

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        with self.lock:
            self.counters[name] += by

    def within_rate(self) -> bool:
        """Take one request from the allowance; False when there is none left."""
        rate = self.settings.rate
        if rate <= 0:
            return True
        with self.lock:
            now = time.monotonic()
            self._tokens = min(self.settings.burst, self._tokens + (now - self._refilled) * rate)
            self._refilled = now
            if self._tokens < 1:
                self.counters["rate_limited"] += 1
                return False
            self._tokens -= 1
            return True

    def add_upload(self, data: bytes | None, *, extension: str) -> Upload:
        """Remember a file (or the promise of one) under a fresh id."""
        upload = Upload(f"reducto://{uuid.uuid4()}{extension}", data)
        with self.lock:
            self.uploads[upload.file_id] = upload
            self.counters["uploads"] += 1
        return upload

    def find_upload(self, name: str) -> Upload | None:
        """By `reducto://<id>` or by `<id>`; deleted and never-filled ones are not found."""
        full = name if name.startswith("reducto://") else f"reducto://{name}"
        with self.lock:
            upload = self.uploads.get(full)
            return upload if upload is not None and not upload.deleted else None

    def add_job(self, upload: Upload, config: Mapping[str, Any]) -> Job:
        """Start a job for an upload."""
        digest = upload.sha256
        job = Job(
            job_id=str(uuid.uuid4()),
            file_id=upload.file_id,
            sha256=digest,
            config=config,
            statuses=tuple(self.settings.outcomes.get(digest, self.settings.statuses)),
            created=time.time(),
        )
        with self.lock:
            self.jobs[job.job_id] = job
            self.counters["parse_jobs"] += 1
        return job

    def finish(self, job: Job) -> dict[str, Any]:
        """The job's outcome: {"response": ParseResponse} or {"error": name}; made once."""
        with self.lock:
            if job.outcome is None:
                job.outcome = self._parse(job)
                if "response" in job.outcome:
                    self.counters["billed_pages"] += job.outcome["response"]["usage"]["num_pages"]
            return job.outcome

    def _parse(self, job: Job) -> dict[str, Any]:
        upload = self.uploads.get(job.file_id)
        ready = self.fixtures.get(job.sha256) or self._fixture_file(job.sha256)
        if ready is not None:
            return {"response": {**ready, "job_id": job.job_id}}
        settings = job.config.get("settings", {})
        try:
            pages = read_pages(
                (upload.data if upload else None) or b"", password=settings.get("document_password")
            )
        except UnreadableDocumentError as error:
            return {"error": error.name}
        response = parse_response(
            job.job_id, pages, job.config, with_words=bool(settings.get("return_citations"))
        )
        names = set(self.settings.oddities)
        if job.config.get("formatting", {}).get("add_page_markers"):
            names.add("doubled_page_markers")
        if job.config.get("formatting", {}).get("merge_tables"):
            names.add("merged_tables")
        return {"response": apply_oddities(response, names)}

    def _fixture_file(self, sha256: str) -> Any:
        if self.settings.fixtures is None:
            return None
        path = Path(self.settings.fixtures) / f"{sha256}.json"
        return json.loads(path.read_bytes()) if path.is_file() else None

"""What we ask Reducto to do with a document, and how we reach it: two configurations, nothing else.

`ParseOptions` decides the output and so makes the fingerprint; `Connection` decides who, how fast and how
patiently, and never changes a result. Not here: the environment (`defs/resources.py` reads it).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.planning.retries import RetryRules

ADAPTER_VERSION = "1"
"""Shown with each parse; what decides about reuse is the fingerprint."""

Profile = Literal["agentic", "r-1"]


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Everything that changes the result.

    A profile is a whole: "agentic" is the general model with agentic passes over tables, text and figures;
    "r-1" is the full-page model, which takes no agentic scopes and gives boxes for words. Mixing their
    options can fail validation, so they cannot be mixed here.

    `add_page_markers` stays off (sources disagree on the markers' text and pages follow from the boxes); when
    on, markers are recognized and dropped.
    """

    profile: Profile = "agentic"
    add_page_markers: bool = False
    merge_tables: bool = False
    extraction_mode: Literal["hybrid", "ocr"] = "hybrid"
    table_mode: Literal["default", "auto", "max"] | None = None
    queue_priority: Literal["auto", "standard", "batch"] | None = None

    def __post_init__(self) -> None:
        if self.profile == "r-1" and (self.merge_tables or self.table_mode is not None):
            raise ValueError(
                "profile 'r-1' takes neither merge_tables nor table_mode; leave them out or use 'agentic'"
            )

    def request_body(
        self, file_id: str, *, webhook_url: str | None = None, password: str | None = None
    ) -> dict[str, Any]:
        """Return the body of POST /parse_async; nothing of a claim goes into `async.metadata`.

        A password decides whether there is a result, not what it is, and so is no part of the fingerprint.
        """
        body = {"input": file_id, **self._what_to_do()}
        if password is not None:
            body["settings"]["document_password"] = password
        if self.queue_priority is not None:
            body["queue_priority"] = self.queue_priority
        if webhook_url is not None:
            body["async"] = {"webhook": {"mode": "direct", "url": webhook_url}}
        return body

    def _what_to_do(self) -> dict[str, Any]:
        # One code path for results of any size: the service switches to an address near 6 MB anyway.
        settings: dict[str, Any] = {"force_url_result": True, "persist_results": False}
        settings["extraction_mode"] = self.extraction_mode
        # HTML keeps row and column spans, which Markdown cannot.
        formatting = {"table_output_format": "html", "add_page_markers": self.add_page_markers}
        retrieval = {"chunking": {"chunk_mode": "page"}, "filter_blocks": []}
        if self.profile == "r-1":
            settings |= {"model": "r-1", "return_citations": True}
            return {
                "enhance": {"summarize_figures": False},
                "formatting": formatting,
                "retrieval": retrieval,
                "settings": settings,
            }
        table: dict[str, Any] = {"scope": "table"}
        if self.table_mode is not None:
            table["mode"] = self.table_mode
        return {
            # The figure scope needs summaries; their text never becomes words (see `alignment`).
            "enhance": {
                "agentic": [{"scope": "text"}, table, {"scope": "figure"}],
                "summarize_figures": True,
            },
            "formatting": formatting | {"merge_tables": self.merge_tables},
            "retrieval": retrieval,
            "settings": settings,
        }

    def fingerprint(self, *, local_fingerprint: str) -> str:
        """Return a short digest that changes whenever the same file could give another result.

        `queue_priority` changes only the price and stays out.
        """
        return _digest(
            {
                "adapter": code_fingerprint("reducto"),
                "job": self.job_fingerprint(),
                "local": local_fingerprint,
            }
        )

    def job_fingerprint(self) -> str:
        """Return a digest of what a job does, whatever we make of its result: a paid job is known by it."""
        return _digest(self._what_to_do())


def _digest(value: Any) -> str:
    return f"reducto-{hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Connection:
    """Where Reducto is, with which key, and how fast and patiently we call it.

    `requests_per_second` counts every call to the API (polls and deletions too): 1 is what the lowest plan
    allows. `concurrency` is how many documents are under way at once: 16 keep
    10 requests a second busy when a job takes ten seconds. Waiting: between tries from
    `backoff_first_s` doubling; between polls from `poll_first_s` growing by half to
    `poll_most_s`; for one job at most `deadline_s`.
    """

    api_key: str = field(repr=False)
    base_url: str = "https://platform.reducto.ai"
    requests_per_second: float = 1.0
    burst: int = 1
    concurrency: int = 16
    connect_timeout_s: float = 5.0
    answer_timeout_s: float = 60.0
    tries: int = 5
    job_tries: int = 3
    backoff_first_s: float = 0.5
    longest_wait_s: float = 60.0  # a longer Retry-After is not slept through but raised as advice
    poll_first_s: float = 2.0
    poll_most_s: float = 15.0
    deadline_s: float = 3600.0
    direct_upload_limit: int = 100_000_000  # above it the service takes only presigned uploads
    largest_result: int = 512_000_000  # bytes; a chart of 5,000 pages stays far below
    webhook_url: str | None = None

    @property
    def retries(self) -> RetryRules:
        """How a request is sent again."""
        return RetryRules(self.tries, self.backoff_first_s, self.longest_wait_s)

    def __post_init__(self) -> None:
        if not self.api_key:
            raise ValueError("Reducto needs an API key; set REDUCTO_API_KEY or choose the local parser")
        if self.concurrency < 1 or self.tries < 1 or self.job_tries < 1:
            raise ValueError("concurrency, tries and job_tries are at least 1")

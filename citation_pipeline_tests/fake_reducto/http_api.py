"""The fake's API host: what each endpoint means.

It wants the Bearer key and keeps to the rate limit; admin endpoints (`/_admin/…`) need neither and are not
counted. Not here: the object storage behind presigned addresses (`storage`), faults (`answers`).
"""

from __future__ import annotations

import email.parser
import email.policy
import json
import threading
import time
import urllib.parse
import urllib.request
from typing import Any

from citation_pipeline_tests.fake_reducto.admin import answer_admin
from citation_pipeline_tests.fake_reducto.answers import (
    Answer,
    Exchange,
    error_answer,
    json_answer,
    json_or_none,
)
from citation_pipeline_tests.fake_reducto.records import Job
from citation_pipeline_tests.fake_reducto.request_bodies import find_faults

_RETRYABLE_WEBHOOK_TRIES = 3  # "direct" webhooks are tried at most three times


class ApiHandler(Exchange):
    """platform.reducto.ai, on loopback."""

    storage_url: str  # set on the subclass that a server makes for itself

    def do_GET(self) -> None:
        """Jobs, version, and reading the admin endpoints."""
        self._route("GET")

    def do_POST(self) -> None:
        """Uploads, parse requests, cancel, and writing the admin endpoints."""
        self._route("POST")

    def do_DELETE(self) -> None:
        """Deletion of jobs and uploads."""
        self._route("DELETE")

    def _route(self, method: str) -> None:
        body = self.read_body()
        url = urllib.parse.urlsplit(self.path)
        if url.path.startswith("/_admin/"):
            self.respond(answer_admin(self.records, method, url.path.removeprefix("/_admin/"), body))
            return
        records, settings = self.records, self.records.settings
        query = dict(urllib.parse.parse_qsl(url.path and url.query))
        operation, argument = _operation(method, url.path)
        key = self.headers.get("Authorization")
        with records.lock:
            self._logged: dict[str, Any] = {"operation": operation, "at": time.monotonic()}
            if operation in ("parse", "parse_async"):
                self._logged["body"] = json_or_none(body)
            records.requests.append(self._logged)
            records.counters[f"requests:{operation}"] += 1
        if key != f"Bearer {settings.api_key}":
            self.respond(error_answer(401))
        elif not records.within_rate():
            after = settings.retry_after
            self.respond(error_answer(429, {} if after is None else {"Retry-After": after}))
        elif operation == "unknown":
            self.respond(error_answer(404))
        else:
            perform = getattr(self, f"_{operation}")
            self.act(operation, lambda: perform(argument, query, body))

    def _upload(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        extension = f".{query['extension']}" if query.get("extension") else ""
        content_type = self.headers.get("Content-Type", "")
        if not content_type.startswith("multipart/form-data"):
            upload = self.records.add_upload(None, extension=extension or ".pdf")
            self.records.count("presigned_uploads")
            name = upload.file_id.removeprefix("reducto://")
            address = f"{self.storage_url}/put/{name}?X-Amz-Signature=fake"
            return json_answer({"file_id": upload.file_id, "presigned_url": address})
        if len(body) > self.records.settings.direct_limit:
            return error_answer(413)
        parser = email.parser.BytesParser(policy=email.policy.HTTP)
        message = parser.parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
        for part in message.iter_parts():
            if part.get_param("name", header="Content-Disposition") == "file" and part.get_filename():
                data = part.get_payload(decode=True)
                ending = "." + (part.get_filename() or "").rpartition(".")[2]
                upload = self.records.add_upload(data, extension=extension or ending)
                self.records.count("direct_uploads")
                self._logged["file_name"] = part.get_filename()
                return json_answer({"file_id": upload.file_id, "presigned_url": None})
        return json_answer({"detail": [{"loc": ["body", "file"], "msg": "missing", "type": "missing"}]}, 422)

    def _delete_upload(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        upload = self.records.find_upload(argument)
        if upload is None:
            return error_answer(404)
        upload.deleted, upload.data = True, None
        self.records.count("deleted_uploads")
        return json_answer({"file_id": upload.file_id})

    def _start(self, body: bytes) -> Job | Answer:
        config = json_or_none(body)
        details = find_faults(config)
        if details:
            return json_answer({"detail": details}, 422)
        source = config["input"]
        file_id = source.get("file_id") if isinstance(source, dict) else source
        upload = self.records.find_upload(file_id) if isinstance(file_id, str) else None
        if upload is None or upload.data is None:
            return error_answer(404)
        return self.records.add_job(upload, config)

    def _parse_async(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        job = self._start(body)
        if isinstance(job, Answer):
            return job
        hook = job.config.get("async", {}).get("webhook") or {}
        if hook.get("mode") == "direct":
            threading.Thread(target=self._call_webhook, args=(job, hook["url"]), daemon=True).start()
        return json_answer({"job_id": job.job_id})

    def _parse(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        job = self._start(body)
        if isinstance(job, Answer) or job.config.get("async"):
            return job if isinstance(job, Answer) else json_answer({"job_id": job.job_id})
        outcome = self.records.finish(job)
        if "error" in outcome:
            return error_answer(442 if "PASSWORD" in outcome["error"] else 415)
        return Answer(200, self._result_bytes(job), {"Content-Type": "application/json"})

    def _call_webhook(self, job: Job, url: str) -> None:
        outcome = self.records.finish(job)
        payload = {"status": "Failed" if "error" in outcome else "Completed", "job_id": job.job_id}
        payload["metadata"] = job.config.get("async", {}).get("metadata") or {}
        request = urllib.request.Request(url, json.dumps(payload).encode(), method="POST")
        for _ in range(_RETRYABLE_WEBHOOK_TRIES):
            try:
                with urllib.request.urlopen(request, timeout=5):
                    self.records.webhooks.append(payload)
                    return
            except OSError:
                time.sleep(0.05)

    def _job(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        records = self.records
        job = records.jobs.get(argument)
        if job is None:
            return error_answer(404)
        with records.lock:
            if job.polls_since_delete is not None:
                job.polls_since_delete += 1
                gone = job.polls_since_delete > records.settings.delete_lag
                return error_answer(410 if gone else 409)
            job.polls += 1
            records.counters["job_polls"] += 1
            status = job.statuses[min(job.polls, len(job.statuses)) - 1]
            if job.cancelled:
                status = "Cancelled"
        name, _, detail = status.partition(":")
        state: dict[str, Any] = {
            "status": name,
            "progress": None,
            "reason": None,
            "error": None,
            "result": None,
        }
        outcome = records.finish(job) if name == "Completed" else {}
        if name == "Failed" or "error" in outcome:
            code = detail or outcome.get("error", "INTERNAL_ERROR")
            state |= {"status": "Failed", "reason": "the job failed"}
            state["error"] = {"code": 422, "message": "the job failed", "name": code, "job_id": job.job_id}
            return json_answer(state)
        if name != "Completed":
            return json_answer(state | {"progress": float(detail) if detail else None})
        raw = json.dumps(state | {"progress": 1.0}, separators=(",", ":")).removesuffix("null}")
        return Answer(
            200, raw.encode() + self._result_bytes(job) + b"}", {"Content-Type": "application/json"}
        )

    def _result_bytes(self, job: Job) -> bytes:
        """The ParseResponse, its result inline or behind a fresh address."""
        settings = self.records.settings
        response = self.records.finish(job)["response"]
        inline = json.dumps(response, separators=(",", ":"), ensure_ascii=False).encode()
        wanted = job.config.get("settings", {}).get("force_url_result") and not settings.always_inline
        if not wanted and len(inline) <= settings.inline_limit:
            return inline
        expires = time.time() + settings.result_ttl
        address = (
            f"{self.storage_url}/results/{job.job_id}.json?X-Amz-Expires={expires:.3f}&X-Amz-Signature=fake"
        )
        by_url = response | {"result": {"type": "url", "url": address, "result_id": job.job_id}}
        return json.dumps(by_url, separators=(",", ":")).encode()

    def _jobs(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        limit, start = int(query.get("limit", 100)), int(query.get("cursor") or 0)
        if not 1 <= limit <= 500:
            return json_answer(
                {"detail": [{"loc": ["query", "limit"], "msg": "1-500", "type": "range"}]}, 422
            )
        with self.records.lock:
            known = sorted(self.records.jobs.values(), key=lambda job: -job.created)
        known = [job for job in known if job.polls_since_delete is None]
        with_config = self.records.settings.list_configs and query.get("exclude_configs") != "true"
        listed = [
            {
                "job_id": job.job_id,
                "status": _listed_status(job),
                "type": "Parse",
                "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(job.created)),
                "raw_config": json.dumps(job.config) if with_config else "",
                "num_pages": None,
                "duration": None,
            }
            for job in known[start : start + limit]
        ]
        more = start + limit < len(known)
        return json_answer({"jobs": listed, "next_cursor": str(start + limit) if more else None})

    def _cancel(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        job = self.records.jobs.get(argument)
        if job is None:
            return error_answer(404)
        job.cancelled = True
        self.records.count("cancelled_jobs")
        return json_answer({})

    def _delete_job(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        job = self.records.jobs.get(argument)
        if job is None or job.polls_since_delete is not None:
            return error_answer(404)
        job.polls_since_delete = 0
        self.records.count("deleted_jobs")
        return json_answer({"job_id": job.job_id})

    def _configure_webhook(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        return json_answer("https://portal.invalid/webhooks")

    def _version(self, argument: str, query: dict[str, str], body: bytes) -> Answer:
        return json_answer("fake-1")


def _listed_status(job: Job) -> str:
    last = job.statuses[min(max(job.polls, 1), len(job.statuses)) - 1].partition(":")[0]
    return "Cancelled" if job.cancelled else last


def _operation(method: str, path: str) -> tuple[str, str]:
    """The operation's name and its argument, percent-decoded."""
    plain = {
        ("POST", "/upload"): "upload",
        ("POST", "/parse"): "parse",
        ("POST", "/parse_async"): "parse_async",
        ("GET", "/jobs"): "jobs",
        ("GET", "/version"): "version",
        ("POST", "/configure_webhook"): "configure_webhook",
    }
    if (method, path) in plain:
        return plain[method, path], ""
    for verb, prefix, name in (
        ("DELETE", "/upload/", "delete_upload"),
        ("GET", "/job/", "job"),
        ("DELETE", "/job/", "delete_job"),
        ("POST", "/cancel/", "cancel"),
    ):
        if method == verb and path.startswith(prefix):
            return name, urllib.parse.unquote(path.removeprefix(prefix))
    return "unknown", ""

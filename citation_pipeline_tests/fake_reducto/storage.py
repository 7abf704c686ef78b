"""The fake's second host: the object storage that presigned addresses point to.

It refuses any Authorization header, as real storage does beside a signature, and its errors are XML.
"""

from __future__ import annotations

import time
import urllib.parse

from citation_pipeline_tests.fake_reducto.answers import Answer, Exchange, json_answer, xml_answer
from citation_pipeline_tests.fake_reducto.records import Upload


class StorageHandler(Exchange):
    """Object storage: presigned PUTs and results, no key wanted."""

    def do_GET(self) -> None:
        """Serve a result."""
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self._refuse_authorization() or self.act("result", lambda: self._result(url.path, query))

    def do_PUT(self) -> None:
        """Take the bytes of a promised upload."""
        body, url = self.read_body(), urllib.parse.urlsplit(self.path)
        self._refuse_authorization() or self.act("presigned_put", lambda: self._put(url.path, body))

    def _refuse_authorization(self) -> bool:
        self.records.count(f"requests:storage_{self.command.lower()}")
        if "Authorization" in self.headers:
            self.respond(xml_answer(400, "InvalidArgument", "Only one auth mechanism allowed"))
            return True
        return False

    def _result(self, path: str, query: dict[str, str]) -> Answer:
        job = self.records.jobs.get(path.removeprefix("/results/").removesuffix(".json"))
        if job is None or job.polls_since_delete is not None:
            return xml_answer(404, "NoSuchKey", "The specified key does not exist.")
        if float(query.get("X-Amz-Expires", 0)) < time.time():
            self.records.count("expired_results")
            return xml_answer(403, "AccessDenied", "Request has expired")
        response = self.records.finish(job)["response"]
        self.records.count("results")
        return json_answer(response if self.records.settings.whole_response_at_url else response["result"])

    def _put(self, path: str, body: bytes) -> Answer:
        upload: Upload | None = self.records.find_upload(path.removeprefix("/put/"))
        if upload is None:
            return xml_answer(404, "NoSuchKey", "The specified key does not exist.")
        upload.data = body
        self.records.count("presigned_puts")
        return Answer(200, b"")

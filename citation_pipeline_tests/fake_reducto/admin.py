"""The admin endpoints of the fake: reading its memory, changing its settings, scripting faults.

Only tests and people use these; no client of Reducto does.
"""

from __future__ import annotations

import dataclasses

from citation_pipeline_tests.fake_reducto.answers import Answer, error_answer, json_answer, json_or_none
from citation_pipeline_tests.fake_reducto.faults import Fault, FaultSpecError
from citation_pipeline_tests.fake_reducto.records import Records


def answer_admin(records: Records, method: str, what: str, body: bytes) -> Answer:
    """GET counters | requests | webhooks | settings | jobs; POST reset | settings | faults | fixtures."""
    if method == "GET":
        with records.lock:
            views = {
                "counters": dict(records.counters) | {"pending_faults": records.faults.pending()},
                "requests": list(records.requests),
                "webhooks": list(records.webhooks),
                "settings": dataclasses.asdict(records.settings),
                "jobs": [
                    {"job_id": j.job_id, "file_id": j.file_id, "sha256": j.sha256, "polls": j.polls}
                    for j in records.jobs.values()
                ],
            }
        return json_answer(views[what]) if what in views else error_answer(404)
    wanted = json_or_none(body)
    try:
        if what == "reset":
            records.settings.__dict__.update(wanted or {})
            records.reset()
        elif what == "settings":
            records.settings.__dict__.update(dataclasses.asdict(records.settings) | wanted)
        elif what == "faults":
            for raw in wanted if isinstance(wanted, list) else [wanted]:
                records.faults.add(Fault.read(raw))
        elif what == "fixtures":
            records.fixtures.update(wanted)
        else:
            return error_answer(404)
    except FaultSpecError as error:
        return json_answer({"detail": str(error)}, 422)
    return json_answer({})

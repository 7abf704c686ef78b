"""The fake's own endpoint, `/__admin`: counters, the log, faults, settings, answers."""

import json
from typing import Any

from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.faults import Fault, FaultSpecError
from citation_pipeline_tests.fake_anthropic.records import Records


def answer(method: str, path: str, raw: bytes, records: Records) -> tuple[int, Any]:
    """GET /__admin · POST /__admin/{faults,settings,answers,reset}."""
    action = path.removeprefix("/__admin").strip("/")
    if method == "GET" and not action:
        with records.lock:
            return 200, {
                "counters": dict(records.counters),
                "requests": list(records.requests),
                "pending_faults": records.faults.pending(),
            }
    body = json.loads(raw) if raw else {}
    if action == "faults":
        try:
            faults = [Fault.read(one) for one in (body if isinstance(body, list) else [body])]
        except FaultSpecError as error:
            return 400, {"error": str(error)}
        for fault in faults:
            records.faults.add(fault)
        return 200, {"pending_faults": records.faults.pending()}
    if action == "settings":
        unknown = [name for name in body if not hasattr(records.settings, name)]
        if unknown:
            return 400, {"error": f"unknown settings: {', '.join(unknown)}"}
        for name, value in body.items():
            setattr(records.settings, name, value)
        return 200, {}
    if action == "answers":
        records.answers = ReferenceAnswers(body)
        return 200, {"fields": len(records.answers.records)}
    if action == "reset":
        records.reset()
        return 200, {}
    return 404, {"error": "unknown admin path"}

"""The bytes of a `data.json`: the dataset, and behind it what it was made from."""

import hashlib
import json

from citation_pipeline.core.planning.stages import StageState

VIEWER_STATE = b', "pipeline": '  # the last key of a data.json


def part_viewer_bytes(text: bytes) -> tuple[bytes, StageState | None]:
    """Return the dataset's own bytes, and the state that was written into them; None where there is none."""
    # quotation marks inside a string are escaped, so that these are only where the state begins
    body, mark, state = text.rpartition(VIEWER_STATE)
    if not mark:
        return text, None
    try:
        kept = json.loads(state[:-1])
        return body + b"}", StageState(kept["inputs"], kept["dataVersion"])
    except (ValueError, KeyError, TypeError):  # a copy that was cut short
        return text, None


def version_of_bytes(body: bytes) -> str:
    """Return a fingerprint of the dataset's own bytes."""
    return hashlib.sha256(body).hexdigest()[:16]

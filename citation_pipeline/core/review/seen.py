"""What a person had on the screen, as a digest: a decision is of this and of nothing else.

The digest changes with the value as shown, with every citation's document, words, boxes and cell of a list,
with the document's content (the page image follows it), and with the conflicts and warnings that were shown
beside it.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_OF_FIELD = ("fieldKey", "value", "rawValue", "markedAbsent", "status", "conflicts", "warnings")
_OF_CITATION = (
    "sourceId",
    "citationIndex",
    "itemPath",
    "page",
    "snippet",
    "status",
    "regions",
    "bbox",
    "pinned",
    "warnings",
    "secondReadings",
)


def with_digests(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reviewed dataset in which every field says what it shows, as `seenDigest`."""
    contents = {source["id"]: source.get("sha256", "") for source in dataset["sources"]}
    return {
        **dataset,
        **{
            name: [{**field, "seenDigest": digest_of(field, contents)} for field in dataset.get(name, ())]
            for name in ("fields", "absentFields", "unreadFields")
        },
    }


def digest_of(field: Mapping[str, Any], contents: Mapping[str, str]) -> str:
    """Return the digest of one field as shown; `contents` are the documents' hashes by source id."""
    shown = {
        **{name: field.get(name) for name in _OF_FIELD},
        # whoever says that nothing is stated says it of what was read and not believed as well
        "candidates": [(one.get("value"), one.get("reason")) for one in field.get("candidates", ())],
        "citations": [
            {
                **{name: citation.get(name) for name in _OF_CITATION},
                "sha256": contents.get(citation["sourceId"]),
            }
            for citation in (*field.get("citations", ()), *field.get("unresolvedCitations", ()))
        ],
    }
    text = json.dumps(shown, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]

"""What a server takes: found out by asking, once, and remembered on disk."""

import json
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import Path

from citation_pipeline.adapters.whole_files import write_whole

FORMATS = ("json_schema", "json_object", "text")
"""How an answer's form is asked for, best first; the prompt asks for the same JSON in any case."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is sent to a server; each may be given up for good when the server refuses it."""

    answer_format: str = "json_schema"
    limit: str = "max_tokens"  # or `max_completion_tokens`
    reports_usage: bool = True  # of a stream, when `stream_options` ask for it
    takes_effort: bool = True

    def without(self, refused: str) -> "Capabilities | None":
        """Return what is left after the server refused something; None where nothing is left to give up.

        `refused` is a parameter's name; any other word gives up the format of the answer.
        """
        if refused in ("max_tokens", "max_completion_tokens") and self.limit == refused:
            other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
            return replace(self, limit=other[refused])
        if refused == "stream_options" and self.reports_usage:
            return replace(self, reports_usage=False)
        if refused == "reasoning_effort" and self.takes_effort:
            return replace(self, takes_effort=False)
        following = FORMATS[FORMATS.index(self.answer_format) + 1 :]
        return replace(self, answer_format=following[0]) if following else None


class RememberedCapabilities:
    """A file per server and model."""

    def __init__(self, folder: Path, *, base_url: str, model: str, first: Capabilities) -> None:
        digest = sha256(f"{base_url} {model}".encode()).hexdigest()[:16]
        self._path, self._first = folder / f"{digest}.json", first

    def read(self) -> Capabilities:
        """Return what is known of the server, else what is tried first."""
        try:
            said = json.loads(self._path.read_bytes())
            found = Capabilities(**{field.name: said[field.name] for field in fields(Capabilities)})
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return self._first
        return found if found.answer_format in FORMATS else self._first

    @property
    def is_proven(self) -> bool:
        """Whether the server has answered before."""
        return self._path.exists()

    def keep(self, capabilities: Capabilities) -> None:
        """Remember what the server took."""
        if self.is_proven and capabilities == self.read():
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, json.dumps(asdict(capabilities)).encode())

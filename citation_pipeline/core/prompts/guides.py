"""What people add to the prompt of a schema: other rules, notes, hints for fields, and checked examples.

Examples are from other claims, and an example is never shown to the claim that it is from, nor to one that
holds the same document. Files of guides are the adapters' work; `core.tuning` makes
examples of verified fields.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from citation_pipeline.core.extraction import Value


@dataclass(frozen=True, slots=True)
class Example:
    """A value that a person signed for, and the words that it stands in.

    `kind` is the document's; `claim_id` and `sha256` say where it is from and are not shown to a model.
    """

    field_key: str
    value: Value
    snippet: str
    kind: str = ""
    claim_id: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Guide:
    """Additions to one schema's prompt; an empty one leaves the prompt as it is shipped.

    `rules` replace the shipped rules for values and citations. `notes` come behind the rules, `hints` with
    their fields, `examples` behind the fields.
    """

    rules: str = ""
    notes: str = ""
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of everything in it; "" for an empty one."""
        if not (self.rules or self.notes or self.hints or self.examples):
            return ""
        said: list[Any] = [self.rules, self.notes, {key: list(told) for key, told in self.hints.items()}]
        said.append([asdict(one) for one in self.examples])
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]

    def without(self, claim_id: str, shas: Collection[str] = ()) -> "Guide":
        """Return the guide without the examples of a claim, or of documents that it holds."""
        others = tuple(one for one in self.examples if one.claim_id != claim_id and one.sha256 not in shas)
        return self if len(others) == len(self.examples) else replace(self, examples=others)

    def joined(self, other: "Guide") -> "Guide":
        """Return both; rules are those of the first that has any."""
        hints = {
            key: tuple(dict.fromkeys((*self.hints.get(key, ()), *other.hints.get(key, ()))))
            for key in (*self.hints, *other.hints)
        }
        notes = "\n".join(one for one in (self.notes, other.notes) if one)
        return Guide(self.rules or other.rules, notes, hints, (*self.examples, *other.examples))


NO_GUIDE = Guide()

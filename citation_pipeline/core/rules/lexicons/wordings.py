"""Two lexicon files as one: what documents seen so far call a field, and the words of the trade's forms.

Lists are joined, the first file's entries first; objects are joined member by member. Reading the files
belongs to `adapters.schema_files`, what their entries mean to `lexicon_files`.
"""

from collections.abc import Mapping
from typing import Any


def join_lexicons(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first lexicon's content with the second's entries behind its own."""
    joined = {
        name: _joined(value, second[name]) if name in second else value for name, value in first.items()
    }
    return joined | {name: value for name, value in second.items() if name not in first}


def _joined(one: Any, other: Any) -> Any:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return join_lexicons(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *other]
    return one

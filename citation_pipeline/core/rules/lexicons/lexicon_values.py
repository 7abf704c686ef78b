"""Values of a lexicon file, checked: whatever has the wrong shape is a LexiconError with its path."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.rules.lexicons.lexicon import LexiconError
from citation_pipeline.core.rules.lexicons.patterns import compile_pattern


def mapping_of(raw: Any, path: str) -> Mapping[str, Any]:
    """Return an object."""
    if not isinstance(raw, Mapping):
        raise LexiconError(path, "must be an object")
    return raw


def list_of(raw: Any, path: str) -> Sequence[Any]:
    """Return a list of anything."""
    if not isinstance(raw, list):
        raise LexiconError(path, "must be a list")
    return raw


def texts_by_name(raw: Any, path: str) -> dict[str, str]:
    """Return an object of strings."""
    return {name: str(value) for name, value in mapping_of(raw, path).items()}


def expressions_by_name(raw: Any, path: str) -> dict[str, re.Pattern[str]]:
    """Return an object of compiled patterns."""
    return {name: expression_of(text, f"{path}/{name}") for name, text in texts_by_name(raw, path).items()}


def strings_of(raw: Any, path: str) -> tuple[str, ...]:
    """Return a list of strings."""
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise LexiconError(path, "must be a list of strings")
    return tuple(raw)


def weights_of(raw: Any, path: str) -> dict[str, float]:
    """Return an object of numbers."""
    return {name: float(weight) for name, weight in mapping_of(raw, path).items()}


def expressions_of(raw: Any, path: str) -> tuple[re.Pattern[str], ...]:
    """Return a list of compiled patterns."""
    return tuple(expression_of(text, f"{path}/{n}") for n, text in enumerate(strings_of(raw, path)))


def expression_or_none(raw: Any, path: str) -> re.Pattern[str] | None:
    """Return a compiled pattern where there is one."""
    return None if raw is None else expression_of(str(raw), path)


def expression_of(text: str, path: str) -> re.Pattern[str]:
    """Return a compiled pattern."""
    try:
        return compile_pattern(text)
    except ValueError as error:
        raise LexiconError(path, str(error)) from error

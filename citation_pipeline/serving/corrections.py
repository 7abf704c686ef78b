"""What a person typed as a field's value, read as the field's type."""

import json
from collections.abc import Mapping
from typing import Any

from citation_pipeline.core.answers.scalars import read_scalar
from citation_pipeline.core.extraction import Value
from citation_pipeline.serving.errors import NotAcceptableError

MAX_VALUE_CHARACTERS = 20_000  # the longest lists of a claim have some 60 items of 100 characters

_FORMS = {
    "datetime": "a date with a time such as 2024-03-14 10:30",
    "date": "a date such as 2024-03-14 or 3/14/2024",
    "number": "a number such as 1,234.50",
    "integer": "a whole number",
    "boolean": "Yes or No",
    "array": "one item a line, or a JSON list",
}


def read_correction(text: str, field: Mapping[str, Any]) -> Value:
    """Return the typed value; raises NotAcceptableError that says which form is expected."""
    text = text.strip()
    if not text or len(text) > MAX_VALUE_CHARACTERS:
        raise NotAcceptableError(
            "no_value",
            "A correction needs a value of reasonable length.",
            "If the documents do not say it, mark the field absent.",
        )
    kind, options = field.get("valueType", "string"), field.get("enum") or ()
    if kind == "string":
        return text
    if kind == "array":
        return _items(text)
    about = f"{field.get('fieldKey', '')}\n{field.get('label', '')}"
    value = read_scalar(text, kind, enum=options if kind == "enum" else (), about=about).value
    # the allowed numbers of a schema are listed as JSON
    if value is None or (options and kind != "enum" and json.dumps(value) not in options):
        form = f"one of: {', '.join(options)}" if options else _FORMS.get(kind, kind)
        raise NotAcceptableError("wrong_form", f"The field takes {form}.", "Write the value in that form.")
    return value


def _items(text: str) -> list[Any]:
    if not text.startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAcceptableError(
            "wrong_form", "The list begins like JSON but is none.", "Write one item a line, or mend the JSON."
        ) from error
    if not isinstance(items, list) or not all(isinstance(item, str | int | float | dict) for item in items):
        raise NotAcceptableError("wrong_form", "The list holds something other than texts or objects.")
    return items

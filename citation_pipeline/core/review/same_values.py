"""Are two values the same value?"""

import json

from citation_pipeline.core.extraction import Value


def same_json(one: Value, other: Value) -> bool:
    """Tell whether two values are the same JSON, a whole number being the same with and without `.0`."""
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, int | float) and isinstance(other, int | float):
        return float(one) == float(other)
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)

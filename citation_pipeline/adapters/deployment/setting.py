"""How a setting of a deployment is written down: its variable, its default, and what it decides."""

from typing import Any

from pydantic import Field


def setting(variable: str, default: Any, means: str, **options: Any) -> Any:
    """Return a field that is read from one environment variable; a `secret` one is never printed."""
    secret = options.pop("secret", False)
    return Field(
        default=default,
        validation_alias=variable,
        description=means,
        repr=not secret,
        json_schema_extra={"secret": secret},
        **options,
    )

"""What the API refuses, in one shape: `{"error": {"code", "message", "remedy"}}`.

RequestError
├── NotFoundError          404  no such claim, document, page or field (or not for you)
├── NotAllowedError        401, 403  who are you; you may only read
├── NotAcceptableError     422  understood, but cannot be taken
├── StaleError             409  somebody decided first, or what was on the screen is not so any more
├── BusyError              429, 503  later
└── SourceError            410  the original is gone or has changed

No message quotes a document. Beside `error`, a 422 has `details`: for each wrong field its `field`, `reason`
and `remedy`.
"""

from collections.abc import Mapping, Sequence
from typing import Any


class RequestError(Exception):
    """A request that gets an answer other than what it asked for."""

    status = 400

    def __init__(
        self,
        code: str,
        message: str,
        remedy: str = "",
        *,
        status: int | None = None,
        headers: dict[str, str] | None = None,
        details: Sequence[Mapping[str, str]] = (),
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.details = list(details)
        self.code, self.message, self.remedy = code, message, remedy
        self.status = status or type(self).status
        self.headers = headers or {}

    def as_json(self) -> dict[str, Any]:
        """Return the answer's body."""
        body: dict[str, Any] = {"error": {"code": self.code, "message": self.message, "remedy": self.remedy}}
        if self.details:
            body["details"] = self.details
        return body


class NotFoundError(RequestError):
    """Nothing of that name here."""

    status = 404


class NotAllowedError(RequestError):
    """Not without signing in, or not with this role."""

    status = 403


class NotAcceptableError(RequestError):
    """Understood, but it cannot be taken."""

    status = 422


class StaleError(RequestError):
    """Decided on something that has changed meanwhile; `current` is the field as it is now."""

    status = 409

    def __init__(
        self, code: str, message: str, remedy: str = "", *, current: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(code, message, remedy)
        self.current = current

    def as_json(self) -> dict[str, Any]:
        """Return the answer's body, with the field as it is now where there is one."""
        body = super().as_json()
        return body if self.current is None else {**body, "current": dict(self.current)}


class BusyError(RequestError):
    """Too much at once; `retry_after` in seconds."""

    status = 429

    def __init__(self, code: str, message: str, *, retry_after: int = 1, status: int | None = None) -> None:
        super().__init__(
            code,
            message,
            f"Ask again in {retry_after} s.",
            status=status,
            headers={"Retry-After": str(retry_after)},
        )


class SourceError(RequestError):
    """The original file is gone, or is not the file that was parsed."""

    status = 410

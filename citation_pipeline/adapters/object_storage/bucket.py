"""Asking a bucket: one client for each URL, retries while it is overloaded, errors that name the remedy."""

from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from citation_pipeline.adapters.object_storage.addresses import read_address
from citation_pipeline.adapters.tables.store_errors import (
    StoreAddressError,
    StoreError,
    UnreachableStoreError,
)

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PATIENCE_S = 120.0
"""How long a storage that is overloaded (503, 429) or away is asked again."""

_PASSING = ("503", "500", "429", "502", "504")
_Returned = TypeVar("_Returned")


class Bucket:
    """One bucket and the prefix of a store in it."""

    def __init__(self, url: str) -> None:
        self.address = read_address(url)
        self._url = url

    def ask(self, call: Callable[["ObjectStore"], _Returned]) -> _Returned:
        """Ask the storage; its own messages hold addresses and bodies, so none of them is passed on.

        Raises UnreachableStoreError, FileNotFoundError, and the client's own errors of conditions.
        """
        errors = client_errors()
        try:
            return call(_client(self._url))
        except (errors.PermissionDeniedError, errors.UnauthenticatedError):
            raise UnreachableStoreError(
                self.address.shown,
                reason="refuses these credentials",
                remedy="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or the role) of somebody who may "
                "read, write, list and delete there",
                transient=False,
            ) from None
        except (errors.NotModifiedError, errors.AlreadyExistsError, errors.PreconditionError):
            raise
        except errors.BaseError as error:
            raise self.unreachable(str(error)) from None

    def unreachable(self, said: str = "") -> UnreachableStoreError:
        """Return the error of a storage that does not answer; `said` is the client's own message."""
        if "169.254." in said or "credential" in said.lower():
            return UnreachableStoreError(
                self.address.shown,
                reason="cannot be asked without credentials",
                remedy="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run with a role that may use it",
                transient=False,
            )
        status = next((code for code in _PASSING if f"code: {code}" in said), "")
        return UnreachableStoreError(
            self.address.shown,
            reason=f"answered {status} for {PATIENCE_S:.0f} s" if status else "does not answer",
            remedy="check its address (endpoint_override in the URL, or AWS_ENDPOINT_URL), the network and "
            "its load, then run the claim again",
            transient=True,
        )

    def missing(self) -> UnreachableStoreError:
        """Return the error of a bucket that there is not."""
        return UnreachableStoreError(
            self.address.shown,
            reason="has no bucket of that name",
            remedy="make the bucket, or correct the store's URL",
            transient=False,
        )


def client_errors() -> Any:
    """Return the client's exceptions; raises StoreError without the extra that brings it."""
    try:
        import obstore.exceptions
    except ImportError as error:
        raise StoreError(
            "a store in object storage needs the extra `fleet`: pip install 'citation-pipeline[fleet]'"
        ) from error
    return obstore.exceptions


@lru_cache(maxsize=16)
def _client(url: str) -> "ObjectStore":
    """Return the client of a URL's bucket; one for all stores of a process, with its connections."""
    from obstore.store import from_url

    address = read_address(url)
    if address.bucket.startswith("memory://"):
        return from_url("memory:///")
    options: dict[str, Any] = {
        "config": dict(address.config),
        # an endpoint without TLS is one that somebody wrote down as such
        "client_options": {"allow_http": True, "timeout": timedelta(seconds=60)},
        "retry_config": {
            "max_retries": 100,  # the time decides
            "retry_timeout": timedelta(seconds=PATIENCE_S),
            "backoff": {
                "init_backoff": timedelta(milliseconds=100),
                "max_backoff": timedelta(seconds=10),
                "base": 2,
            },
        },
    }
    try:
        return from_url(address.bucket, **options)
    except (client_errors().BaseError, ValueError):
        raise StoreAddressError(
            f"{address.shown}: its URL has a part that the storage's client does not take: check the query"
        ) from None

"""Who is being answered: the address that links begin with, and the claims that may be seen.

Whoever serves sets it for each request; it holds for the threads that the request is answered in. Without
one, every claim may be seen: the command line and the tools over stdio run as the owner of the store.
"""

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Caller:
    """`claims` are patterns of claim ids (`N-2025-*`), None for all; `root_url` is put before links."""

    root_url: str = ""
    claims: tuple[str, ...] | None = None

    def may_see(self, claim_id: str) -> bool:
        """Tell whether a claim is shown to the caller at all."""
        return self.claims is None or any(fnmatchcase(claim_id, pattern) for pattern in self.claims)


CALLER: ContextVar[Caller] = ContextVar("caller", default=Caller())  # noqa: B039 (frozen)


def seen_among(claim_ids: Sequence[str] | None, every: Iterable[str]) -> Sequence[str] | None:
    """Return the asked claims that the caller may see, of `every` when none were named; None for all."""
    caller = CALLER.get()
    if caller.claims is None:
        return claim_ids
    return [claim_id for claim_id in (every if claim_ids is None else claim_ids) if caller.may_see(claim_id)]

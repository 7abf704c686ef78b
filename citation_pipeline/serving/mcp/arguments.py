"""The arguments that several tools take, and how the read model's refusals reach an agent."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.grounded_answers import NoModelError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.core.claims import CLAIM_ID_PATTERN
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline.core.viewer.citation_objects import CitationFormat, split_document_id
from citation_pipeline.serving.errors import RequestError

Answer = TypeVar("Answer")

ClaimId = Annotated[
    str, Field(pattern=f"^{CLAIM_ID_PATTERN.pattern}$", description="a claim's id, from list_claims")
]
DocumentId = Annotated[
    str, Field(min_length=3, max_length=420, description="CLAIM_ID:SOURCE_ID, from list_documents")
]
FieldName = Annotated[
    str, Field(min_length=1, max_length=400, description="a field's name from list_fields, or its label")
]
Format = Annotated[CitationFormat, Field(description="short [file, p.2]; long with the quotation; academic")]
Page = Annotated[int, Field(ge=1, le=1_000_000, description="1-based")]
_MOST_NAMED = 5
Box = tuple[float, float, float, float]


async def answer(work: Callable[[], Answer]) -> Answer:
    """Do the work on a thread; a cancelled call is left behind there and its answer dropped."""
    try:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except NotUnderstoodError as error:
        raise ToolError(f"{error.argument}: not understood: {error}. Nothing was computed.") from error
    except (UnknownClaimError, NoModelError) as error:
        raise ToolError(str(error)) from error
    except RequestError as error:
        raise ToolError(f"{error.args[0]} {error.remedy}".strip()) from error
    except PipelineError as error:
        raise ToolError("that cannot be answered now: the claim may be running; try again later") from error


def check_claims(model: ReadModel, claim_ids: Sequence[str] | None) -> None:
    """Raise ToolError for claims that are not there: nothing is computed over a part of what was named."""
    if claim_ids is None:
        return
    known = set(model.seen(model.claims.ids()) or ())
    missing = [name for name in dict.fromkeys(claim_ids) if name not in known]
    if missing:
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        named = ", ".join(missing[:_MOST_NAMED])
        raise ToolError(f"claim_ids: there is no finished claim {named}{more}. Nothing was computed.")


def scope(claim_id: str | None, document_id: str | None, *, what: str = "ask") -> tuple[str, str | None]:
    """Return claim and source of a call that names one of them; raises ToolError."""
    if document_id is not None:
        try:
            found = split_document_id(document_id)
        except ValueError as error:
            raise ToolError(f"document_id: {error}") from error
        if claim_id not in (None, found[0]):
            raise ToolError("document_id: the document is not one of that claim")
        return found
    if claim_id is None:
        raise ToolError(f"name a claim_id or a document_id to {what}")
    return claim_id, None


def one_of(first: Any, second: Any, names: str) -> Any:
    """Return the argument that was given under one of two names; raises ToolError for both or none."""
    given = [value for value in (first, second) if value is not None]
    if len(given) != 1:
        raise ToolError(f"give exactly one of {names}")
    return given[0]

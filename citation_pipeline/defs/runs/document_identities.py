"""The files of a claim with ids that survive renaming and re-scanning.

Whether a new file replaces one that left is seen in their words. So where something left and something came,
and only there, what came is parsed before it is named: by the embedded parser, whose parse is kept for the
stage that needs it.
"""

from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.adapters.claim_folders import ClaimFolderError, describe_documents, file_of
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents, read_source_documents
from citation_pipeline.adapters.tables.source_ids import (
    SourceIds,
    as_parsed,
    keep_source_ids,
    read_source_ids,
)
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.adapters.verifications.store import read_pins
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.identities import KnownContent
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.documents.replacements import (
    FormerDocument,
    Replacement,
    find_replacements,
)
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.defs.settings import Settings

_PARSER = "local"  # free, and makes no request, whoever reads the claim
_MOST_CONTENTS = 20_000  # remembered of one claim, those that left long ago the first to go


def identify_documents(
    claim: Claim, store: ClaimStore, parsers: Readers[DocumentParser], settings: Settings
) -> tuple[list[SourceDocument], list[Replacement]]:
    """Return the claim's documents under their ids and what replaced what, and keep both.

    Raises ClaimFolderError as `describe_documents`.
    """
    kept = read_source_ids(store, claim.claim_id) or _of_older_version(store, claim.claim_id)
    sources = describe_documents(claim, known=kept.contents)
    present = {source.sha256 for source in sources}
    known = {one.sha256 for one in kept.contents}
    gone = {one.sha256 for one in kept.contents} - present
    came = [source for source in sources if source.sha256 not in known and source.duplicate_of is None]
    left = _left(store, claim.claim_id, gone)
    former = [one for one in kept.former if one.sha256 not in present]
    replacements: list[Replacement] = []
    if came and (left or any(not one.followed_by for one in former)):
        waiting = [as_parsed(one) for one in former if not one.followed_by]
        replacements = find_replacements([*left, *waiting], _parsed(claim, came, parsers))
    if replacements:
        ids = {one.sha256: one.source_id for one in replacements}
        sources = describe_documents(claim, known=kept.contents, replaced=ids)
    signed = {pin.sha256 for pin in read_pins(settings.verifications_url, claim.claim_id)}
    signed |= {one.followed_by for one in former}  # it may be replaced in its turn
    followed = {one.former_sha256: one.sha256 for one in replacements}
    now = [KnownContent(source.source_id, source.sha256, source.file) for source in sources]
    before = [one for one in kept.contents if one.sha256 not in present]
    keep_source_ids(
        store,
        claim.claim_id,
        SourceIds(
            [*now, *before][:_MOST_CONTENTS],
            [
                replace(one, followed_by=one.followed_by or followed.get(one.sha256, ""))
                for one in (*former, *_signed(left, signed - {one.sha256 for one in former}))
            ],
        ),
    )
    return sources, replacements


def _of_older_version(store: ClaimStore, claim_id: str) -> SourceIds:
    """Return what a claim's own table says of its contents: of a store that an older version wrote."""
    try:
        rows = read_source_documents(store, claim_id)
    except StoreError:
        return SourceIds()
    return SourceIds([KnownContent(one.source_id, one.sha256, one.file) for one in rows])


def _left(store: ClaimStore, claim_id: str, gone: set[str]) -> list[ParsedDocument]:
    """Return the documents of the last parse that are not in the folder any more."""
    if not gone:
        return []
    try:
        documents = read_documents(store, claim_id)
    except (StoreError, OSError):
        return []
    return [one for one in documents if one.source.sha256 in gone and one.is_readable]


def _signed(left: Sequence[ParsedDocument], signed: set[str]) -> list[FormerDocument]:
    found = {
        one.source.sha256: FormerDocument(one.source.source_id, one.source.sha256, "", one.words)
        for one in left
        if one.source.sha256 in signed
    }
    return list(found.values())


def _parsed(
    claim: Claim, sources: Sequence[SourceDocument], parsers: Readers[DocumentParser]
) -> list[ParsedDocument]:
    found = []
    for source in sources:
        try:
            found.append((source, file_of(claim, source)))
        except ClaimFolderError:  # it left in this moment: the next stage says so
            continue
    try:
        return parsers.get(_PARSER if _PARSER in parsers.names else claim.parser).parse_many(
            found, claim_id=claim.claim_id
        )
    except PipelineError:  # the next stage meets it too, and reports it
        return []

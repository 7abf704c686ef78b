"""Resolution of a claim: every snippet of every field against the claim's documents, one citation each.

Pure and deterministic: the same documents, fields and pins give the same citations, whoever else runs.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.claims import slug_of
from citation_pipeline.core.documents.duplicates import SimilarPage
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.documents.replacements import FormerDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.matching.bounds import may_hold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.occurrences import WordIds
from citation_pipeline.core.resolution.better_pages import NO_COPIES, PageCopies, find_copies
from citation_pipeline.core.resolution.doubted_pages import doubt_pages
from citation_pipeline.core.resolution.drafts import (
    MOST_CANDIDATES,
    Source,
    candidate_of,
    pinned,
    placed,
    unresolved,
)
from citation_pipeline.core.resolution.fallbacks import cite_by_value
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.misreadings import is_quoted_but_misread
from citation_pipeline.core.resolution.pins import Pin, place_pin
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline.core.resolution.records import Contender, assign_in_order
from citation_pipeline.core.resolution.struck_out import doubt_struck_words
from citation_pipeline.core.resolution.value_places import (
    member_at,
    states_value,
    value_behind,
)
from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.values.grammar import type_of_value

_FURNITURE = ("Header", "Footer", "Page Number")
_MOST_READ_CLOSELY = 5  # places whose differences are looked at before another document is


def resolve_claim(
    documents: Sequence[ParsedDocument],
    fields: Sequence[ExtractedField],
    *,
    schema: Schema | None = None,
    pins: Sequence[Pin] = (),
    former: Mapping[str, FormerDocument] | None = None,
    similar: Sequence[SimilarPage] = (),
) -> list[Citation]:
    """Return one citation per snippet, field by field in order, then pins that no snippet answers to.

    `citation_id` is `field_key#citation_index`; `former` are documents that were replaced, by their SHA-256;
    `similar` are pages that were filed before: what is quoted from a poor copy is shown on the better page.
    Nothing raises on what documents or snippets hold.
    """
    resolver = _ClaimResolver(documents, schema, find_copies(documents, similar) if similar else NO_COPIES)
    citations = [citation for field in fields for citation in resolver.resolve_field(field)]
    citations = doubt_struck_words(citations, resolver.documents)
    citations = doubt_pages(citations, resolver.documents)
    return resolver.apply_pins(citations, fields, pins, former or {})


class _ClaimResolver:
    """The claim's sources and their indexes while one resolution runs."""

    def __init__(
        self, documents: Sequence[ParsedDocument], schema: Schema | None, copies: PageCopies
    ) -> None:
        self.copies = copies
        self.documents = {document.source.source_id: document for document in documents}
        self.sources = {
            source_id: Source(document, DocumentIndex(document))
            for source_id, document in self.documents.items()
            if document.is_readable
        }
        self.furniture = {
            source_id: frozenset(b.block_id for b in source.document.blocks if b.type in _FURNITURE)
            for source_id, source in self.sources.items()
        }
        self.schema = schema
        self.aliases = _aliases(documents)

    def resolve_field(self, field: ExtractedField) -> list[Citation]:
        if any(snippet.source_id not in self.documents for snippet in field.snippets):
            field = replace(field, snippets=tuple(self._with_known_source(s) for s in field.snippets))
        searches = [self._search(field, snippet) for snippet in field.snippets]
        self._keep_records_in_order(field, searches)
        return [
            self._cite(field, snippet, search)
            for snippet, search in zip(field.snippets, searches, strict=True)
        ]

    def _with_known_source(self, snippet: Snippet) -> Snippet:
        """Return the snippet under the id that its document bears here."""
        if snippet.source_id in self.documents:
            return snippet
        return replace(snippet, source_id=self.aliases.get(snippet.source_id, snippet.source_id))

    def _search(self, field: ExtractedField, snippet: Snippet) -> PlaceSearch | None:
        source = self.sources.get(snippet.source_id)
        if source is None:
            return None
        value, value_type = value_behind(field, snippet.item_path, self.schema)
        hints = Hints(
            page=snippet.page,
            offset=snippet.start_offset,
            find_values=partial(_value_ranges, source, snippet.text, value, value_type),
        )
        return search_places(source.index, snippet.text, hints, furniture=self.furniture[snippet.source_id])

    def _keep_records_in_order(self, field: ExtractedField, searches: list[PlaceSearch | None]) -> None:
        """Choose among tied places so that an array's rows are in order; hints that decided stay
        decided."""
        by_source: dict[str, list[int]] = {}
        for number, snippet in enumerate(field.snippets):
            search = searches[number]
            # a flagged member may be in the wrong row: it must not pull the others after it
            if snippet.item_path and search is not None and search.status is CitationStatus.RESOLVED:
                by_source.setdefault(snippet.source_id, []).append(number)
        for source_id, numbers in by_source.items():
            numbers.sort(key=lambda n: (_item_number(field.snippets[n].item_path), n))
            open_choices = [_open_choice(searches[number]) for number in numbers]
            if all(len(first) == 1 for first, _ in open_choices):
                continue
            contenders = [
                Contender(field.snippets[number].item_path.partition(".")[0], first, last)
                for number, (first, last) in zip(numbers, open_choices, strict=True)
            ]
            picks = assign_in_order(self.sources[source_id].index, contenders)
            for number, pick in zip(numbers, picks, strict=True):
                search = searches[number]
                if search is not None:
                    searches[number] = search.choose(pick, reason="record_order")

    def _cite(self, field: ExtractedField, snippet: Snippet, search: PlaceSearch | None) -> Citation:
        blank = unresolved(field, snippet, reason="not_found")
        value, value_type = value_behind(field, snippet.item_path, self.schema)
        if not snippet.text.strip():
            return self._by_value(replace(blank, reason="empty_snippet"), snippet, value, value_type)
        cited = self.sources.get(snippet.source_id)
        # a clean place in the named document ends the search: other documents may hold copies
        if search is not None and cited is not None:
            better = self._on_better_page(blank, cited, search, value, value_type)
            if better is not None:
                return better
        if search is not None and cited is not None and search.status is CitationStatus.RESOLVED:
            return placed(blank, cited, search, value=value, value_type=value_type)
        elsewhere = None
        if not _is_here_but_misread(cited, snippet, search):
            elsewhere = self._elsewhere(snippet, value, value_type)
        if elsewhere is not None:
            source, found = elsewhere
            return placed(
                blank,
                source,
                found,
                value=value,
                value_type=value_type,
                warnings=("wrong_source",),
                status=CitationStatus.FLAGGED,
            )
        if cited is None:
            known = snippet.source_id in self.documents
            return replace(blank, reason="unreadable_source" if known else "unknown_source")
        if search is None or search.best is None:
            return self._by_value(blank, snippet, value, value_type)
        found_here = placed(blank, cited, search, value=value, value_type=value_type)
        if found_here.status is CitationStatus.UNRESOLVED:
            return self._by_value(found_here, snippet, value, value_type)
        return found_here

    def _on_better_page(
        self, blank: Citation, cited: Source, search: PlaceSearch, value: Any, value_type: str
    ) -> Citation | None:
        """Return the citation on the better copy of the page that was found, with that page as a candidate.

        None where there is no better copy, or the snippet does not stand on it word by word.
        """
        if not self.copies.better or search.best is None or search.status is CitationStatus.UNRESOLVED:
            return None
        page = int(cited.document.words.page[search.best.match.words[0]])
        at = self.copies.better.get((cited.source_id, page))
        source = self.sources.get(at[0]) if at is not None else None
        if at is None or source is None:
            return None
        text = blank.snippet_text
        hints = Hints(page=at[1], find_values=partial(_value_ranges, source, text, value, value_type))
        found = search_places(source.index, text, hints, furniture=self.furniture[source.source_id])
        if found.best is None or found.status is not CitationStatus.RESOLVED:
            return None
        if int(source.document.words.page[found.best.match.words[0]]) != at[1]:
            return None
        shown = placed(blank, source, found, value=value, value_type=value_type, warnings=("better_copy",))
        copy = replace(candidate_of(cited, search.best, {}), reason="copy")
        return replace(shown, candidates=(*shown.candidates[: MOST_CANDIDATES - 1], copy))

    def _elsewhere(self, snippet: Snippet, value: Any, value_type: str) -> tuple[Source, PlaceSearch] | None:
        """Return the first other document where the snippet is as quoted, the surest first."""
        best: tuple[Source, PlaceSearch] | None = None
        cited = self.documents.get(snippet.source_id)
        for source_id in sorted(self.sources):
            source = self.sources[source_id]
            if source_id == snippet.source_id or source.document.status is DocumentStatus.DUPLICATE:
                continue
            # the same bytes under another name are no other source
            if cited is not None and source.document.source.sha256 == cited.source.sha256:
                continue
            if not may_hold(source.index, snippet.text):
                continue
            hints = Hints(find_values=partial(_value_ranges, source, snippet.text, value, value_type))
            found = search_places(source.index, snippet.text, hints, furniture=self.furniture[source_id])
            # only a clean hit accuses the citation of naming the wrong document
            if found.best is None or found.status is not CitationStatus.RESOLVED:
                continue
            if (
                best is None
                or best[1].best is None
                or found.best.judgement.score > best[1].best.judgement.score
            ):
                best = source, found
        return best

    def _by_value(self, citation: Citation, snippet: Snippet, value: Any, value_type: str) -> Citation:
        source = self.sources.get(citation.cited_source_id)
        if source is None:
            return citation
        furniture = self.furniture[source.source_id]
        return cite_by_value(
            citation, snippet, source, furniture=furniture, value=value, value_type=value_type
        )

    def apply_pins(
        self,
        citations: list[Citation],
        fields: Sequence[ExtractedField],
        pins: Sequence[Pin],
        former: Mapping[str, FormerDocument],
    ) -> list[Citation]:
        """Lay the pins over the citations; a pin without a citation makes its own."""
        by_key = {field.field_key: field for field in fields}
        positions = {
            (citation.field_key, citation.citation_index): number for number, citation in enumerate(citations)
        }
        first_of: dict[str, int] = {}
        for citation in citations:
            first_of.setdefault(citation.field_key, citation.citation_index)
        indexes = {source_id: source.index for source_id, source in self.sources.items()}
        readable = {source_id: source.document for source_id, source in self.sources.items()}
        for pin in pins:
            number = pin.citation_index if pin.citation_index is not None else first_of.get(pin.field_key, 0)
            field = by_key.get(pin.field_key) or ExtractedField(pin.field_key, None, "string")
            at = positions.get((pin.field_key, number))
            snippet = Snippet(pin.source_id, pin.text, number)
            citation = citations[at] if at is not None else unresolved(field, snippet, reason="verified")
            place = place_pin(pin, readable, indexes, former=former)
            value = member_at(field.value, citation.item_path) if citation.item_path else field.value
            drafted = pinned(
                citation,
                pin,
                place,
                self.sources.get(place.source_id),
                value=value,
                value_type=field.value_type if not citation.item_path else type_of_value(value),
            )
            if at is None:
                positions[pin.field_key, number] = len(citations)
                citations.append(drafted)
            else:
                citations[at] = drafted
        return citations


def _aliases(documents: Sequence[ParsedDocument]) -> dict[str, str]:
    """Return other ids of the documents: a slug of an accented name depends on how its file system writes
    it."""
    found: dict[str, str] = {}
    for document in documents:
        for form in ("NFC", "NFD", "NFKD"):
            for name in (document.source.file, document.source.file.rpartition("/")[2]):
                found.setdefault(slug_of(unicodedata.normalize(form, name)), document.source.source_id)
    return found


def _item_number(item_path: str) -> int:
    digits = item_path.partition("]")[0].lstrip("[")
    return int(digits) if digits.isdigit() else 0


def _is_here_but_misread(source: Source | None, snippet: Snippet, search: PlaceSearch | None) -> bool:
    """Tell whether the cited document has the text with misread words: a clean copy elsewhere is a copy."""
    if source is None or search is None:
        return False
    return any(
        is_quoted_but_misread(source.index, snippet.text, place.match)
        for place in search.places[:_MOST_READ_CLOSELY]
    )


def _open_choice(search: PlaceSearch | None) -> tuple[WordIds, WordIds]:
    assert search is not None  # only resolved snippets take part
    return search.open_choice()


def _value_ranges(source: Source, text: str, value: Any, value_type: str) -> list[tuple[int, int]]:
    """Return where the value is; nothing when the snippet states it: then each of its places has it."""
    return [] if states_value(text, value, value_type) else source.values.ranges(value, value_type)

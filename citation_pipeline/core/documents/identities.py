"""Which source id a file bears: its content's, so that renaming a file renames nothing that cites it.

An id is given once, as the slug of the name that the content came under, and stays with the content. A file
under a known name takes that name's id when its content is new: it is another version of the same document.
A better scan under another name takes the id of what it replaced (`replacements`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.claims import slug_of


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of the claim as it lies there now: `file` is its path in the folder, `spelled` the same as the
    file system writes it, of which slugs are made."""

    file: str
    spelled: str
    sha256: str


@dataclass(frozen=True, slots=True)
class KnownContent:
    """A content that the claim has, or had, and the id it was given."""

    source_id: str
    sha256: str
    file: str


def assign_source_ids(
    files: Sequence[ListedFile],
    known: Sequence[KnownContent] = (),
    *,
    replaced: Mapping[str, str] | None = None,
) -> list[str]:
    """Return one source id per file, unique within the claim.

    In this order: the content under its own name, the content under another name, what a content replaces
    (`replaced`: its SHA-256 → id), the name under which another content was known, and the slug of the name,
    with `-2`, `-3` … where that is taken.
    """
    ids: list[str | None] = [None] * len(files)
    taken: set[str] = set()

    def give(number: int, source_id: str | None) -> None:
        if ids[number] is None and source_id is not None and source_id not in taken:
            ids[number] = source_id
            taken.add(source_id)

    both = {(one.sha256, one.file): one.source_id for one in known}
    by_content: dict[str, list[str]] = {}
    for one in known:
        by_content.setdefault(one.sha256, []).append(one.source_id)
    by_name = {one.file: one.source_id for one in known}
    for number, file in enumerate(files):
        give(number, both.get((file.sha256, file.file)))
    for number, file in enumerate(files):
        for source_id in by_content.get(file.sha256, ()):
            give(number, source_id)
    for number, file in enumerate(files):
        give(number, (replaced or {}).get(file.sha256))
    for number, file in enumerate(files):
        give(number, by_name.get(file.file))
    for number, file in enumerate(files):
        slug, suffix = slug_of(file.spelled), 2
        candidate = slug
        while ids[number] is None:
            give(number, candidate)
            candidate, suffix = f"{slug}-{suffix}", suffix + 1
    return [source_id for source_id in ids if source_id is not None]

"""The parts of office files that are ZIP packages, opened with distrust: bounded, no entities, no network.

What the XML means is the work of the module of each format.
"""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Mapping

from lxml import etree

from citation_pipeline.adapters.local_parser import refusals

_MOST_MEMBERS = 5000


class Package:
    """A package's parts by name; sizes are checked before anything is unpacked."""

    def __init__(self, data: bytes, *, unpacked_bytes: int) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise refusals.corrupt("its ZIP directory is missing or damaged") from error
        members = self._archive.infolist()
        # a bomb declares its size: the reader stops where the declaration ends
        total = sum(member.file_size for member in members)
        if total > unpacked_bytes or len(members) > _MOST_MEMBERS:
            raise refusals.oversized(
                "unpacks_too_large", f"{total} bytes in {len(members)} parts", limit=unpacked_bytes
            )
        self.unpacked_bytes = total
        self._names = {member.filename.lower(): member for member in members}

    @property
    def members(self) -> list[zipfile.ZipInfo]:
        """Every file as the directory lists it, also those whose names differ in case alone."""
        return [member for member in self._archive.infolist() if not member.is_dir()]

    @property
    def names(self) -> list[str]:
        """The parts' names as stored, in their order."""
        return [member.filename for member in self._names.values() if not member.is_dir()]

    def content(self, name: str) -> bytes | None:
        """Return a part's bytes, or None where the package has no such part."""
        member = self._names.get(name.lower().lstrip("/"))
        return None if member is None else self.read(member)

    def read(self, member: zipfile.ZipInfo) -> bytes:
        """Return a member's bytes; raises RefusedDocumentError when it is encrypted or damaged."""
        if member.flag_bits & 1:
            raise refusals.encrypted()
        try:
            return self._archive.read(member)
        except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, NotImplementedError) as error:
            raise refusals.corrupt("one of its parts cannot be unpacked") from error

    def part(self, name: str) -> etree._Element | None:
        """Return the root of an XML part, or None where the package has no such part."""
        content = self.content(name)
        if content is None:
            return None
        if b"<!DOCTYPE" in content[:4096] or b"<!ENTITY" in content:
            raise refusals.corrupt("its XML declares entities, which no office file does")
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
        )
        try:
            return etree.fromstring(content, parser)
        except etree.XMLSyntaxError as error:
            raise refusals.corrupt("one of its parts is not well-formed XML") from error

    def main_part(self) -> str | None:
        """Return the name of the part that the package says is the document; Word accepts any name."""
        root = self.part("_rels/.rels")
        for relation in root if root is not None else ():
            if relation.get("Type", "").endswith("/officeDocument"):
                return _joined("", relation.get("Target", ""))
        return None

    def relations(self, part: str) -> Mapping[str, str]:
        """Return a part's relations: id to part name; what lies outside the package is left out."""
        folder, _, file = part.rpartition("/")
        root = self.part(f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels")
        if root is None:
            return {}
        return {
            relation.get("Id", ""): _joined(folder, relation.get("Target", ""))
            for relation in root
            if relation.get("TargetMode") != "External"
        }


def _joined(folder: str, target: str) -> str:
    return posixpath.normpath(
        target.lstrip("/") if target.startswith("/") else f"{folder}/{target}" if folder else target
    )

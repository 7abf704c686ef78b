"""The parts of a DOCX package, opened with distrust: bounded sizes, no entities, no network.

What the XML means is `word_files.py`'s work.
"""

import io
import zipfile
from collections.abc import Mapping

from lxml import etree

from citation_pipeline.adapters.local_parser import refusals

_MOST_MEMBERS = 5000


class WordPackage:
    """A DOCX's XML parts by name; sizes are checked before anything is unpacked."""

    def __init__(self, data: bytes, *, unpacked_bytes: int) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise refusals.corrupt("its ZIP directory is missing or damaged") from error
        members = self._archive.infolist()
        # a bomb declares its size: the reader stops where the declaration ends
        total = sum(member.file_size for member in members if member.filename.lower().endswith(".xml"))
        if total > unpacked_bytes or len(members) > _MOST_MEMBERS:
            raise refusals.oversized(
                "unpacks_too_large", f"{total} bytes of XML in {len(members)} parts", limit=unpacked_bytes
            )
        self._names = {member.filename.lower(): member for member in members}

    def part(self, name: str) -> etree._Element | None:
        """Return a part's root, or None where the package has no such part."""
        member = self._names.get(name.lower())
        if member is None:
            return None
        if member.flag_bits & 1:
            raise refusals.encrypted()
        try:
            content = self._archive.read(member)
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError) as error:
            raise refusals.corrupt("one of its parts cannot be unpacked") from error
        if b"<!DOCTYPE" in content[:4096] or b"<!ENTITY" in content:
            raise refusals.corrupt("its XML declares entities, which no Word file does")
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
        )
        try:
            return etree.fromstring(content, parser)
        except etree.XMLSyntaxError as error:
            raise refusals.corrupt("one of its parts is not well-formed XML") from error

    def relations(self) -> Mapping[str, str]:
        """Return the main part's relations: id to part name."""
        root = self.part("word/_rels/document.xml.rels")
        if root is None:
            return {}
        return {
            relation.get("Id", ""): "word/" + relation.get("Target", "").removeprefix("/word/")
            for relation in root
            if relation.get("TargetMode") != "External"
        }

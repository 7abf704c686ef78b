"""Commands on files, without a store: `parse` and `resolve`."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citation_pipeline.cli.display import watching
from citation_pipeline.cli.options import Teller, json_option

if TYPE_CHECKING:
    from citation_pipeline.core.documents.parsed import Page, ParsedDocument


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "--neutral",
    is_flag=True,
    help="Beside it: <source_id>.chunks.json, .geometry.json, .sentences.json, .md and .reading_view.txt.",
)
@json_option
def parse(files: tuple[Path, ...], out: Path, neutral: bool, as_json: bool) -> None:
    """Parse files into pages, blocks and words: one JSON a file, named after its source id."""
    from dataclasses import replace

    from citation_pipeline.adapters.file_types import sniff
    from citation_pipeline.adapters.readers import DocumentParser
    from citation_pipeline.core.claims import source_ids_of
    from citation_pipeline.core.documents.parsed import SourceDocument
    from citation_pipeline.defs.readers import parsers
    from citation_pipeline.defs.resources import read_settings

    teller = Teller(as_json=as_json)
    readable = [path for path in files if path.is_file()]
    for path in files:
        if not path.is_file():
            teller.fail(f"{path}: is not a file; give files to parse")
    sources = []
    for path, source_id in zip(readable, source_ids_of([path.name for path in readable]), strict=True):
        data = path.read_bytes()
        sources.append(
            SourceDocument(
                source_id=source_id,
                name=path.stem,
                file=path.name,
                sha256=hashlib.sha256(data).hexdigest(),
                media_type=sniff(data),
                byte_count=len(data),
            )
        )
    out.mkdir(parents=True, exist_ok=True)
    # no cache: it belongs to a store, and nobody named one
    parser: DocumentParser = parsers(replace(read_settings(), parse_cache=None)).get("local")
    with watching(as_json=as_json) as watcher:
        done = 0

        def advance(*_: Any) -> None:
            nonlocal done
            done += 1
            watcher("parse", "files parsed", done, len(sources))

        documents = parser.parse_many(list(zip(sources, readable, strict=True)), on_parsed=advance)
    for document in documents:
        record = _document_record(document)
        target = out / f"{document.source.source_id}.json"
        _write(target, json.dumps(record, ensure_ascii=False))
        for suffix, text in _neutral_files(document) if neutral else ():
            _write(out / f"{document.source.source_id}{suffix}", text)
        summary = {name: record[name] for name in ("source_id", "status", "error")} | {
            "file": document.source.file,
            "pages": len(document.pages),
            "words": len(document.words),
            "out": str(target),
        }
        teller.tell(
            summary,
            f"{document.source.file}: {record['status']}, {len(document.pages)} pages, "
            f"{len(document.words)} words -> {target}",
        )
        if document.error is not None:
            teller.fail(f"{document.source.file}: {document.error}")
    teller.finish()


@click.command()
@click.option("--documents", required=True, type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--queries", required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False))
def resolve(documents: Path, queries: Path, out: Path) -> None:
    """Resolve quoted snippets against parsed documents: JSON lines in, JSON lines out."""
    from citation_pipeline.adapters.query_files import resolve_query_files

    teller = Teller(as_json=False)
    for problem in resolve_query_files(documents, queries=queries, out=out):
        teller.fail(problem)
    teller.finish()


def _write(target: Path, text: str) -> None:
    draft = target.with_name(f".{target.name}.tmp")
    draft.write_text(text)
    draft.replace(target)


def _neutral_files(document: "ParsedDocument") -> Iterator[tuple[str, str]]:
    from citation_pipeline.core.documents import exports
    from citation_pipeline.core.retrieval.reading_view import read_view

    for suffix, export in (
        (".chunks.json", exports.chunks),
        (".geometry.json", exports.geometry),
        (".sentences.json", exports.sentences),
    ):
        yield suffix, json.dumps(export(document), ensure_ascii=False)
    yield ".md", exports.text_of_export(document)
    yield ".reading_view.txt", read_view(document).text_with_words


def _document_record(document: "ParsedDocument") -> dict[str, Any]:
    source = document.source
    return {
        "source_id": source.source_id,
        "sha256": source.sha256,
        "media_type": source.media_type,
        "status": document.status.value,
        "error": str(document.error) if document.error else None,
        "parser": f"{document.parser} {document.parser_version}",
        "warnings": list(document.warnings),
        "pages": [_page_record(document, page) for page in document.pages],
        "blocks": [
            {
                "block_id": block.block_id,
                "type": block.type,
                "page": block.page,
                "bbox": block.box.as_dict(),
                "content": block.content,
                "text": block.text,
                "word_start": block.word_start,
                "word_end": block.word_end,
            }
            for block in document.blocks
        ],
        "text": document.text,
    }


def _page_record(document: "ParsedDocument", page: "Page") -> dict[str, Any]:
    words = document.words
    first, last = words.page.searchsorted(page.page, "left"), words.page.searchsorted(page.page, "right")
    return {
        "page": page.page,
        "width": page.width_pt,
        "height": page.height_pt,
        "rotation": page.rotation,
        "words_from": page.words_from,
        "words": [
            [words.texts[i], *(round(float(edge), 6) for edge in words.boxes[i])] for i in range(first, last)
        ],
    }

"""Commands on files, without a store: `parse` and `resolve`."""

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citation_pipeline.cli.display import watching
from citation_pipeline.cli.options import Teller, json_option

if TYPE_CHECKING:
    from citation_pipeline.core.documents.parsed import Block, Page, ParsedDocument, SourceDocument

_TEXT_AT_ONCE = 1 << 18  # characters; a text of 5,000 pages is copied three times on its way to a file


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
    """Parse files into pages, blocks and words: one JSON a file, named after its source id.

    Attachments of mails, members of archives and files that a PDF carries are files too.
    """
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.local_parser.parser import LocalParser

    teller = Teller(as_json=as_json)
    readable = [path for path in files if path.is_file()]
    for path in files:
        if not path.is_file():
            teller.fail(f"{path}: is not a file; give files to parse")
    sources = _sources_of(readable)
    out.mkdir(parents=True, exist_ok=True)
    # no cache: it belongs to a store, and nobody named one. The deployment is read without the pipeline's
    # settings: those bring Dagster along, 50 MB beside a document of 5,000 pages
    deployment = read_deployment()
    workers = deployment.workers or os.cpu_count() or 1
    passwords = tuple(filter(None, deployment.pdf_passwords.splitlines()))
    with (
        LocalParser(None, workers=workers, passwords=passwords) as parser,
        watching(as_json=as_json) as watcher,
    ):
        done = 0

        def keep(document: "ParsedDocument", _from_cache: bool) -> None:
            nonlocal done
            done += 1
            # written as soon as it is done: a folder of long files is never held as a whole
            target = _write_document(document, out, neutral=neutral)
            _tell_document(teller, document, target)
            watcher("parse", "files parsed", done, len(sources))

        parser.parse_each(sources, on_parsed=keep)
    teller.finish()


def _sources_of(paths: Sequence[Path]) -> list[tuple["SourceDocument", Path]]:
    """Return what to parse: each file, then what mails, archives and PDFs among them hold."""
    from citation_pipeline.adapters.file_types import sniff
    from citation_pipeline.adapters.office.attached_files import (
        AttachedFile,
        is_container,
        list_attached_files,
    )
    from citation_pipeline.core.claims import source_ids_of
    from citation_pipeline.core.documents.parsed import SourceDocument

    files: list[tuple[AttachedFile, Path]] = []
    attached: list[tuple[AttachedFile, Path]] = []
    for path in paths:
        data = path.read_bytes()
        one = AttachedFile(path.name, hashlib.sha256(data).hexdigest(), sniff(data), len(data))
        files.append((one, path))
        for inside in list_attached_files(data, known=set()) if is_container(one.media_type) else ():
            attached.append((replace(inside, file=f"{path.name}/{inside.file}"), path / inside.file))
    rows = [*files, *attached]
    return [
        (
            SourceDocument(
                source_id=source_id,
                name=Path(one.file).stem,
                file=one.file,
                sha256=one.sha256,
                media_type=one.media_type,
                byte_count=one.byte_count,
            ),
            path,
        )
        for (one, path), source_id in zip(rows, source_ids_of([one.file for one, _ in rows]), strict=True)
    ]


def _write_document(document: "ParsedDocument", out: Path, *, neutral: bool) -> Path:
    target = out / f"{document.source.source_id}.json"
    _write(target, _document_json(document))
    for suffix, text in _neutral_files(document) if neutral else ():
        _write(out / f"{document.source.source_id}{suffix}", (text,))
    return target


def _tell_document(teller: Teller, document: "ParsedDocument", target: Path) -> None:
    counts = {"pages": len(document.pages), "words": len(document.words)}
    teller.tell(
        {
            "source_id": document.source.source_id,
            "status": document.status.value,
            "error": str(document.error) if document.error else None,
            "file": document.source.file,
            **counts,
            "out": str(target),
        },
        f"{document.source.file}: {document.status.value}, {counts['pages']} pages, "
        f"{counts['words']} words -> {target}",
    )
    if document.error is not None:
        teller.fail(f"{document.source.file}: {document.error}")


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


def _write(target: Path, pieces: Iterable[str]) -> None:
    from citation_pipeline.adapters.whole_files import replacing

    with replacing(target) as stream:
        stream.writelines(piece.encode("utf-8") for piece in pieces)


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


def _document_json(document: "ParsedDocument") -> Iterator[str]:
    """Yield one JSON object in pieces: 5,000 pages as Python lists would take a gigabyte."""
    from citation_pipeline.core.documents.struck_words import struck_words

    source = document.source
    head = {
        "source_id": source.source_id,
        "sha256": source.sha256,
        "media_type": source.media_type,
        "status": document.status.value,
        "error": str(document.error) if document.error else None,
        "parser": f"{document.parser} {document.parser_version}",
        "warnings": list(document.warnings),
    }
    yield json.dumps(head, ensure_ascii=False)[:-1]
    struck = sorted(struck_words(document))
    yield from _listed("pages", (_page_record(document, page, struck) for page in document.pages))
    yield from _listed("blocks", map(_block_record, document.blocks))
    yield ', "text": "'
    for start in range(0, len(document.text), _TEXT_AT_ONCE):
        yield json.dumps(document.text[start : start + _TEXT_AT_ONCE], ensure_ascii=False)[1:-1]
    yield '"}'


def _listed(name: str, records: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield f', "{name}": ['
    for number, record in enumerate(records):
        yield (", " if number else "") + json.dumps(record, ensure_ascii=False)
    yield "]"


def _block_record(block: "Block") -> dict[str, Any]:
    return {
        "block_id": block.block_id,
        "type": block.type,
        "page": block.page,
        "bbox": block.box.as_dict(),
        "content": block.content,
        "text": block.text,
        "word_start": block.word_start,
        "word_end": block.word_end,
    }


def _page_record(document: "ParsedDocument", page: "Page", struck: Sequence[int]) -> dict[str, Any]:
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
        # JSON has no NaN, which is what words of a text layer have
        "confidences": [
            None if math.isnan(one) else round(one, 3) for one in words.confidence[first:last].tolist()
        ],
        "struck": [int(word - first) for word in struck if first <= word < last],
    }

"""Runs one engine over files in a process of its own, and says what it took: one JSON line a file.

    python parsing_engines.py ENGINE < paths.json

ENGINE is `ours`, `ours-words`, `pdfplumber`, `pdftext`; the peers run under their own interpreter. The last
line is the process's peak memory. A file that hangs is given up after a minute.
"""

import contextlib
import json
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

_SECONDS_A_FILE = 60

Answer = dict[str, object]


def _ours(path: Path) -> Answer:
    from citation_pipeline.adapters.pdfium.documents import parse_pdf
    from citation_pipeline.core.documents.parsed import SourceDocument

    data = path.read_bytes()
    document = parse_pdf(SourceDocument("x", "x", path.name, "", "application/pdf", len(data)), data)
    return {
        "pages": len(document.pages),
        "words": len(document.words),
        "error": document.error.code if document.error else None,
    }


def _ours_words(path: Path) -> Answer:
    from citation_pipeline.adapters.pdfium.documents import read_pdf_words

    pages = read_pdf_words(path.read_bytes())
    return {"pages": len(pages), "words": sum(len(page) for page in pages)}


def _pdfplumber(path: Path) -> Answer:
    import pdfplumber

    pages = []
    with pdfplumber.open(path) as document:
        for page in document.pages:
            words = page.extract_words()
            box = page.bbox
            width, height = max(box[2] - box[0], 1), max(box[3] - box[1], 1)
            pages.append(
                [
                    (w["text"], (w["x0"] - box[0]) / width, (w["top"] - box[1]) / height)
                    + ((w["x1"] - box[0]) / width, (w["bottom"] - box[1]) / height)
                    for w in words
                ]
            )
            page.close()
    return {"pages": len(pages), "words": sum(map(len, pages)), "boxes": pages}


def _pdftext(path: Path) -> Answer:
    from pdftext.extraction import dictionary_output

    pages = dictionary_output(str(path))
    return {"pages": len(pages), "words": 0}


ENGINES: dict[str, Callable[[Path], Answer]] = {
    "ours": _ours,
    "ours-words": _ours_words,
    "pdfplumber": _pdfplumber,
    "pdftext": _pdftext,
}


class _TooSlowError(Exception):
    pass


def _give_up(*_: object) -> None:
    raise _TooSlowError(f"more than {_SECONDS_A_FILE} s")


def main() -> None:
    engine = ENGINES[sys.argv[1]]
    paths = [Path(name) for name in json.load(sys.stdin)]
    signal.signal(signal.SIGALRM, _give_up)
    with contextlib.suppress(Exception):
        engine(paths[0])  # imports and first-call costs are not a page's
    for path in paths:
        signal.alarm(_SECONDS_A_FILE)
        start = time.process_time()
        try:
            answer = engine(path)
        except Exception as error:  # whatever a peer raises is a file it failed
            answer = {"pages": 0, "words": 0, "error": type(error).__name__}
        seconds = time.process_time() - start
        signal.alarm(0)
        print(json.dumps({"file": str(path), "seconds": seconds, **answer}), flush=True)
    print(json.dumps({"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}), flush=True)


if __name__ == "__main__":
    main()

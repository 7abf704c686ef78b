"""The worker process: `python -m citation_pipeline.adapters.local_parser.worker`, started by `worker_pool`.

It reads hostile files, so it holds nothing worth stealing (its environment is empty), opens no connection and
starts no program (an audit hook refuses both), leaves no core dump, and ends when its parser does.
"""

import json
import queue
import signal
import threading
from pathlib import Path

from citation_pipeline.adapters.local_parser.confinement import confine, listen, take_over_pipes
from citation_pipeline.adapters.local_parser.encoding import encode
from citation_pipeline.adapters.local_parser.frames import (
    BEAT,
    JOB,
    OPTIONS,
    RESULT,
    write_frame,
)
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.reading import ReadingOptions, read_source
from citation_pipeline.core.documents.parsed import SourceDocument


def main() -> None:
    """Serve documents until the pipe from the parser closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parser's to handle
    requests, replies = take_over_pipes()
    frames: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(requests, frames), daemon=True).start()
    kind, payload = frames.get()
    if kind != OPTIONS:
        raise SystemExit("the first frame must be the options; start workers through worker_pool.py")
    options = _options(payload)
    confine(options.limits)
    while True:
        kind, payload = frames.get()
        if kind != JOB:
            raise SystemExit("a job was expected; start workers through worker_pool.py")
        job = json.loads(payload)
        path = None if job["path"] is None else Path(job["path"])
        content = frames.get()[1] if path is None else None
        write_frame(replies, BEAT)  # begun: what went before was the start of the process
        document = read_source(
            SourceDocument(**job["source"]),
            path=path,
            data=content,
            options=options,
            on_page=lambda: write_frame(replies, BEAT),
        )
        write_frame(replies, RESULT, encode(document))
        del document, content


def _options(payload: bytes) -> ReadingOptions:
    given = json.loads(payload)
    return ReadingOptions(
        passwords=tuple(given["passwords"]), limits=ParseLimits(**given["limits"]), ocr=bool(given["ocr"])
    )


if __name__ == "__main__":
    main()

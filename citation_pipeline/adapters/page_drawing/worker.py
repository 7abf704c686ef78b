"""The process that draws pages for models: `python -m citation_pipeline.adapters.page_drawing.worker`.

Confined as the one that parses: no environment, no connection, no program, no core dump. It answers each job
with a picture, or with nothing where there is none.
"""

import json
import queue
import signal
import threading
from contextlib import suppress
from pathlib import Path

from citation_pipeline.adapters.local_parser.confinement import confine, listen, take_over_pipes
from citation_pipeline.adapters.local_parser.frames import BEAT, JOB, OPTIONS, RESULT, write_frame
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.page_drawing.pictures import picture_of


def main() -> None:
    """Draw until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's to handle
    requests, replies = take_over_pipes()
    frames: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(requests, frames), daemon=True).start()
    kind, payload = frames.get()
    if kind != OPTIONS:
        raise SystemExit("the first frame must be the options; start it through drawer.py")
    passwords = tuple(json.loads(payload)["passwords"])
    confine(ParseLimits())
    write_frame(replies, BEAT)  # the start is nobody's time
    while True:
        kind, payload = frames.get()
        if kind != JOB:
            raise SystemExit("a job was expected; start it through drawer.py")
        job = json.loads(payload)
        data = b""
        # a page that cannot be drawn is asked about without its picture, whatever the reason
        with suppress(Exception):
            data = picture_of(
                Path(job["path"]),
                job["sha256"],
                job["media_type"],
                job["page"],
                scale=job["scale"],
                size=(job["width"], job["height"]),
                passwords=passwords,
            )
        write_frame(replies, RESULT, data)


if __name__ == "__main__":
    main()

"""A worker process that misbehaves on request: what a file says is the fault it causes.

Started by tests through `LocalParser(worker_module=...)`; everything else in it is the real worker.
"""

import os
import signal
import time

from citation_pipeline.adapters.local_parser import reading, worker

_read = reading.read_source
_take_over_pipes = worker.take_over_pipes
replies = []


def take_over_pipes():
    requests, stream = _take_over_pipes()
    replies.append(stream)
    return requests, stream


def read_source(source, *, path, data, options, on_page):
    content = path.read_bytes() if path is not None else data or b""
    if b"fault: segfault" in content:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"fault: exit" in content:
        os._exit(7)
    if b"fault: hang" in content:
        time.sleep(600)
    if b"fault: slow pages" in content:
        for _ in range(17):
            time.sleep(1.0)  # longer in all than the silence that the test allows
            on_page()
    if b"fault: memory" in content:
        hoard = []
        while True:
            hoard.append(bytearray(os.urandom(1 << 20) * 8))
            time.sleep(0.01)
    if b"fault: bug" in content:
        raise_on_purpose()
    if b"fault: garbage" in content:
        replies[0].write(b"this is no frame" * 100)
        replies[0].flush()
    return _read(source, path=path, data=data, options=options, on_page=on_page)


def raise_on_purpose():
    raise SystemExit("never reached a reply")


worker.read_source = read_source
worker.take_over_pipes = take_over_pipes

if __name__ == "__main__":
    worker.main()

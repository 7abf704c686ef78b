"""Keeps presigned addresses out of the HTTP library's log lines.

httpx logs every request's URL at INFO, and a presigned address is a key to the document for whoever reads
the log. Here: the filter. It is installed when a client is made, not on import.
"""

from __future__ import annotations

import logging

import httpx


class _WithoutQueries(logging.Filter):
    """Cuts the query off every URL among a record's arguments."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                argument.copy_with(query=None) if isinstance(argument, httpx.URL) else argument
                for argument in record.args
            )
        return True


_FILTER = _WithoutQueries()


def redact_queries_in_httpx_logs() -> None:
    """Install the filter; doing so twice is the same as once."""
    logging.getLogger("httpx").addFilter(_FILTER)

"""Keeps what an SDK would log of a request out of the logs."""

import logging


class _NoBodies(logging.Filter):
    """Stops debug records: one of them is the whole request, documents included."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.DEBUG


def keep_bodies_out_of_logs(sdk: str) -> None:
    """Filter the loggers of an SDK (`anthropic`, `openai`), once a process."""
    # a filter on a parent logger does not see its children's records, so each one gets it
    for name in (f"{sdk}._base_client", f"{sdk}._response", f"{sdk}._legacy_response", sdk):
        logger = logging.getLogger(name)
        if not any(isinstance(known, _NoBodies) for known in logger.filters):
            logger.addFilter(_NoBodies())

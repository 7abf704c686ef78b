"""The family of errors whose words may be shown: they quote no document and no secret.

    PipelineError
    ├── StoreError            (adapters/tables)     a table or registration is missing or torn
    ├── WarehouseError        (adapters/warehouse)  the warehouse could not be refreshed
    ├── ClaimFolderError      (adapters/claim_folders)  a claim's folder cannot be read
    ├── ReplayError           (adapters/extractors) a recorded answer cannot be used
    └── the providers' own    (adapters/reducto, azure_layout, conversation)

Any other exception is a defect; its message may hold anything, so only its type and place are shown.
"""


class PipelineError(Exception):
    """A failure with a message fit for logs and metadata: it names the culprit and the remedy.

    `transient` tells that the same call may succeed later; `retry_after_s` how long to wait, when known.
    """

    transient: bool = False
    retry_after_s: float | None = None


def describe_failure(error: BaseException) -> str:
    """Return what may be shown of an error: all of a PipelineError, type and place of any other."""
    if isinstance(error, PipelineError):
        return str(error)
    return f"{type(error).__name__}{_place_of(error)} (its message is withheld: it may quote a document)"


def _place_of(error: BaseException) -> str:
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" at {code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def is_transient(error: BaseException) -> bool:
    """Tell whether trying again later may help."""
    return bool(getattr(error, "transient", False))

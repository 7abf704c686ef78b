"""Keeps pyarrow from importing pandas into processes that never use it: 56 MB and half a second of each.

pyarrow looks for pandas when it first makes an array, wherever pandas is installed.
"""

import sys
from importlib.abc import MetaPathFinder


class _NoPandas(MetaPathFinder):
    """Says of pandas that it is not installed."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is left out for a moment", name=fullname)


def leave_pandas_out() -> None:
    """Let pyarrow look for pandas now, in vain; whoever asks it for data frames makes it look again.

    For processes of our own only: elsewhere arrays may be made of pandas' series.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([0])
        import pyarrow.dataset  # noqa: F401 - looks for pandas once more when it is first imported
    finally:
        sys.meta_path.remove(finder)

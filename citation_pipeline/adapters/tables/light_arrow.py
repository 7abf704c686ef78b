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


def leave_pandas_out(*, with_datasets: bool = True) -> None:
    """Let pyarrow look for pandas now, in vain; whoever asks it for data frames makes it look again.

    For processes of our own only: elsewhere arrays may be made of pandas' series. Has to come before anything
    imports `pyarrow.dataset`, which looks for it as well; `with_datasets` imports that here.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([0])
        if with_datasets:
            import pyarrow.dataset  # noqa: F401
    finally:
        sys.meta_path.remove(finder)

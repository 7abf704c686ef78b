"""The address of a store in object storage: `s3://bucket/prefix?region=…&endpoint_override=…`.

What the query does not say comes from the environment, by the names of the storage's own tools. An address
that is shown or logged never holds credentials.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from citation_pipeline.adapters.tables.store_errors import StoreAddressError

SCHEMES = ("s3", "s3a", "gs", "az", "abfs", "abfss", "memory")
# by the names that pyarrow and Dagster's own tools use, and the client's
_OF_S3 = {
    "region": "region",
    "endpoint": "endpoint",
    "endpoint_url": "endpoint",
    "endpoint_override": "endpoint",
    "virtual_hosted_style_request": "virtual_hosted_style_request",
    "force_virtual_addressing": "virtual_hosted_style_request",
    "server_side_encryption": "server_side_encryption",
    "sse_kms_key_id": "sse_kms_key_id",
}
# of pyarrow's addresses: about making buckets and opening streams, neither of which happens here
_WITHOUT_MEANING = {
    "allow_bucket_creation",
    "allow_bucket_deletion",
    "allow_delayed_open",
    "background_writes",
    "check_directory_existence_before_creation",
}


REMOTE_WORK_DIR = "data/work"
"""Where what must be local lies for a store that is a URL, below the folder that a process starts in."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the objects lie: the bucket's own URL, the prefix, and what the client is configured with.

    `shown` is the address as it may be printed.
    """

    bucket: str
    prefix: str
    shown: str
    config: Mapping[str, str] = field(repr=False)


def is_remote(root: str) -> bool:
    """Tell whether a store's root is a URL of object storage, and not a folder of this machine."""
    return "://" in root and not root.startswith("file://")


def read_address(url: str) -> Address:
    """Return what a URL says; raises StoreAddressError for a part that is not understood."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    if scheme not in SCHEMES:
        raise StoreAddressError(
            f"there is no store under {parts.scheme}://: give a folder, or a URL such as s3://bucket/prefix"
        )
    name = parts.netloc.rpartition("@")[2]
    if not name and scheme != "memory":
        raise StoreAddressError(f"the store's URL names no bucket: write {scheme}://bucket/prefix")
    prefix = unquote(parts.path).strip("/")
    is_s3 = scheme in ("s3", "s3a")
    config = _config_of_s3(parts.query) if is_s3 else dict(parse_qsl(parts.query))
    if is_s3 and "@" in parts.netloc:
        key, _, secret = parts.netloc.rpartition("@")[0].partition(":")
        config |= {"access_key_id": unquote(key), "secret_access_key": unquote(secret)}
    shown = f"{scheme}://{name}" + (f"/{prefix}" if prefix else "")
    # a container of Azure names its account after the @
    bucket = f"{'s3' if is_s3 else scheme}://{name if is_s3 else parts.netloc}"
    return Address(bucket, prefix, shown, config)


def shown_root(root: str) -> str:
    """Return a store's root as it may be printed: a URL without credentials and query."""
    return read_address(root).shown if is_remote(root) else root


def without_credentials(root: str) -> str:
    """Return a store's root as somebody may be given it to open: with its query, without credentials."""
    if not is_remote(root):
        return root
    query = urlsplit(root).query
    return read_address(root).shown + (f"?{query}" if query else "")


def below(root: str, name: str) -> str:
    """Return the path or URL of something below a folder or URL, whose query stays."""
    place, mark, query = root.partition("?") if "://" in root else (root, "", "")
    return f"{place.rstrip('/')}/{name}{mark}{query}"


def _config_of_s3(query: str) -> dict[str, str]:
    given = dict(parse_qsl(query, keep_blank_values=True))
    scheme = given.pop("scheme", "")
    config = {}
    for name, value in given.items():
        if name in _WITHOUT_MEANING:
            continue
        if name not in _OF_S3:
            raise StoreAddressError(
                f"the store's URL has a parameter {name[:60]!r} that means nothing: use "
                f"{', '.join((*_OF_S3, 'scheme'))}; credentials come from the environment"
            )
        config[_OF_S3[name]] = value
    if "endpoint" in config and "://" not in config["endpoint"]:
        config["endpoint"] = f"{scheme or 'https'}://{config['endpoint']}"
    return config

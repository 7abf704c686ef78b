"""How one claim is to be read, as its own folder says: `claim.toml`, beside the documents.

    schema = "rate_confirmation"   # a shipped schema, "auto", or a JSON Schema file in the claim's folder
    parser = "local"
    extractor = "claude"

Every key may be missing. Nothing else is taken: a key, a value or a name that cannot be used is an error that
names it. Which of several choices wins: the command line or the request, then this file, then the inbox's.
"""

import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from citation_pipeline.adapters.claim_folders import CLAIM_SETTINGS, ClaimFolderError
from citation_pipeline.adapters.schema_files import AUTO, available_schemas, locate_schema
from citation_pipeline.adapters.whole_files import write_whole
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.json_schemas.errors import SchemaError

KEYS = ("schema", "parser", "extractor")
_LARGEST = 10_000  # three lines and their comments


class ClaimSettingsError(ClaimFolderError):
    """A `claim.toml`, or another choice of readers for one claim, that cannot be used."""


@dataclass(frozen=True, slots=True)
class ReaderNames:
    """The parsers and extractors that a deployment has; names that are empty are not checked."""

    parsers: Collection[str] = field(default_factory=tuple)
    extractors: Collection[str] = field(default_factory=tuple)

    def check(self, claim_id: str, chosen: Mapping[str, str], *, where: str) -> None:
        """Raise ClaimSettingsError for a parser or an extractor that there is none of."""
        for key, known in (("parser", self.parsers), ("extractor", self.extractors)):
            name = chosen.get(key)
            if name is not None and known and name not in known:
                raise ClaimSettingsError(
                    f"{claim_id}: {where} there is no {key} {name[:60]!r}: choose one of "
                    f"{', '.join(sorted(known))}"
                )


def choose_settings(
    claim: Claim, *, names: ReaderNames, given: Mapping[str, str | None] | None = None
) -> Claim:
    """Return the claim as it is to be read: by what was `given` for this run, else as its folder says.

    Schemas are located, so that one that cannot be used is known before any document is parsed. Raises
    ClaimSettingsError, or SchemaError for a given schema.
    """
    stated = read_folder_settings(claim, names=names)
    explicit = {key: value for key, value in (given or {}).items() if value is not None}
    names.check(claim.claim_id, explicit, where="as asked for,")
    if "schema" in explicit:
        explicit["schema"] = locate_schema(explicit["schema"])
    return replace(claim.read_by(stated | explicit), settings_mark=mark_of_folder(claim))


def read_folder_settings(claim: Claim, *, names: ReaderNames) -> dict[str, str]:
    """Return what the claim's folder on this machine states, {} without a file; raises ClaimSettingsError."""
    path = Path(claim.folder) / CLAIM_SETTINGS
    astray = Path(claim.documents_dir) / CLAIM_SETTINGS
    if astray != path and astray.is_file():
        raise ClaimSettingsError(
            f"{claim.claim_id}: {CLAIM_SETTINGS} lies among the documents: move it up, beside `documents/`"
        )
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ClaimSettingsError(
            f"{claim.claim_id}: {CLAIM_SETTINGS} cannot be read ({type(error).__name__}): make it a file "
            "that may be read"
        ) from error
    return read_settings_file(data, claim_id=claim.claim_id, names=names, folder=Path(claim.folder))


def read_settings_file(
    data: bytes, *, claim_id: str, names: ReaderNames, folder: Path | None = None
) -> dict[str, str]:
    """Return what a `claim.toml` states, schemas located; raises ClaimSettingsError.

    A schema's file must lie in the claim's `folder`; without one, on object storage, a schema is a name.
    """
    where = f"{claim_id}: {CLAIM_SETTINGS}"
    if len(data) > _LARGEST:
        raise ClaimSettingsError(f"{where} has more than {_LARGEST} bytes: it holds {', '.join(KEYS)} alone")
    try:
        found = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ClaimSettingsError(f"{where} is not UTF-8 text: save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ClaimSettingsError(
            f'{where} is not TOML ({error}): write lines such as `extractor = "rules"`'
        ) from error
    for key, value in found.items():
        if key not in KEYS:
            raise ClaimSettingsError(
                f"{where} has a key {key[:60]!r} that means nothing: use {', '.join(KEYS)}"
            )
        if not isinstance(value, str) or not value.strip():
            raise ClaimSettingsError(f"{where}: {key} must be a name in quotes, such as {_EXAMPLES[key]}")
    names.check(claim_id, found, where=f"{CLAIM_SETTINGS} says it, but")
    if "schema" in found:
        found["schema"] = _schema_of(found["schema"], where, folder)
    return found


_EXAMPLES = {"schema": '"workers_comp"', "parser": '"local"', "extractor": '"rules"'}


def _schema_of(name: str, where: str, folder: Path | None) -> str:
    """Return a schema's name, or the path of a file in the claim's folder: nobody's file from elsewhere."""
    if name == AUTO or name in available_schemas():
        return name
    path = (folder / name).resolve() if folder is not None else None
    if folder is None or path is None or not path.is_file() or not path.is_relative_to(folder.resolve()):
        known = ", ".join((*available_schemas(), AUTO))
        beside = ", or a JSON Schema file in the claim's folder" if folder is not None else ""
        raise ClaimSettingsError(f"{where}: there is no schema {name[:100]!r}: give one of {known}{beside}")
    try:
        return locate_schema(str(path))
    except SchemaError as error:
        raise ClaimSettingsError(f"{where}: the schema {name!r} cannot be used: {error}") from error


def mark_of_folder(claim: Claim) -> str:
    """Return what changes when the folder's `claim.toml` is written again, "" without one."""
    try:
        stat = (Path(claim.folder) / CLAIM_SETTINGS).stat()
    except OSError:
        return ""
    return settings_mark(stat.st_size, stat.st_mtime_ns)


def settings_mark(size: int, mtime_ns: int) -> str:
    """Return the mark of a `claim.toml` of this size and modification time."""
    return f"{size}-{mtime_ns}"


def write_folder_settings(folder: Path, chosen: dict[str, str], *, claim_id: str, names: ReaderNames) -> None:
    """Write these choices into a folder's `claim.toml`; others that it states stay.

    Raises ClaimSettingsError for a name that there is none of, or where the file that is there is not one.
    """
    names.check(claim_id, chosen, where="as asked for,")
    path = folder / CLAIM_SETTINGS
    kept: dict[str, str] = {}
    if path.is_file():
        read_settings_file(path.read_bytes(), claim_id=claim_id, names=names, folder=folder)
        kept = tomllib.loads(path.read_text(encoding="utf-8"))
    # a JSON string is a TOML string too
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in (kept | chosen).items()]
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(lines).encode())

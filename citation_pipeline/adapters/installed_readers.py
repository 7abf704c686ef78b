"""The parsers and extractors that are installed: this package's, and those of others by entry points.

An entry point's name is what `--parser` and `--extractor` take; it names a class with a `build` that makes
one from `ReaderSettings`. Nothing is imported before a name is asked for, and nothing built before it is
used. This package's own are listed here as well as declared as entry points: a listed one is found without
reading the metadata of everything that is installed.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from citation_pipeline.adapters.readers import ReaderError
from citation_pipeline.core.failures import PipelineError

if (
    TYPE_CHECKING
):  # every command names the readers, few use one: SQLAlchemy and pyarrow come with the settings
    from citation_pipeline.adapters.reader_settings import ReaderSettings

PARSERS, EXTRACTORS = "citation_pipeline.parsers", "citation_pipeline.extractors"

_HERE = "citation_pipeline.adapters"
SHIPPED: Mapping[str, Mapping[str, str]] = {
    PARSERS: {
        "local": f"{_HERE}.local_parser.parser:LocalParser",
        "reducto": f"{_HERE}.reducto.parsers:ReductoParser",
        "reducto-import": f"{_HERE}.reducto.imports:ImportedReductoParser",
        "azure-layout": f"{_HERE}.azure_layout.parser:AzureLayoutParser",
    },
    EXTRACTORS: {
        "rules": f"{_HERE}.extractors.rules:RulesExtractor",
        "replay": f"{_HERE}.extractors.replay:ReplayExtractor",
        "claude": f"{_HERE}.claude.extractor:ClaudeExtractor",
        "claude-bedrock": f"{_HERE}.claude.platforms:BedrockExtractor",
        "claude-vertex": f"{_HERE}.claude.platforms:VertexExtractor",
        "openai": f"{_HERE}.chat_completions.extractor:ChatExtractor",
        "azure-openai": f"{_HERE}.chat_completions.extractor:AzureChatExtractor",
    },
}
"""By group and name, the class; pyproject.toml declares the same as entry points."""


def installed_names(group: str) -> list[str]:
    """Return the names that can be asked for, without importing anything."""
    return sorted({*SHIPPED[group], *(entry.name for entry in entry_points(group=group))})


class InstalledReader:
    """One installed class: its attributes are known once it is imported, an instance when it is called."""

    def __init__(self, name: str, load: Callable[[], Any], settings: "ReaderSettings") -> None:
        self._name, self._load, self._settings = name, load, settings

    @cached_property
    def kind(self) -> Any:
        """The class; raises ReaderError where its package cannot be imported or it is no reader."""
        try:
            found = self._load()
        except Exception as error:
            raise ReaderError(
                f"{self._name!r} is installed but cannot be loaded ({type(error).__name__}): install its "
                "package again, with the extra that it needs"
            ) from error
        if not callable(getattr(found, "build", None)):
            raise ReaderError(f"{self._name!r} has no `build`: its entry point has to name a class with one")
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.kind, name)

    def __call__(self) -> Any:
        try:
            return self.kind.build(self._settings)
        except PipelineError:
            raise
        except ImportError as error:
            raise ReaderError(
                f"{self._name!r} needs {error.name or 'a package'}, which is not installed: install the "
                "extra of its package"
            ) from error


class InstalledReaders(Mapping[str, InstalledReader]):
    """Every installed class of a group, by name; names of other packages are looked up when needed."""

    def __init__(self, group: str, settings: "ReaderSettings") -> None:
        self._group, self._settings = group, settings
        self._known: dict[str, InstalledReader] = {}

    def __getitem__(self, name: str) -> InstalledReader:
        if name not in self._known:
            self._known[name] = InstalledReader(name, self._loader(name), self._settings)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**SHIPPED[self._group], **self._others})

    def __len__(self) -> int:
        return len({**SHIPPED[self._group], **self._others})

    def _loader(self, name: str) -> Callable[[], Any]:
        shipped = SHIPPED[self._group].get(name)
        if shipped is not None:
            module, _, attribute = shipped.partition(":")
            return lambda: getattr(import_module(module), attribute)
        return self._others[name].load

    @cached_property
    def _others(self) -> Mapping[str, EntryPoint]:
        found: dict[str, EntryPoint] = {}
        for entry in entry_points(group=self._group):
            ours = SHIPPED[self._group].get(entry.name)
            if entry.value == ours:
                continue
            if ours is not None or (entry.name in found and found[entry.name].value != entry.value):
                raise ReaderError(
                    f"two installed packages name {entry.name!r} in {self._group}: uninstall one of them"
                )
            found[entry.name] = entry
        return found

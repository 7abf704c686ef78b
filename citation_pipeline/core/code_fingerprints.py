"""What the code of a stage does, as a short digest that is stored beside what the stage made.

One rule for every stage: its modules and all that they import of this package count by their syntax tree,
without docstrings, comments and layout; so do the data files beside them and the releases of the libraries
they import. A mended rule so reaches every stored claim, and a reworded docstring none.
"""

import ast
import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from types import MappingProxyType

PACKAGE = "citation_pipeline"

STAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "documents": ("adapters.claim_folders",),
        "parser": ("adapters.local_parser.reading",),
        "reducto": ("adapters.reducto.conversion",),
        "azure_layout": ("adapters.azure_layout.conversion",),
        "rules": ("core.rules", "core.answers.writing"),
        "prompts": ("core.prompts", "adapters.conversation.plans", "adapters.claude.requests"),
        "answers": ("core.answers", "core.documents.dates", "adapters.claude.reading"),
        "consistency": ("core.consistency",),
        "matcher": ("core.resolution",),
        "viewer": ("core.viewer", "core.review.overlay"),
        "chunks": ("core.retrieval.chunks", "core.documents.dates"),
        "quality": ("core.evaluation",),
        "planning": ("core.planning",),
        "warehouse": ("adapters.warehouse",),
        "page_images": ("serving.rendering.page_images",),
    }
)
"""The modules (or packages, for all of their modules) that each stage starts from."""

_DISTRIBUTIONS = {
    "cel": "common-expression-language",
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
    "docx": "python-docx",
}
_SAYS_NOTHING = ("kind", "type_comment", "ctx")  # where a name is says whether it is read or written


@dataclass(frozen=True, slots=True)
class Syntax:
    """What a source does, as a digest, and the names that it imports."""

    digest: str
    imported: frozenset[str]


KNOWN_SOURCES: dict[str, Syntax] = {}
"""What was read of sources, by their own digests."""


@dataclass(frozen=True, slots=True)
class _Module:
    """A module's digest, and what it imports: modules of this package, and other libraries."""

    digest: bytes
    imports: frozenset[str]
    libraries: frozenset[str]


_INSTALLED: dict[str, _Module] = {}  # stages share most of their modules


@cache
def code_fingerprint(stage: str) -> str:
    """Return 16 hexadecimal digits that change when the stage's code, data files or libraries do.

    `stage` is a key of STAGES; another raises KeyError.
    """
    return fingerprint_code(resources.files(PACKAGE), STAGES[stage], known=_INSTALLED)


def fingerprint_code(
    package: Traversable,
    roots: tuple[str, ...],
    *,
    release_of: Callable[[str], str] | None = None,
    known: dict[str, _Module] | None = None,
) -> str:
    """Return the fingerprint of some modules of a copy of this package, and of all that they import.

    `release_of` gives a library's version by its distribution's name; by default it is what is installed.
    `known` keeps what was read of this copy for the next call.
    """
    known = {} if known is None else known
    found: dict[str, _Module] = {}
    waiting = [name for root in roots for name in _modules_below(package, root)]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if name not in known:
            known[name] = _read_module(package, name)
        found[name] = known[name]
        waiting.extend(known[name].imports)
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(name.encode() + b"\0" + found[name].digest)
    for name, content in _data_files(package, {name.rpartition(".")[0] for name in found}):
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    for library in sorted(set[str]().union(*(module.libraries for module in found.values()))):
        digest.update(f"{library}={(release_of or _release)(library)}".encode())
    return digest.hexdigest()[:16]


def _read_module(package: Traversable, name: str) -> _Module:
    syntax = _syntax_of(_source(package, name) or b"")
    own = {
        _module_named(package, name.removeprefix(f"{PACKAGE}."))
        for name in syntax.imported
        if name.startswith(f"{PACKAGE}.")
    }
    tops = {name.partition(".")[0] for name in syntax.imported} - {PACKAGE} - sys.stdlib_module_names
    return _Module(
        bytes.fromhex(syntax.digest),
        frozenset(own),
        frozenset(_DISTRIBUTIONS.get(name, name) for name in tops),
    )


def _syntax_of(source: bytes) -> Syntax:
    key = hashlib.sha256(source).hexdigest()
    if key not in KNOWN_SOURCES:
        tokens: list[str] = []
        imported: set[str] = set()
        _add_tokens(ast.parse(source), tokens, imported)
        digest = hashlib.sha256("\n".join(tokens).encode()).hexdigest()
        KNOWN_SOURCES[key] = Syntax(digest, frozenset(imported))
    return KNOWN_SOURCES[key]


def _add_tokens(node: ast.AST, tokens: list[str], imported: set[str]) -> None:
    """Append what a tree does, in order, and note what it imports.

    The tokens are the same on every Python that parses a source to the same nodes.
    """
    kind = type(node)
    tokens.append(kind.__name__)
    for name in kind._fields:
        value = getattr(node, name, None)
        # newer Pythons add empty fields
        if value is None or value == [] or name in _SAYS_NOTHING:
            continue
        tokens.append(name)
        if isinstance(value, ast.AST):
            _add_tokens(value, tokens, imported)
        elif isinstance(value, list):
            for item in value:
                if not isinstance(item, ast.AST):
                    tokens.append(repr(item))
                elif not _is_text_alone(item):
                    _add_tokens(item, tokens, imported)
            tokens.append("end")
        else:
            tokens.append(repr(value))
    tokens.append("end")
    if isinstance(node, ast.Import):
        imported.update(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        # a name may be a module of the package that it is imported from
        imported.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))


def _is_text_alone(node: ast.AST) -> bool:
    """Whether a statement is a string by itself: a docstring, or the description of a constant."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _modules_below(package: Traversable, name: str) -> Iterator[str]:
    """Yield a module, or the modules of a package and of the packages in it."""
    folder = _folder(package, name)
    if not folder.is_dir():
        yield name
        return
    for entry in folder.iterdir():
        if entry.name.endswith(".py"):
            yield f"{name}.{entry.name.removesuffix('.py')}"
        elif entry.is_dir() and entry.joinpath("__init__.py").is_file():
            yield from _modules_below(package, f"{name}.{entry.name}")


def _module_named(package: Traversable, name: str) -> str:
    """Return the module that an imported name is, or that holds it."""
    if _folder(package, name).is_dir():
        return f"{name}.__init__"
    return name if _source(package, name) is not None else name.rpartition(".")[0] or "__init__"


def _source(package: Traversable, name: str) -> bytes | None:
    folder, _, file = name.rpartition(".")
    path = _folder(package, folder).joinpath(f"{file}.py")
    return path.read_bytes() if path.is_file() else None


def _folder(package: Traversable, name: str) -> Traversable:
    return package.joinpath(*name.split(".")) if name else package


def _data_files(package: Traversable, folders: set[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files that are no code in these packages, and in folders of theirs that are no packages."""
    for folder in sorted(folders - {""}):
        yield from _files_in(_folder(package, folder), folder)


def _files_in(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            if entry.name != "__pycache__" and not entry.joinpath("__init__.py").is_file():
                yield from _files_in(entry, f"{name}/{entry.name}")
        elif not entry.name.endswith((".py", ".pyc", ".typed", ".md")):
            yield f"{name}/{entry.name}", entry.read_bytes()


@cache
def _release(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"

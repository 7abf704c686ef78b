"""Joins the viewer's ES modules into one classic script: quicker to load, and a page from disk may not load
modules at all.

Understands exactly the forms that the modules use (named imports from a sibling, exported declarations)
and refuses any other, so that nothing is silently left out.
"""

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class|let) (\w+))", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b", re.MULTILINE)


class BundleError(ValueError):
    """A module that is written in a form that the bundle does not know; names the file."""


def bundle(folder: Path, entry: str) -> str:
    """Return one script that runs `entry` and whatever it imports, dependencies first."""
    done: dict[str, str] = {}
    _add(folder, entry, done, path=())
    return '"use strict";\n(() => {\nconst modules = {};\n' + "\n".join(done.values()) + "\n})();\n"


def _add(folder: Path, name: str, done: dict[str, str], *, path: tuple[str, ...]) -> None:
    if name in done:
        return
    if name in path:
        raise BundleError(f"{name} imports itself by way of {' → '.join(path)}: move the shared part out")
    source = (folder / name).read_text(encoding="utf-8")
    for match in _IMPORT.finditer(source):
        _add(folder, match[2], done, path=(*path, name))
    exported = [match[1] for match in _EXPORT.finditer(source)]
    body = _EXPORT.sub("", _IMPORT.sub(_as_constant, source))
    if _LEFT_OVER.search(body):
        raise BundleError(
            f'{name}: write imports as `import {{ a }} from "./b.js";` and exports before declarations'
        )
    done[name] = f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {", ".join(exported)} }};\n}})();'


def _as_constant(match: re.Match[str]) -> str:
    names = re.sub(r"(\w+) as (\w+)", r"\1: \2", " ".join(match[1].split()))
    return f'const {{ {names} }} = modules["{match[2]}"];'

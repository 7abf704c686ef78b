"""Write the list of common English words that the matcher tells real words from noise by.

Source: the docstrings, comments and topics of the Python standard library that runs this script (PSF
licence):
words of 2-14 letters that stand in at least MIN_FILES of its modules; identifiers and code are left out.
`domain_words.txt` beside the list is written by hand and is not touched.

    python benchmarks/build_common_words.py
"""

import ast
import collections
import io
import re
import sysconfig
import tokenize
from pathlib import Path

MIN_FILES = 4
TARGET = Path(__file__).resolve().parent.parent / "citation_pipeline/core/matching/words/common_words.txt"
_WORD = re.compile(r"(?<![\w.@/\\'-])[A-Za-z]?[a-z]{1,13}(?![\w@/\\(=-])")


def prose_of(source: str) -> str:
    """Return a module's docstrings and comments."""
    parts: list[str] = []
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            parts.append(ast.get_docstring(node) or "")
    try:
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        parts += [token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, IndentationError):
        pass
    return "\n".join(parts)


def main() -> None:
    files: collections.Counter[str] = collections.Counter()
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.rglob("*.py")):
        if "site-packages" in path.parts or "lib2to3" in path.parts and "data" in path.parts:
            continue
        source = path.read_text(encoding="utf-8", errors="replace")
        text = source if "pydoc_data" in path.parts else prose_of(source)
        names = (
            {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)} if text else set()
        )
        words = {word.lower() for word in _WORD.findall(text)} - {n.lower() for n in names if len(n) < 5}
        files.update(words)
    kept = sorted(word for word, count in files.items() if count >= MIN_FILES and len(word) >= 2)
    TARGET.write_text("\n".join(kept) + "\n")
    print(len(kept), "words")


if __name__ == "__main__":
    main()

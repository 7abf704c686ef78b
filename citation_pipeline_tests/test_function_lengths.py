"""A function that does not fit a screen says why, in a comment above it."""

import ast
from pathlib import Path

_MOST_LINES = 60


def long_functions(source: str) -> list[str]:
    """Functions of more lines than that, without a comment above them that begins with "long:"."""
    lines, found = source.splitlines(), []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.end_lineno is None:
            continue
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        above = lines[first - 2].strip() if first > 1 else ""
        if node.end_lineno - node.lineno + 1 > _MOST_LINES and not above.startswith("# long: "):
            found.append(node.name)
    return found


def test_a_long_function_without_a_reason_is_found() -> None:
    body = "    pass\n" * _MOST_LINES
    assert long_functions(f"def f():\n{body}") == ["f"]
    assert long_functions(f"# long: a line each\n@cache\ndef f():\n{body}") == []
    assert long_functions("def f():\n    pass\n") == []


def test_no_function_of_the_package_is_long_without_a_reason(project: Path) -> None:
    sources = sorted((project / "citation_pipeline").rglob("*.py"))
    assert {path.name: found for path in sources if (found := long_functions(path.read_text()))} == {}

"""What a mutant may change: cosmic-ray's operators without the senseless ones, and four more.

Left out, because no test should notice: a cache that is taken away, `frozen`, `slots` and `strict` switched
over (they catch a programmer's mistake, no input reaches them), a comparison of values turned into one of
identity, and arithmetic turned into anything but its opposite.
"""

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names
from parso.python.tree import Keyword
from parso.tree import Leaf, NodeOrLeaf

OPPOSITES = {
    *("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul"),
    *("BitOr_BitAnd", "BitAnd_BitOr", "RShift_LShift", "LShift_RShift"),
}
GUARDS = {"frozen", "slots", "strict", "kw_only", "check_same_thread"}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
ASSIGNED = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|="}


class _Swap(Operator):  # type: ignore[misc]
    """Replaces a leaf by its counterpart."""

    pairs: dict[str, str]
    kind: str

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Any]:
        if isinstance(node, Leaf) and node.type == self.kind and node.value in self.pairs:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Leaf, index: int) -> Leaf:
        node.value = self.pairs[node.value]
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class SwapNames(_Swap):
    """A minimum becomes a maximum, "any" becomes "all"."""

    pairs, kind = NAMES, "name"


class SwapAssignment(_Swap):
    """What is added is taken away."""

    pairs, kind = ASSIGNED, "operator"


class SwapMembership(_Swap):
    """What has to be in something has to be outside."""

    pairs, kind = {"in": "not in"}, "keyword"

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Any]:
        if node.parent is not None and node.parent.type == "comparison":
            yield from super().mutation_positions(node)


class DropStatement(Operator):  # type: ignore[misc]
    """Leaves out a call, or an assignment to a part of something."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Any]:
        if node.type != "simple_stmt" or node.parent.type != "suite":
            return
        first = node.children[0]
        target = first.children[0] if first.type == "expr_stmt" else first
        if target.type in ("atom_expr", "power", "await"):
            yield first.start_pos, first.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        first = node.children[0]
        dropped = Keyword("pass", first.start_pos, first.get_first_leaf().prefix)
        dropped.parent = node
        node.children[0] = dropped
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


OWN = {one.__name__: one for one in (SwapNames, SwapAssignment, SwapMembership, DropStatement)}


@dataclass(frozen=True)
class Mutant:
    """One change at one place of a file."""

    file: str
    line: int
    operator: str
    occurrence: int

    def apply(self, source: str) -> str:
        """Return the changed source."""
        operator = OWN.get(self.operator) or get_operator(self.operator)
        changed = mutate_code(source, operator(), self.occurrence)
        assert changed is not None, self
        return str(changed)


def operators() -> dict[str, Operator]:
    """Return every operator in use by its name."""
    used = {}
    for name in sorted(operator_names()):
        short = name.removeprefix("core/")
        if get_operator(name).arguments() or short.startswith("ReplaceUnaryOperator_U"):
            continue
        if short.startswith("ReplaceBinaryOperator_") and short.split("_", 1)[1] not in OPPOSITES:
            continue
        if short.endswith(("_Is", "_IsNot")) and short not in (
            "ReplaceComparisonOperator_Is_IsNot",
            "ReplaceComparisonOperator_IsNot_Is",
        ):
            continue
        if "Operator_Is" in short and not short.endswith(("Is_IsNot", "IsNot_Is")):
            continue
        used[name] = get_operator(name)()
    return used | {name: operator() for name, operator in OWN.items()}


def draw(root: Path, files: list[Path], count: int, seed: int) -> tuple[list[Mutant], int]:
    """Draw places at random, each with one of its changes; returns also how many places there are."""
    known = operators()
    choice = random.Random(seed)
    every: list[tuple[Path, tuple[int, int], list[tuple[str, int]]]] = []
    for path in files:
        places: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
        tree = get_ast(path.read_text())
        nodes = list(ast_nodes(tree))
        for name, operator in known.items():
            number = 0
            for node in nodes:
                for start, _end in operator.mutation_positions(node):
                    if not _is_guard(node) and not _is_marker(node):
                        places[start].append((name, number))
                    number += 1
        every += [(path, start, places[start]) for start in sorted(places)]
    choice.shuffle(every)
    drawn: list[Mutant] = []
    for path, start, changes in every:
        if len(drawn) == count:
            break
        name, number = choice.choice(changes)
        mutant = Mutant(str(path.relative_to(root)), start[0], name, number)
        source = path.read_text()
        if _does(mutant.apply(source)) != _does(source):
            drawn.append(mutant)
    return drawn, len(every)


def _is_guard(node: NodeOrLeaf) -> bool:
    if node.type == "decorator":
        return "cache" in node.get_code()
    parent = node.parent
    return (
        parent is not None
        and parent.type == "argument"
        and parent.children[0].type == "name"
        and parent.children[0].value in GUARDS
    )


def _is_marker(node: NodeOrLeaf) -> bool:
    """Tell whether a star or a slash parts parameters or unpacks an argument: that is no arithmetic."""
    return (
        node.type == "operator"
        and node.value in ("*", "**", "/")
        and node.parent.type not in ("term", "power", "arith_expr")
    )


def _does(source: str) -> str:
    """What a source does, so that a change of an annotation or a docstring is none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return "no Python"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    return ast.dump(tree)

"""No module of the package needs itself through others, nor where an import is put off or for types only."""

from graphlib import TopologicalSorter

import grimp


def test_no_module_imports_itself_through_others() -> None:
    graph = grimp.build_graph("citation_pipeline", cache_dir=None)
    needs = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(needs) > 100
    TopologicalSorter(needs).prepare()  # raises CycleError with the circle

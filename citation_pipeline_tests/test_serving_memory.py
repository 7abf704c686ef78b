"""What a server and its drawing workers do not carry: the command line's modules, Dagster."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
Path(sys.argv[1], __name__).touch()  # a worker that imports this file leaves its name for it
if __name__ == "__main__":
    from citation_pipeline.serving.rendering.pool import RenderPool
    pool = RenderPool(workers=1, timeout_s=60)
    pool.warm()
    print(pool.run_quickly("wake") == b"", sys.modules["__main__"].__file__ == __file__)
    pool.close()
"""
SERVE = """
import sys
from citation_pipeline.serving import entry
entry.serve = lambda settings: print("dagster" in sys.modules, settings.agents.reader_names.extractors)
from citation_pipeline.cli.main import main
main(["serve", "--store", sys.argv[1]])
"""


def test_a_drawing_worker_imports_nothing_of_the_program_that_serves(tmp_path: Path) -> None:
    program, seen = tmp_path / "program.py", tmp_path / "seen"
    program.write_text(PROGRAM)
    seen.mkdir()
    done = subprocess.run(
        [sys.executable, str(program), str(seen)], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert [path.name for path in seen.iterdir()] == ["__main__"]


def test_the_viewer_is_served_without_dagster(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVE, str(tmp_path)], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.startswith("False"), done.stdout
    assert "rules" in done.stdout

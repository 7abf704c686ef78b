"""Draw the sample claim: `python -m citation_pipeline_tests.sample_claim --out data/samples`."""

import argparse
from pathlib import Path

from citation_pipeline_tests.sample_claim.generation import write


def main() -> None:
    """Write the claim's folder under --out and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder that will hold the claim's folder")
    print(write(parser.parse_args().out))


if __name__ == "__main__":
    main()

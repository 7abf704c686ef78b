"""`python -m citation_pipeline`: the same commands as `citation-pipeline`."""

from citation_pipeline.cli.main import main

if __name__ == "__main__":
    main()

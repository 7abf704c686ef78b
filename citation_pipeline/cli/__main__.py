"""Lets `python -m citation_pipeline.cli` do what `citation-pipeline` does."""

from citation_pipeline.cli.main import main

main()

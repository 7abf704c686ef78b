"""The command `config`: which settings are in force, and where each comes from."""

import click

from citation_pipeline.cli.options import Teller, json_option, new_store_option


@click.command()
@new_store_option
@json_option
@click.option("--markdown", is_flag=True, help="Print the reference that docs/configuration.md holds.")
def config(store: str, as_json: bool, markdown: bool) -> None:
    """Show every setting in force; `*` marks what the environment chose. Secrets are only said to be set."""
    from citation_pipeline.adapters.deployment import deployment as settings

    if markdown:
        click.echo(settings.markdown(), nl=False)
        return
    teller = Teller(as_json=as_json)
    for row in settings.describe(settings.read_deployment(store)):
        mark = "*" if row["origin"] == "environment" else " "
        teller.tell(row, f"{mark} {row['variable']:<42} {row['value']}")
    teller.finish()

"""What parsers that charge by the page take for one, by the parser's name: for plans and for metrics."""

from collections.abc import Mapping

VARIABLE = "CITATION_PIPELINE_PAGE_DOLLARS"
_SHIPPED = {"reducto": 0.03, "azure-layout": 0.01}
_FORMER = {
    "reducto": "CITATION_PIPELINE_REDUCTO_PAGE_DOLLARS",
    "azure-layout": "CITATION_PIPELINE_AZURE_PAGE_DOLLARS",
}
"""Variables of single parsers, which are still read."""


def page_prices(variables: Mapping[str, str]) -> dict[str, float]:
    """Return US dollars a page by parser; raises ValueError naming a variable that is no price."""
    prices = dict(_SHIPPED)
    for name, variable in _FORMER.items():
        if said := variables.get(variable, "").strip():
            prices[name] = _price(said, variable)
    for part in variables.get(VARIABLE, "").split(","):
        if part.strip():
            name, equals, said = part.partition("=")
            if not equals or not name.strip():
                raise ValueError(f"{VARIABLE}: write parser=dollars, parted by commas: reducto=0.03")
            prices[name.strip()] = _price(said, VARIABLE)
    return prices


def _price(said: str, variable: str) -> float:
    try:
        price = float(said)
    except ValueError:
        price = -1.0
    if not 0 <= price < 1_000:
        raise ValueError(f"{variable}: a page's price is a number of US dollars, 0 or more")
    return price

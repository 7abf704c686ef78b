"""What a page costs, by parser: one variable for all, the former ones still read, no nonsense taken."""

import pytest

from citation_pipeline.adapters.deployment.deployment import DeploymentError, read_deployment
from citation_pipeline.adapters.page_prices import page_prices


def test_any_parser_has_a_price_and_the_former_variables_are_still_read() -> None:
    assert page_prices({}) == {"reducto": 0.03, "azure-layout": 0.01}
    said = {
        "CITATION_PIPELINE_REDUCTO_PAGE_DOLLARS": "0.05",
        "CITATION_PIPELINE_AZURE_PAGE_DOLLARS": "0.02",
        "CITATION_PIPELINE_PAGE_DOLLARS": "reducto = 0.04, their-parser=0.5,",
    }
    assert page_prices(said) == {"reducto": 0.04, "azure-layout": 0.02, "their-parser": 0.5}


@pytest.mark.parametrize("said", ["0.03", "reducto=", "reducto=cheap", "reducto=-1", "=0.2", "reducto=nan"])
def test_what_is_no_price_is_refused_by_the_variables_name(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="CITATION_PIPELINE_PAGE_DOLLARS"):
        page_prices({"CITATION_PIPELINE_PAGE_DOLLARS": said})
    monkeypatch.setenv("CITATION_PIPELINE_PAGE_DOLLARS", said)
    with pytest.raises(DeploymentError, match="CITATION_PIPELINE_PAGE_DOLLARS"):
        read_deployment()

"""Model profiles from a file: the shipped one, and one of the user's that comes first."""

import logging
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

from citation_pipeline.adapters.conversation.profiles import Effort, ModelProfile, Price
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.prompts.page_images import ImageLimits

VARIABLE = "CITATION_PIPELINE_MODELS"
_SHIPPED = Path(__file__).parent / "models.toml"
_KEYS = {"context", "output", "prices", "effort", "structured", "images"}
_IMAGES = {"edge", "pixels", "per_request", "pixels_per_token"}
_PRICES = {"input", "output", "cache_write", "cache_read", "up_to"}
_LOG = logging.getLogger(__name__)
_warned: set[str] = set()
# what a provider of other makers' models puts before a name, and a date or a version after it
_AROUND = r"(?:^|[./]){name}(?:[@:].*|-20\d{{6}}.*|-v\d+.*)?$"


class ModelFileError(PipelineError):
    """A file of model profiles that cannot be used; names the model, the key and what it takes."""


@dataclass(frozen=True, slots=True)
class ModelProfiles:
    """Profiles by name, and what is assumed of a model that has none."""

    known: Mapping[str, ModelProfile]
    defaults: ModelProfile

    def of(self, model: str) -> ModelProfile:
        """Return a model's profile; of an unknown one the defaults, with a warning once."""
        found = self.find(model)
        if found is not None:
            return replace(found, model=model)
        assumed = self.defaults
        if model not in _warned:
            _warned.add(model)
            _LOG.warning(
                "model %r has no profile: it is asked with a context of %d tokens and answers of at most %d, "
                "priced at $%.2f and $%.2f per million tokens read and written; give it a profile in the "
                "file that %s names",
                model[:100],
                assumed.context_tokens,
                assumed.output_tokens,
                assumed.prices[0].input,
                assumed.prices[0].output,
                VARIABLE,
            )
        return replace(assumed, model=model)

    def find(self, model: str) -> ModelProfile | None:
        """Return a model's profile by its name, or by the name within that of another provider."""
        if model in self.known:
            return self.known[model]
        within = [
            name for name in self.known if re.search(_AROUND.format(name=re.escape(name)), model) is not None
        ]
        return self.known[max(within, key=len)] if within else None

    def covering(self, *models: str | None) -> Mapping[str, ModelProfile]:
        """Return the profiles with one for each of these models."""
        return {**self.known, **{model: self.of(model) for model in models if model}}


def read_profiles(own: str = "") -> ModelProfiles:
    """Return the shipped profiles and those of a file of one's own; raises ModelFileError."""
    shipped = shipped_profiles()
    if not own:
        return shipped
    path = Path(own)
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelFileError(
            f"{VARIABLE}: {path.name} cannot be read ({type(error).__name__}): name a TOML file"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{VARIABLE}: {path.name} is no TOML: {error}") from error
    return _profiles(written, shipped, where=f"{VARIABLE}: {path.name}")


@cache
def shipped_profiles() -> ModelProfiles:
    """Return the profiles that come with the package."""
    nothing = ModelProfiles({}, ModelProfile("", 1, 1, (), effort=None))
    return _profiles(tomllib.loads(_SHIPPED.read_text(encoding="utf-8")), nothing, where=_SHIPPED.name)


def _profiles(written: Mapping[str, Any], base: ModelProfiles, *, where: str) -> ModelProfiles:
    if unknown := sorted(set(written) - {"defaults", "models"}):
        raise ModelFileError(f"{where}: there is no section {unknown[0]!r}: use [defaults] and [models.NAME]")
    defaults = written.get("defaults")
    models = written.get("models", {})
    if not isinstance(models, dict):
        raise ModelFileError(f"{where}: [models] holds one section a model: [models.NAME]")
    own = {name: _profile(name, said, where=f"{where}: [models.{name}]") for name, said in models.items()}
    return ModelProfiles(
        {**base.known, **own},
        base.defaults if defaults is None else _profile("", defaults, where=f"{where}: [defaults]"),
    )


def _profile(name: str, said: Any, *, where: str) -> ModelProfile:
    if not isinstance(said, dict) or (unknown := sorted(set(said) - _KEYS)):
        wrong = "" if not isinstance(said, dict) else f"there is no {unknown[0]!r}; "
        raise ModelFileError(f"{where}: {wrong}it takes {', '.join(sorted(_KEYS))}")
    effort = said.get("effort")
    if effort is not None and effort not in get_args(Effort):
        raise ModelFileError(f"{where}: effort is one of {', '.join(get_args(Effort))}, or left out")
    structured = said.get("structured", True)
    if not isinstance(structured, bool):
        raise ModelFileError(f"{where}: structured is true or false")
    prices = said.get("prices", [{"input": 0, "output": 0}])
    if not isinstance(prices, list) or not prices:
        raise ModelFileError(f"{where}: prices is a list of {{ input = …, output = … }}")
    return ModelProfile(
        name,
        _tokens(said, "context", where),
        _tokens(said, "output", where),
        tuple(_price(one, where) for one in prices),
        effort=effort,
        structured=structured,
        images=None if "images" not in said else _image_limits(said["images"], where),
    )


def _image_limits(said: Any, where: str) -> ImageLimits:
    if not isinstance(said, dict) or set(said) != _IMAGES:
        raise ModelFileError(f"{where}: images takes {', '.join(sorted(_IMAGES))}, or is left out")
    if not all(
        isinstance(value, int | float) and not isinstance(value, bool) and value >= 1
        for value in said.values()
    ):
        raise ModelFileError(f"{where}: each number of images is 1 or more")
    return ImageLimits(
        int(said["edge"]), int(said["pixels"]), int(said["per_request"]), float(said["pixels_per_token"])
    )


def _tokens(said: Mapping[str, Any], key: str, where: str) -> int:
    value = said.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 256:
        raise ModelFileError(f"{where}: {key} is a number of tokens, 256 or more")
    return value


def _price(said: Any, where: str) -> Price:
    if not isinstance(said, dict) or set(said) - _PRICES or not {"input", "output"} <= set(said):
        raise ModelFileError(f"{where}: a price takes input, output, cache_write, cache_read and up_to")
    numbers = {key: value for key, value in said.items() if key != "up_to"}
    if not all(
        isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        for value in numbers.values()
    ):
        raise ModelFileError(f"{where}: prices are dollars per million tokens, 0 or more")
    up_to = said.get("up_to")
    return Price(
        input=numbers["input"],
        output=numbers["output"],
        cache_write=numbers.get("cache_write", numbers["input"]),
        cache_read=numbers.get("cache_read", numbers["input"]),
        up_to=None if up_to is None else _tokens(said, "up_to", where),
    )

"""Pictures of pages on their way to a model: by digest in a request, drawn and put in when it is sent.

A request with digests is small, is found again in the archive without anything drawn, and can be kept and
logged about; the pictures themselves are in no file of ours.
"""

import json
import logging
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.whole_files import write_whole
from citation_pipeline.core.prompts.page_images import PageImage

PLACEHOLDER = "page_image"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ShownImage:
    """A picture in a prompt: the line before it, what it is drawn from, and the tokens it counts as."""

    label: str = field(repr=False)
    digest: str
    tokens: int

    def as_part(self) -> dict[str, Any]:
        """Return what stands for it in a request's content."""
        return {"type": PLACEHOLDER, "label": self.label, "digest": self.digest}


@dataclass(frozen=True, slots=True)
class DrawnImage:
    """An encoded picture."""

    data: bytes = field(repr=False)

    @property
    def media_type(self) -> str:
        """PNG or JPEG."""
        return "image/png" if self.data.startswith(b"\x89PNG") else "image/jpeg"

    @property
    def text(self) -> str:
        """The bytes as base64."""
        return b64encode(self.data).decode()


Draw = Callable[[PageImage], bytes | None]
"""Draws a page; None where it cannot be drawn."""
ImagePart = Callable[[DrawnImage], dict[str, Any]]
"""Gives the part of a message that a picture is, as a provider wants it."""


def filled(body: Mapping[str, Any], drawn: Mapping[str, DrawnImage], part_of: ImagePart) -> dict[str, Any]:
    """Return a body with its pictures; one that was not drawn is left out with its line."""

    def parts(content: Any) -> Any:
        if not isinstance(content, list):
            return content
        found: list[Any] = []
        for part in content:
            if part.get("type") != PLACEHOLDER:
                found.append(part)
            elif (image := drawn.get(part["digest"])) is not None:
                found += [{"type": "text", "text": part["label"]}, part_of(image)]
        return found

    messages = [{**message, "content": parts(message["content"])} for message in body["messages"]]
    return {**body, "messages": messages}


def count_images(scope: str) -> int:
    """Return how many pictures the request of a stored reply showed, by its scope."""
    try:
        said = json.loads(scope)
        return count_images(said["scope"]) if "scope" in said else len(said.get("images", ()))
    except (ValueError, TypeError, AttributeError):
        return 0  # of an extractor that keeps something else there


@dataclass(frozen=True, slots=True)
class _Known:
    takes_images: bool = True
    is_proven: bool = False


class ImageRefusals:
    """Which models take no pictures, whatever their profiles say: found out by asking, once, and kept.

    A refusal that does not name pictures counts where the model has never taken any.
    """

    def __init__(self, folder: Path, *, server: str) -> None:
        self._folder, self._server = folder, server

    def is_refused(self, model: str) -> bool:
        """Tell whether a model is asked without pictures."""
        return not self._read(model).takes_images

    def note_taken(self, model: str) -> None:
        """Remember that a model answered a request with pictures."""
        if not self._read(model).is_proven:
            self._write(model, takes_images=True)

    def note_refused(self, model: str, *, names_images: bool) -> None:
        """Remember that a request was answered only after its pictures were left out."""
        if names_images or not self._read(model).is_proven:
            self._write(model, takes_images=False)
            _LOG.warning(
                "model %r takes no pictures here: it is asked without them from now on. To try again, delete "
                "%s in the folder model_servers of the work dir",
                model[:100],
                self._path(model).name,
            )

    def _path(self, model: str) -> Path:
        return self._folder / f"{sha256(f'{self._server} {model}'.encode()).hexdigest()[:16]}.images.json"

    def _read(self, model: str) -> _Known:
        try:
            said = json.loads(self._path(model).read_bytes())
            return _Known(bool(said["takes_images"]), is_proven=bool(said["takes_images"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return _Known()

    def _write(self, model: str, *, takes_images: bool) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._path(model), json.dumps({"takes_images": takes_images}).encode())

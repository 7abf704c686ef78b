"""Pictures in requests to fake providers: read as a server reads them, and what they count as."""

import base64
import binascii
import io
from collections.abc import Mapping
from typing import Any

from PIL import Image

LONGEST_EDGE, MOST_BYTES, MOST_IMAGES = 8_000, 5_000_000, 100


class BadImageError(ValueError):
    """A picture that a server does not take."""


def images_in(body: Mapping[str, Any]) -> list[Image.Image]:
    """Return the pictures of a Messages or a Chat Completions body; raises BadImageError."""
    found = [
        read_image(part)
        for message in body.get("messages", ())
        for part in (message["content"] if isinstance(message.get("content"), list) else ())
        if part.get("type") in ("image", "image_url")
    ]
    if len(found) > MOST_IMAGES:
        raise BadImageError("too many images")
    return found


def read_image(part: Mapping[str, Any]) -> Image.Image:
    """Return one picture, whichever API it was written for."""
    if part["type"] == "image":
        kind, text = part["source"]["media_type"], part["source"]["data"]
    else:
        head, _, text = part["image_url"]["url"].partition(";base64,")
        kind = head.removeprefix("data:")
    try:
        data = base64.b64decode(text, validate=True)
        image = Image.open(io.BytesIO(data))
        image.load()
    except (binascii.Error, OSError) as error:
        raise BadImageError("Could not process image") from error
    if Image.MIME[image.format or ""] != kind or len(data) > MOST_BYTES or max(image.size) > LONGEST_EDGE:
        raise BadImageError("image exceeds the limits, or is of another type")
    return image


def tokens_of_images(body: Mapping[str, Any]) -> int:
    """Return what Claude counts for them."""
    return sum(-(-image.width * image.height // 750) for image in images_in(body))

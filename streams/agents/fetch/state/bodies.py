"""The body of a page as it is kept with the snapshot that was read in it, to be read again."""

import json
import zlib
from dataclasses import dataclass

from schemas.records.answers import Response


@dataclass(frozen=True, slots=True)
class KeptBody:
    """A body as it was received, and what reading it depends on besides the view."""

    body: bytes
    content_type: str | None
    url: str
    language: str


def packed_body(response: Response, url: str, most: int) -> bytes | None:
    """Compress the body of a response; None for one that takes more than ``most`` bytes then.

    ``url`` is the document's, for a response without one. Slow for a large body.

    >>> packed = packed_body(Response(200, b"Zeus", "text/plain"), "http://a.example/", 200)
    >>> unpacked_body(packed).body
    b'Zeus'
    """
    about = response.content_type, response.url or url, response.language
    packed = zlib.compress(json.dumps(about).encode() + b"\n" + response.body)
    return packed if len(packed) <= most else None


def unpacked_body(packed: bytes) -> KeptBody:
    """Decompress a body."""
    about, _, body = zlib.decompress(packed).partition(b"\n")
    return KeptBody(body, *json.loads(about))

"""A page as it was received, and its body as it is kept with the snapshot that was read in it."""

import json
import zlib
from dataclasses import dataclass

from schemas.records.answers import Response


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it was received ``at`` a time (epoch ms), before it is read.

    Its body is kept with a snapshot if it takes ``keep_bodies`` bytes at most. ``asks_password``
    is found out of pages that were requested with credentials.
    """

    response: Response
    body_hash: bytes
    at: int
    keep_bodies: int = 0
    asks_password: bool = False


def packed_body(response: Response, url: str, most: int) -> bytes | None:
    """Compress the body of a response; None for one that takes more than ``most`` bytes then.

    Its content type and language are kept, too: they decide how it is read. ``url`` is the
    document's, for a response without one. Slow for a large body.

    >>> packed = packed_body(Response(200, b"Zeus", "text/plain"), "http://a.example/", 200)
    >>> unpacked_body(packed).body
    b'Zeus'
    """
    if not most:
        return None
    about = response.content_type, response.url or url, response.language
    packed = zlib.compress(json.dumps(about).encode() + b"\n" + response.body)
    return packed if len(packed) <= most else None


def unpacked_body(packed: bytes) -> Response:
    """Decompress a body into the response that it came with, as far as reading depends on it."""
    about, _, body = zlib.decompress(packed).partition(b"\n")
    content_type, url, language = json.loads(about)
    return Response(200, body, content_type, url=url, language=language)

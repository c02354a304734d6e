"""Ids derived from content, so a repeated event has the same ids."""

import re
from hashlib import blake2b

ID_BEGINNING = re.compile(r"[0-9a-fA-F]{4,32}")
"""An id, or as much as people write of an id; no host with a domain looks like this."""


def content_id(*parts: str | int | bytes | None) -> str:
    """Hash the parts, in order, to 32 hexadecimal digits.

    No other parts have the same id: ``content_id("ab", "c") != content_id("a", "bc")``, and
    None differs from an empty string. Numbers are hashed as their digits.
    """
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        kind = b"n" if part is None else b"v"
        digest.update(kind + len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()

"""Ids derived from content, so that what is handled twice gets the same id."""

from hashlib import blake2b


def content_id(*parts: str | int | bytes | None) -> str:
    """Hash the parts, in order and told apart, to 32 hexadecimal digits."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        kind = b"n" if part is None else b"v"
        digest.update(kind + len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()

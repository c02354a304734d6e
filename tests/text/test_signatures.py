"""Mirrors are found without a comparison of each page with all."""

from base64 import b64decode, b64encode

import pytest
from xxhash import xxh32_hexdigest

from streams.text.signatures import COMPARED, Mirrors, signature_of


def text(changed: int, first: str = "other") -> str:
    """Return 1,000 words of which the last so many are others."""
    same = [f"word{number}" for number in range(1_000 - changed)]
    return " ".join([*same, *(f"{first}{number}" for number in range(changed))])


@pytest.mark.slow  # six seconds of a core
def test_pages_that_are_nearly_mirrors_are_compared_with_few_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mirrors = Mirrors()
    for number in range(2_000):  # 92 % the same
        base = b64decode(signature_of(text(40)))
        mirrors.put(f"/{number}", b64encode(base[:448] + number.to_bytes(64)).decode())
    compared: list[str] = []

    def is_alike(_mirrors: Mirrors, _own: bytes, other: str) -> bool:
        compared.append(other)
        return False

    monkeypatch.setattr(Mirrors, "_is_alike", is_alike)

    assert mirrors.of("/new", signature_of(text(40))) == ""
    assert 0 < len(compared) <= 9 * COMPARED


def test_the_same_text_is_found_among_any_number_that_are_nearly_mirrors() -> None:
    mirrors, base = Mirrors(), b64decode(signature_of(text(40)))
    for number in range(500):
        mirrors.put(f"/{number}", b64encode(base[:448] + number.to_bytes(64)).decode())
    mirrors.put("/print", signature_of(text(40)))

    assert mirrors.of("/new", signature_of(text(40))) == "/print"


def test_a_page_is_found_no_more_without_a_signature() -> None:
    mirrors = Mirrors()
    mirrors.put("/a", signature_of(text(0)))
    mirrors.put("/a", "")

    assert mirrors.of("/new", signature_of(text(0))) == ""
    assert mirrors.of("/new", "") == ""


def test_a_signature_is_that_of_earlier_releases() -> None:
    # It stands in tables. Computed with datasketch 2.0: MinHash(128, hashfunc=xxh32_intdigest).
    signature = b64decode(signature_of(text(0)))

    assert len(signature) == 512
    assert signature[:8].hex() == "4df1840095b32800"
    assert xxh32_hexdigest(signature) == "d4eed93f"

"""What the deployment states is signed, and only what it stated is accepted."""

from base64 import urlsafe_b64decode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from connectors.evidence_key import EvidenceKey, SignatureRefused, key_id, signed_statement

KEY, OTHER = EvidenceKey(b"k" * 32), EvidenceKey(b"o" * 32)
STATEMENT = {"made": "2026-11-23T00:00:00.000Z", "text": "caf\u00e9 \ud800 \U0001f600"}


def decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def test_the_key_follows_from_the_signing_key_and_reveals_no_private_part() -> None:
    assert EvidenceKey(b"k" * 32).public == KEY.public != OTHER.public
    assert KEY.public.keys() == {"kty", "crv", "x", "kid", "alg", "use"}
    assert key_id(KEY.public) == KEY.public["kid"] == KEY.id


def test_a_statement_comes_back_as_it_was_signed() -> None:
    assert signed_statement(KEY.sign(STATEMENT), KEY.public) == STATEMENT


def test_another_implementation_accepts_the_signature() -> None:
    head, payload, signature = KEY.sign(STATEMENT).split(".")
    key = Ed25519PublicKey.from_public_bytes(decoded(KEY.public["x"]))
    key.verify(decoded(signature), f"{head}.{payload}".encode())


def test_the_largest_statement_is_signed_and_accepted() -> None:
    large = {"text": "\U0001f600" * (4_000_000 // 12 - 10)}
    assert signed_statement(KEY.sign(large), KEY.public) == large


def test_a_signature_of_another_key_is_refused() -> None:
    with pytest.raises(SignatureRefused, match="not one of this key"):
        signed_statement(OTHER.sign(STATEMENT), KEY.public)


@given(st.integers(0, 200), st.characters(categories=["Lu", "Ll", "Nd"]))
def test_no_changed_character_of_a_signed_statement_is_accepted(at: int, other: str) -> None:
    signed = KEY.sign(STATEMENT)
    at %= len(signed)
    changed = signed[:at] + other + signed[at + 1 :]
    try:
        assert signed_statement(changed, KEY.public) == STATEMENT
        # The last character of Base64 has bits that count for nothing.
        assert changed == signed or at == len(signed) - 1
    except SignatureRefused:
        assert changed != signed


@pytest.mark.parametrize("signed", ["", "x", "a.b.c", "..", "é.é.é"])
def test_what_is_no_signature_is_refused(signed: str) -> None:
    with pytest.raises(SignatureRefused):
        signed_statement(signed, KEY.public)


@pytest.mark.parametrize(
    "key", [{}, {"kty": "OKP"}, {"kty": "oct", "k": "a2V5"}, KEY.public | {"x": 1}]
)
def test_what_is_no_public_key_is_refused(key: dict[str, object]) -> None:
    with pytest.raises(SignatureRefused):
        key_id(key)
    with pytest.raises(SignatureRefused):
        signed_statement(KEY.sign(STATEMENT), key)

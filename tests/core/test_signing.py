"""Webhook signatures, with the reference library as the judge."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from schemas.signing import secret, signature

KEY = b"k" * 32
NOW = int(datetime.now(UTC).timestamp())


def headers(signatures: str, at: int = NOW) -> dict[str, str]:
    return {
        "webhook-id": "5eed",
        "webhook-timestamp": str(at),
        "webhook-signature": signatures,
    }


@given(st.dictionaries(st.text(), st.text()))
def test_a_signature_is_verified_by_the_reference_library(content: dict[str, str]) -> None:
    body = json.dumps(content).encode()
    mine = secret(KEY, "s1", 0)
    signed = headers(signature(mine, "5eed", NOW, body))
    assert Webhook(mine).verify(body, signed) == content


@pytest.mark.parametrize("changed", ["body", "id", "time", "secret"])
def test_whatever_is_changed_on_the_way_is_noticed(changed: str) -> None:
    mine = secret(KEY, "s1", 0)
    sent = headers(signature(mine, "5eed", NOW, b"{}"), NOW + (changed == "time"))
    sent["webhook-id"] = "other" if changed == "id" else "5eed"
    judge = Webhook(secret(KEY, "s1", 1) if changed == "secret" else mine)
    with pytest.raises(WebhookVerificationError):
        judge.verify(b"[]" if changed == "body" else b"{}", sent)


def test_one_of_several_signatures_is_enough() -> None:
    old, new = secret(KEY, "s1", 0), secret(KEY, "s1", 1)
    both = " ".join(signature(each, "5eed", NOW, b"{}") for each in (old, new))
    assert Webhook(old).verify(b"{}", headers(both)) == {}
    assert Webhook(new).verify(b"{}", headers(both)) == {}


def test_every_subscription_rotation_and_deployment_has_a_secret_of_its_own() -> None:
    secrets = {secret(k, s, r) for k in (KEY, b"K" * 32) for s in ("s1", "s2") for r in (0, 1)}
    assert len(secrets) == 8
    assert secret(KEY, "s1", 0) == secret(KEY, "s1", 0)

"""Webhook signatures, with the reference library as the judge."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from schemas.codec.signing import BOTH_HOLD, fingerprint, secret, signature, signatures
from tests.fakes.notifications import NOTIFICATION

KEY = b"k" * 32


def current() -> int:
    """Epoch seconds, set by each test: the judge refuses what is five minutes old."""
    return int(datetime.now(UTC).timestamp())


def headers(signatures: str, at: int) -> dict[str, str]:
    return {
        "webhook-id": "5eed",
        "webhook-timestamp": str(at),
        "webhook-signature": signatures,
    }


@given(st.dictionaries(st.text(), st.text()))
def test_a_signature_is_verified_by_the_reference_library(content: dict[str, str]) -> None:
    body = json.dumps(content).encode()
    mine = secret(KEY, "s1", 0)
    now = current()
    signed = headers(signature(mine, "5eed", now, body), now)
    assert Webhook(mine).verify(body, signed) == content


@pytest.mark.parametrize("changed", ["body", "id", "time", "secret"])
def test_whatever_is_changed_on_the_way_is_noticed(changed: str) -> None:
    mine = secret(KEY, "s1", 0)
    now = current()
    sent = headers(signature(mine, "5eed", now, b"{}"), now + (changed == "time"))
    sent["webhook-id"] = "other" if changed == "id" else "5eed"
    judge = Webhook(secret(KEY, "s1", 1) if changed == "secret" else mine)
    with pytest.raises(WebhookVerificationError):
        judge.verify(b"[]" if changed == "body" else b"{}", sent)


def test_one_of_several_signatures_is_enough() -> None:
    old, new = secret(KEY, "s1", 0), secret(KEY, "s1", 1)
    now = current()
    both = " ".join(signature(each, "5eed", now, b"{}") for each in (old, new))
    assert Webhook(old).verify(b"{}", headers(both, now)) == {}
    assert Webhook(new).verify(b"{}", headers(both, now)) == {}


def test_every_subscription_rotation_and_deployment_has_a_secret_of_its_own() -> None:
    secrets = {secret(k, s, r) for k in (KEY, b"K" * 32) for s in ("s1", "s2") for r in (0, 1)}
    assert len(secrets) == 8
    assert secret(KEY, "s1", 0) == secret(KEY, "s1", 0)


def verified(rotation: int, rotated: int, now: int) -> list[int]:
    """Return the numbers of the first five secrets that verify what is sent at a time (epoch s)."""
    notified = replace(NOTIFICATION, rotation=rotation, rotated=rotated * 1000)
    sent = headers(signatures(KEY, notified, now, b"{}"), now)
    return [
        each for each in range(5) if is_verified(secret(KEY, notified.subscription, each), sent)
    ]


def is_verified(mine: str, sent: dict[str, str]) -> bool:
    try:
        Webhook(mine).verify(b"{}", sent)
    except WebhookVerificationError:
        return False
    return True


def test_a_notification_is_verified_by_the_secret_of_its_match_and_by_the_next() -> None:
    assert verified(0, 0, current()) == [0, 1]


def test_for_a_day_after_a_change_it_is_verified_by_the_secret_before_too() -> None:
    now = current()
    assert verified(2, now, now) == [1, 2, 3]
    assert verified(2, now - BOTH_HOLD + 1, now) == [1, 2, 3]
    assert verified(2, now - BOTH_HOLD, now) == [2, 3]


def test_a_fingerprint_tells_keys_apart_and_is_no_part_of_them() -> None:
    assert fingerprint(KEY) == fingerprint(KEY) != fingerprint(b"K" * 32)
    assert len(fingerprint(KEY)) == 16

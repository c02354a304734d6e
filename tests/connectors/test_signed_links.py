"""Tokens of links: signed here, not too old, and for what they say alone."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.signed_links import LINK_LIFETIME_S, MAX_TOKEN, LinkedAction, SignedLinks

KEY = b"k" * 32
STOP = LinkedAction("stop", "news-desk", "35ae")


def at(time: float, key: bytes = KEY) -> SignedLinks:
    return SignedLinks(key, lambda: time)


TOKEN = at(0).token(STOP)


def test_a_link_is_read_until_it_is_too_old() -> None:
    assert at(LINK_LIFETIME_S - 1).read(TOKEN) == STOP
    assert at(LINK_LIFETIME_S).read(TOKEN) is None


def test_the_key_of_another_deployment_signs_no_link_of_this_one() -> None:
    assert at(0, b"o" * 32).read(TOKEN) is None


@pytest.mark.parametrize(("old", "new"), [(b"news-desk", b"news-disk"), (b"stop", b"mute")])
def test_a_link_that_was_changed_is_not_read(old: bytes, new: bytes) -> None:
    text = urlsafe_b64decode(TOKEN + "=" * (-len(TOKEN) % 4))
    assert old in text
    assert at(0).read(urlsafe_b64encode(text.replace(old, new)).decode().rstrip("=")) is None


@given(st.one_of(st.text(), st.sampled_from(["A" * MAX_TOKEN, "A" * (MAX_TOKEN + 1), TOKEN[:-1]])))
def test_no_other_text_is_a_link(token: str) -> None:
    assert at(0).read(token) is None


@given(st.text(max_size=64), st.text(max_size=64))
def test_any_manager_and_id_is_read_as_it_was_signed(manager: str, subscription: str) -> None:
    linked = LinkedAction("pause", manager, subscription)
    assert at(0).read(at(1).token(linked)) == linked

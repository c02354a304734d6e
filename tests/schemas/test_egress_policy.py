"""Addresses, ports and URLs that may be asked."""

from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.egress_policy import EgressPolicy, is_public
from schemas.records.urls import canonical

HERE = Path(__file__).parent
PUBLIC = (HERE / "public_addresses.txt").read_text().split()
# What 3.11's ``is_global`` lets through is in here as well.
REFUSED = (HERE / "refused_addresses.txt").read_text().split()


def test_the_tables_of_addresses_are_long_enough_to_mean_something() -> None:
    assert len(set(PUBLIC) | set(REFUSED)) >= 60


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed(address: str) -> None:
    assert EgressPolicy().refusal(address, 443) is None


@pytest.mark.parametrize("address", REFUSED)
def test_a_private_or_reserved_address_is_refused(address: str) -> None:
    assert "private or reserved" in (EgressPolicy().refusal(address, 443) or "")


@given(st.ip_addresses())
def test_no_address_that_is_private_multicast_or_link_local_is_public(address: object) -> None:
    found = ip_address(str(address))
    if found.is_private or found.is_multicast or found.is_link_local or found.is_unspecified:
        assert not is_public(found)


def test_a_private_network_that_is_named_is_open_and_no_other() -> None:
    policy = EgressPolicy(["127.0.0.0/8", "fd00::/8"])
    assert policy.refusal("127.0.0.1", 80) is None
    assert policy.refusal("::ffff:127.0.0.1", 80) is None
    assert policy.refusal("fd00::1", 80) is None
    assert policy.refusal("10.0.0.1", 80)
    assert policy.refusal("::1", 80)


def test_a_network_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="loopback"):
        EgressPolicy(["loopback"])


@pytest.mark.parametrize(("port", "allowed"), [
    (80, True), (443, True), (1024, True), (65_535, True), (22, False), (25, False), (1023, False),
])  # fmt: skip
def test_of_the_low_ports_only_those_of_http_are_open(port: int, allowed: bool) -> None:
    assert (EgressPolicy().refusal("1.1.1.1", port) is None) == allowed


def test_a_low_port_that_is_named_is_open() -> None:
    assert EgressPolicy(ports=[81]).refusal("1.1.1.1", 81) is None
    assert EgressPolicy(ports=[81]).refusal("1.1.1.1", 82)


def test_our_own_ports_are_closed_where_only_a_setting_opens_the_network() -> None:
    policy = EgressPolicy(["127.0.0.0/8"], own=[9092])
    assert "own" in (policy.refusal("127.0.0.1", 9092) or "")
    assert policy.refusal("127.0.0.1", 9093) is None
    assert policy.refusal("1.1.1.1", 9092) is None


@pytest.mark.parametrize("url", [
    "http://127.0.0.1/", "http://localhost/", "http://LOCALHOST./", "http://a.localhost:8080/",
    "https://[::1]/", "http://[::ffff:10.0.0.1]/", "http://169.254.169.254/latest/meta-data/",
    "http://example.com:22/", "https://example.com:25/", "http://[fe80::1]:8080/",
])  # fmt: skip
def test_a_url_that_can_lead_nowhere_allowed_is_refused_without_a_look_up(url: str) -> None:
    assert EgressPolicy().url_refusal(canonical(url) or "")


@pytest.mark.parametrize("url", [
    "http://example.com/", "https://example.com/", "http://example.com:8080/a:1/", "http://1.1.1.1/",
    "https://[2606:4700::1111]/", "https://[2606:4700::1111]:8443/", "http://localhost.example/",
])  # fmt: skip
def test_any_other_url_may_be_asked(url: str) -> None:
    assert EgressPolicy().url_refusal(canonical(url) or "") is None

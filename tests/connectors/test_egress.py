"""The egress guard: which addresses may be connected to."""

import socket

import pytest

from connectors.http.egress import AddressRefused, EgressGuard


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_a_global_address_is_allowed(address: str) -> None:
    EgressGuard().check(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - it is to be refused
        "::",
        "255.255.255.255",
        "240.0.0.1",
        "224.0.0.1",
        "ff0e::1",
        "fe80::1",
        "fe80::1%lo",
        "fd00::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
    ],
)
def test_a_private_or_reserved_address_is_refused(address: str) -> None:
    with pytest.raises(AddressRefused, match="private or reserved"):
        EgressGuard().check(address)


def test_a_private_network_that_is_named_is_allowed_and_no_other() -> None:
    guard = EgressGuard(["127.0.0.0/8", "fd00::/8"])
    guard.check("127.0.0.1")
    guard.check("::ffff:127.0.0.1")
    guard.check("fd00::1")
    with pytest.raises(AddressRefused):
        guard.check("10.0.0.1")


def test_a_network_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="loopback"):
        EgressGuard(["loopback"])


def test_no_socket_is_opened_for_a_refused_address() -> None:
    info = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))
    with pytest.raises(AddressRefused):
        EgressGuard().socket(info)
    EgressGuard(["127.0.0.0/8"]).socket(info).close()

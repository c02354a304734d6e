"""Which addresses are this machine's own."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's loopback.

    >>> is_loopback("[::1]"), is_loopback("192.168.1.2")
    (True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"

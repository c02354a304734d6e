"""The connections that a server keeps."""

from hypothesis import given
from hypothesis import strategies as st

from connectors.serving.limits import ConnectionLimits, owner

STEPS = st.lists(
    st.tuples(st.sampled_from(["open", "serve", "served", "close"]), st.integers(0, 5)),
    max_size=60,
)


@given(STEPS)
def test_there_are_never_more_connections_than_allowed_and_none_that_is_served_is_closed(
    steps: list[tuple[str, int]],
) -> None:
    limits: ConnectionLimits[int] = ConnectionLimits(most=4, most_per_address=2)
    addresses: dict[int, int] = {}
    serving: set[int] = set()
    for number, (step, which) in enumerate(steps):
        chosen = sorted(addresses)[which % len(addresses)] if addresses else None
        if step == "open":
            loser = limits.admit(number, str(which % 3))
            assert loser not in serving
            addresses[number] = which % 3
            if loser is not None:
                del addresses[loser]
        elif chosen is not None and step == "serve":
            limits.serve(chosen)
            serving.add(chosen)
        elif chosen is not None and step == "served":
            limits.served(chosen)
            serving.discard(chosen)
        elif chosen is not None:
            limits.forget(chosen)
            serving.discard(chosen)
            del addresses[chosen]
        assert len(limits) == len(addresses) <= 4
        assert max(map(list(addresses.values()).count, addresses.values()), default=0) <= 2


def test_the_connection_that_has_waited_longest_makes_room() -> None:
    limits: ConnectionLimits[str] = ConnectionLimits(most=3, most_per_address=3)
    for name in ("first", "second", "third"):
        assert limits.admit(name, name) is None
    limits.serve("first")
    limits.serve("second")
    limits.served("first")
    assert limits.admit("fourth", "fourth") == "third"
    assert limits.admit("fifth", "fifth") == "first"


def test_an_address_with_too_many_connections_loses_its_own() -> None:
    limits: ConnectionLimits[str] = ConnectionLimits(most=9, most_per_address=2)
    limits.admit("other", "192.0.2.9")
    for name in ("first", "second"):
        limits.admit(name, "192.0.2.1")
    assert limits.admit("third", "192.0.2.1") == "first"


def test_a_reverse_proxy_on_this_machine_may_have_all_connections() -> None:
    limits: ConnectionLimits[int] = ConnectionLimits(most=9, most_per_address=2)
    hosts = "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"
    for number in range(8):
        assert limits.admit(number, owner(hosts[number % 4])) is None
    assert limits.admit(8, owner("192.0.2.1")) is None
    assert limits.admit(9, owner("127.0.0.1")) == 0, "the number of all still holds"
    assert limits.addresses == {"192.0.2.1"}


def test_a_new_connection_is_refused_while_all_others_are_served() -> None:
    limits: ConnectionLimits[str] = ConnectionLimits(most=1, most_per_address=1)
    limits.admit("first", "192.0.2.1")
    limits.serve("first")
    assert limits.admit("second", "192.0.2.1") == "second"
    assert limits.admit("third", "192.0.2.2") == "third"
    limits.forget("first")
    assert limits.admit("fourth", "192.0.2.2") is None


def test_an_address_without_a_connection_is_not_remembered() -> None:
    limits: ConnectionLimits[int] = ConnectionLimits(most=2, most_per_address=2)
    for number in range(100_000):
        limits.admit(number, str(number))
    assert limits.addresses == {"99998", "99999"}


def test_an_owner_of_a_network_of_ipv6_is_one_owner() -> None:
    assert owner("2001:db8::1") == owner("2001:db8::ffff:1") != owner("2001:db8:0:1::1")
    assert owner("::ffff:192.0.2.1") != owner("::ffff:192.0.2.2")
    assert owner("fe80::1%eth0") == "fe80::"

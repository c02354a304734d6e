"""The register's memory of one partition."""

from dataclasses import replace

from schemas.codec import wire
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.table_rows import Ending, Registration
from streams.agents.match.register.ends import MOST
from streams.agents.match.register.memory import DAY, SWEEP, RegisterMemory

SUBSCRIPTION = Subscription("i", "w", "m", "u", "u", Receiver("c"), ("k",), Options(interval=60), 0)


def ended(at: int, manager: str = "m") -> Registration:
    return Registration(None, (), (), at, manager=manager)


def active(at: int) -> Registration:
    return Registration(SUBSCRIPTION, (), (), at)


def test_registrations_are_kept_by_url() -> None:
    registry = RegisterMemory()
    registry.put(b"u\x001", active(1))
    registry.load(b"u\x002", wire.encode(ended(2)))
    registry.put(b"v\x001", active(3))
    assert registry.of("u") == {b"u\x001": active(1), b"u\x002": ended(2)}
    assert registry.of("v") == {b"v\x001": active(3)}
    assert registry.of("w") == {}


def test_a_sweep_forgets_what_ended_more_than_a_day_ago() -> None:
    registry = RegisterMemory()
    registry.put(b"u\x001", ended(10))
    registry.put(b"u\x002", active(10))
    assert registry.sweep(10 + DAY) == ()
    assert registry.sweep(11 + DAY) == (b"u\x001",)
    assert registry.of("u") == {b"u\x002": active(10)}
    assert registry.sweep(11 + DAY) == ()


def test_a_sweep_spares_what_was_taken_up_or_ended_again_since() -> None:
    registry = RegisterMemory()
    for key in (b"u\x001", b"u\x002"):
        registry.put(key, ended(0))
    registry.put(b"u\x001", active(5))
    registry.put(b"u\x002", ended(5 + DAY))
    assert registry.sweep(6 + DAY) == ()
    assert registry.sweep(6 + 2 * DAY) == (b"u\x002",)
    assert registry.of("u") == {b"u\x001": active(5)}


def test_a_sweep_spares_what_has_ended_until_its_end_is_published() -> None:
    registry = RegisterMemory()
    ending = replace(ended(10), ending=Ending("gone", SUBSCRIPTION))
    registry.load(b"u\x001", wire.encode(ending))
    assert registry.sweep(11 + DAY) == ()
    registry.put(b"u\x001", replace(ending, ending=None))
    assert registry.sweep(11 + DAY) == (b"u\x001",)
    assert registry.of("u") == {}


def test_a_sweep_does_a_little_at_a_time_oldest_first_and_gets_all() -> None:
    registry = RegisterMemory()
    keys = [f"u{number}\0".encode() for number in range(2 * SWEEP + 1)]
    for at, key in reversed(list(enumerate(keys))):
        registry.put(key, ended(at))
    swept = [registry.sweep(2 * DAY) for _ in range(4)]
    assert [len(gone) for gone in swept] == [SWEEP, SWEEP, 1, 0]
    assert [key for gone in swept for key in gone] == keys
    assert registry.of("u0") == {}


def test_of_a_manager_only_so_many_ends_are_remembered_and_none_of_others_goes_for_them() -> None:
    registry = RegisterMemory()
    registry.put(b"other\0", ended(0, "other"))
    for at in range(MOST + 10):
        registry.put(f"u{at}\0".encode(), ended(at))
        registry.put(f"gone{at}\0".encode(), ended(at))
        swept = registry.sweep(at)
        assert len(registry.urls()) <= MOST + 1
    assert set(swept) == {f"{name}{MOST // 2 + 9}\0".encode() for name in ("gone", "u")}
    assert "other" in registry.urls()
    assert registry.sweep(2 * DAY) == (b"other\0", b"gone%d\0" % (MOST // 2 + 10))


def test_a_full_manager_that_is_loaded_shrinks_with_each_decision() -> None:
    registry = RegisterMemory()
    for at in reversed(range(MOST + 2 * SWEEP)):
        registry.load(f"u{at}\0".encode(), wire.encode(ended(at)))
    assert [registry.sweep(0) for _ in range(3)] == [(b"u0\0", b"u1\0"), (b"u2\0", b"u3\0"), ()]
    assert len(registry.urls()) == MOST


def test_a_renamed_subscription_is_found_in_its_new_row_whatever_is_loaded_before() -> None:
    registry = RegisterMemory()
    for key, row in ((b"u\0old", active(1)), (b"u\0new", active(2)), (b"u\0old", ended(2))):
        registry.load(key, wire.encode(row))
    assert registry.key(SUBSCRIPTION.id) == b"u\0new"
    assert registry.current(SUBSCRIPTION) == SUBSCRIPTION
    assert len(registry) == 1

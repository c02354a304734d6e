"""Credentials at rest, in both stores: encrypted, for their owner, renewed by visits."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from connectors.credentials.errors import CredentialsUnusable, TooManyCredentials
from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.vault import CACHED_S, MOST, TRIES, USE_NOTED_MS, Vault
from connectors.stores.opening import Store, open_store
from schemas.records.credentials import SealedCredentials
from tests.harness.stores import Place, mongodb_is_slow

KEY = b"k" * 32
URL = "http://a.test/"
HEADER = parse_credentials({"for": URL, "header": "Authorization: Bearer hush-hush"})
COOKIES = parse_credentials({"cookies": "a.test\tFALSE\t/\tFALSE\t0\ts\thush-hush"})


class Now:
    """A clock (epoch ms) that stands still until it is moved."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def clock(self) -> int:
        return self.ms

    def timer(self) -> float:
        return self.ms / 1000


@pytest.fixture
def now() -> Now:
    return Now()


@pytest_asyncio.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.url)
    yield store
    await store.close()


def vault(store: Store, now: Now, key: bytes | None = KEY) -> Vault:
    return Vault(store.credentials, lambda: key, now.clock, now.timer)


def contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.iterdir() if path.is_file()]


async def sent(vault: Vault, name: str = "news", manager: str = "desk") -> dict[str, str]:
    return dict((await vault.login(manager, name, URL)).headers(URL))


async def test_what_was_put_is_used_by_every_process_with_the_key(store: Store, now: Now) -> None:
    row = await vault(store, now).put("desk", "news", HEADER)
    assert (row.kind, row.sent_to, row.set_at) == ("header", "http://a.test", now.ms)
    assert await sent(vault(store, now)) == {"Authorization": "Bearer hush-hush"}


async def test_nothing_of_a_secret_is_in_the_files_of_the_store(tmp_path: Path, now: Now) -> None:
    store = await open_store(f"sqlite:{tmp_path / 'store.db'}")
    for name, given in (("a", HEADER), ("b", COOKIES)):
        await vault(store, now).put("desk", name, given)
        await sent(vault(store, now), name)
    files = contents(tmp_path)
    await store.close()
    files += contents(tmp_path)
    assert any(b"http://a.test" in content for content in files), "the right files"
    assert not any(b"hush" in content for content in files)


async def test_another_key_or_none_is_an_error_that_says_what_to_do(store: Store, now: Now) -> None:
    await vault(store, now).put("desk", "news", HEADER)
    with pytest.raises(CredentialsUnusable, match="news were encrypted with another signing key"):
        await sent(vault(store, now, b"x" * 32))
    with pytest.raises(CredentialsUnusable, match="does not have the deployment's signing key"):
        await sent(vault(store, now, None))
    with pytest.raises(CredentialsUnusable, match="does not have the deployment's signing key"):
        await vault(store, now, None).put("desk", "news", HEADER)


async def test_a_key_that_another_process_creates_later_is_used(store: Store, now: Now) -> None:
    await vault(store, now).put("desk", "news", HEADER)
    keys: list[bytes | None] = [None]
    using = Vault(store.credentials, lambda: keys[-1], now.clock, now.timer)
    with pytest.raises(CredentialsUnusable):
        await sent(using)
    keys.append(KEY)
    assert await sent(using) == {"Authorization": "Bearer hush-hush"}


async def test_credentials_that_do_not_exist_are_an_error_with_their_name(
    store: Store, now: Now
) -> None:
    await vault(store, now).put("desk", "news", HEADER)
    for manager, name in (("desk", "other"), ("other", "news")):
        with pytest.raises(CredentialsUnusable, match=f"credentials {name} do not exist"):
            await sent(vault(store, now), name, manager)


async def test_a_row_that_was_moved_to_another_manager_is_of_no_use_there(
    store: Store, now: Now
) -> None:
    await vault(store, now).put("desk", "news", HEADER)
    row = await store.credentials.get("desk", "news")
    assert row is not None
    stolen = SealedCredentials("thief", "news", row.kind, row.sent_to, 1, sealed=row.sealed)
    await store.credentials.put(stolen, MOST)
    with pytest.raises(CredentialsUnusable):
        await sent(vault(store, now), manager="thief")


async def test_new_credentials_are_used_within_seconds_though_the_old_ones_are_cached(
    store: Store, now: Now
) -> None:
    using = vault(store, now)
    await vault(store, now).put("desk", "news", HEADER)
    await sent(using)
    again = parse_credentials({"for": URL, "header": "Authorization: Bearer new"})
    await vault(store, now).put("desk", "news", again)
    now.ms += round(CACHED_S * 1000) + 1
    assert await sent(using) == {"Authorization": "Bearer new"}
    await store.credentials.remove("desk", "news")
    now.ms += round(CACHED_S * 1000) + 1
    with pytest.raises(CredentialsUnusable):
        await sent(using)


@mongodb_is_slow
async def test_a_manager_has_a_hundred_credentials_at_most(store: Store, now: Now) -> None:
    putting = vault(store, now)
    for number in range(MOST):
        await putting.put("desk", f"n{number}", HEADER)
    with pytest.raises(TooManyCredentials, match="100"):
        await putting.put("desk", "another", HEADER)
    await putting.put("desk", "n7", COOKIES)


async def test_the_last_use_is_noted_every_ten_minutes(store: Store, now: Now) -> None:
    using, began = vault(store, now), now.ms
    await using.put("desk", "news", HEADER)
    for _ in range(3):
        await sent(using)
        now.ms += USE_NOTED_MS // 2
    (row,) = await store.credentials.all_of("desk")
    assert row.used_at == began + USE_NOTED_MS


async def test_renewed_cookies_are_used_at_once_here_and_soon_by_another_worker(
    store: Store, now: Now
) -> None:
    here, there = vault(store, now), vault(store, now)
    await here.put("desk", "news", COOKIES)
    assert await sent(there) == {"Cookie": "s=hush-hush"}
    login = await here.login("desk", "news", URL)
    login.note(URL, ["s=renewed; Path=/"])
    assert login.headers(URL) == {"Cookie": "s=renewed"}, "within the visit, too"
    await here.keep(login)
    assert await sent(here) == {"Cookie": "s=renewed"}
    now.ms += round(CACHED_S * 1000) + 1
    assert await sent(there) == {"Cookie": "s=renewed"}


async def test_two_workers_that_renew_at_once_lose_neither_cookie(store: Store, now: Now) -> None:
    here, there = vault(store, now), vault(store, now)
    await here.put("desk", "news", COOKIES)
    logins = [await each.login("desk", "news", URL) for each in (here, there)]
    for number, login in enumerate(logins):
        login.note(URL, [f"n{number}=1; Path=/"])
    await here.keep(logins[0])
    await there.keep(logins[1])
    assert await sent(there) == {"Cookie": "s=hush-hush; n0=1; n1=1"}


async def test_a_visit_that_began_before_credentials_were_set_again_renews_nothing(
    store: Store, now: Now
) -> None:
    using = vault(store, now)
    await using.put("desk", "news", COOKIES)
    login = await using.login("desk", "news", URL)
    login.note(URL, ["s=of-the-old-session; Path=/"])
    now.ms += round(CACHED_S * 1000) + 1
    await using.put("desk", "news", COOKIES)
    await using.keep(login)
    assert await sent(using) == {"Cookie": "s=hush-hush"}
    await store.credentials.remove("desk", "news")
    now.ms += round(CACHED_S * 1000) + 1
    await using.keep(login)
    assert await store.credentials.get("desk", "news") is None


class Counting:
    """A store's credentials, counting the writes; with ``rival`` each is one too late."""

    def __init__(self, store: Store, rival: bool = False) -> None:
        self._store = store.credentials
        self._rival = rival
        self.writes = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def renew(self, row: SealedCredentials) -> bool:
        self.writes += 1
        return not self._rival and await self._store.renew(row)


async def test_a_visit_writes_once_and_only_what_has_changed(store: Store, now: Now) -> None:
    counting = Counting(store)
    using = Vault(counting, lambda: KEY, now.clock, now.timer)  # type: ignore[arg-type]  # all else is the store's
    await using.put("desk", "news", COOKIES)
    for values in (["a", "b"], ["b"], ["b", "b"], []):
        login = await using.login("desk", "news", URL)
        for value in values:
            login.note(URL, [f"s={value}; Path=/"])
        await using.keep(login)
    assert counting.writes == 1


async def test_a_renewal_that_others_always_overtake_is_given_up(store: Store, now: Now) -> None:
    counting = Counting(store, rival=True)
    using = Vault(counting, lambda: KEY, now.clock, now.timer)  # type: ignore[arg-type]  # all else is the store's
    await using.put("desk", "news", COOKIES)
    login = await using.login("desk", "news", URL)
    login.note(URL, ["s=b; Path=/"])
    await using.keep(login)
    assert counting.writes == TRIES

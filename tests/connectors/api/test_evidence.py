"""Evidence has where a notification comes from, and every change to it is found."""

import json
from collections.abc import AsyncIterator
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from connectors.api.history.evidence import EvidenceHandlers, EvidenceSource, check_evidence
from connectors.evidence_key import EvidenceKey, SignatureRefused
from connectors.stores.opening import Store, open_store
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import Coverage, CrawlOptions
from schemas.records.documents import Document
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Options, Receiver
from streams.values.ids import content_id
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.regions import removed
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.api import serving_api

KEY = EvidenceKey(b"k" * 32)
OLD, NEW = "Greek giants: Argus", "Giants: Argus \ud800"
BODY = "ab" * 32
NAME = content_id("c1", "s1")
CHANGE = DocumentChanged(
    "c1", URL, "s1", 2000, 0, "text/html", "en", (removed("Greek"),), 2000, body_sha256=BODY
)
NOTIFIED = replace(
    NOTIFICATION,
    id=NAME,
    change="c1",
    subscription="s1",
    manager="default",
    receiver=Receiver("https://hook.example/token-4711"),
    tags=("private",),
    at=2000,
)
FIRST = Document(URL, "s1", 1000, 1, OLD, "text/html", "en", read_at=1000)
SECOND = replace(FIRST, slot=2000, version=2, text=NEW, read_at=2000)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await open_store(f"sqlite:{tmp_path / 'store.db'}", history=10)
    await store.read_side.record([subscribed(at=1000), CHANGE, NOTIFIED])
    yield store
    await store.close()


def source(store: Store) -> EvidenceSource:
    return EvidenceSource(store.subscriptions, store.facts, store.texts, KEY, lambda: 3000)


async def read_twice(store: Store) -> None:
    assert await store.snapshots.compare_and_set(FIRST, 0)
    assert await store.snapshots.compare_and_set(SECOND, 1)


async def evidence_of(store: Store, name: str = NAME) -> Any:
    build = await source(store).load("default", name)
    assert build is not None
    return json.loads(json.dumps(build()))


async def test_evidence_has_the_hashes_of_the_bytes_and_of_both_texts(store: Store) -> None:
    await read_twice(store)
    found = await evidence_of(store)
    statement = found["statement"]
    assert found["texts"] == {"before": OLD, "after": NEW}
    digests = [sha256(each.encode("utf-8", "surrogatepass")).hexdigest() for each in (OLD, NEW)]
    assert [statement[side]["sha256"] for side in ("before", "after")] == digests
    assert statement["change"]["bodySha256"] == BODY
    assert statement["change"]["at"] == statement["after"]["at"] == "1970-01-01T00:00:02.000Z"
    assert statement["notification"]["id"] == NAME
    assert statement["made"] == "1970-01-01T00:00:03.000Z"
    assert check_evidence(found) == check_evidence(found, KEY.id) == statement


async def test_a_page_that_a_crawl_covers_has_evidence_of_its_own_change(store: Store) -> None:
    page = f"{URL}page"
    change, notified = replace(CHANGE, id="c2", url=page), replace(NOTIFIED, id="n2", change="c2")
    covered = PageAdded(Coverage("s1", URL, URL, 1), "default", page, None, 1000, since=1000)
    await store.read_side.record([covered, change, replace(notified, document=page)])
    for version, each in enumerate((FIRST, SECOND)):
        assert await store.snapshots.compare_and_set(replace(each, url=page), version)

    found = await evidence_of(store, "n2")

    assert found["statement"]["change"]["id"] == "c2"
    assert found["texts"] == {"before": OLD, "after": NEW}
    assert check_evidence(found) == found["statement"]


async def test_the_address_and_the_tags_of_the_receiver_are_not_in_it(store: Store) -> None:
    shown = json.dumps(await evidence_of(store))
    assert "4711" not in shown
    assert "private" not in shown


async def test_what_is_not_kept_any_more_is_null(store: Store) -> None:
    found = await evidence_of(store)
    assert found["texts"] == {"before": None, "after": None}
    assert found["statement"]["change"]["id"] == "c1"
    assert check_evidence(found) == found["statement"]


async def test_a_test_has_no_change(store: Store) -> None:
    await store.read_side.record([replace(NOTIFIED, id="n2", change="t1", test=True)])
    found = await evidence_of(store, "n2")
    assert (found["statement"]["change"], found["statement"]["before"]) == (None, None)


async def test_a_change_of_one_of_several_pages_is_found_in_the_view_in_which_it_was_seen(
    store: Store,
) -> None:
    await read_twice(store)
    wide = subscribed(key="wide", url="pages:*", document_url="pages:*", watch=None, at=1000)
    others = [
        subscribed(key=f"other{number}", receiver=Receiver(session=f"{number}"), view_id="v9")
        for number in range(60)
    ]
    found = replace(NOTIFIED, id="n3", subscription="wide", url=URL, pages="pages:*")
    test = replace(found, id="n4", change="t1", test=True)
    await store.read_side.record([wide, *others, found, test])
    evidence = await evidence_of(store, "n3")
    statement = evidence["statement"]
    assert evidence["texts"] == {"before": OLD, "after": NEW}
    assert statement["change"]["bodySha256"] == BODY
    assert statement["notification"]["pages"] == "pages:*"
    assert check_evidence(evidence) == statement
    assert (await evidence_of(store, "n4"))["statement"]["change"] is None


@pytest.mark.parametrize("is_removed", [True, False])
async def test_a_change_of_a_page_that_crawls_alone_watch_is_found(
    store: Store, is_removed: bool
) -> None:
    wide = subscribed(key="wide", url="pages:*", document_url="pages:*", watch=None, at=1000)
    options = Options(crawl=CrawlOptions(depth=1))
    crawls = [
        subscribed(key=f"crawl{number}", at=1000, view_id=view, options=options, manager=manager)
        for number, (view, manager) in enumerate(
            [("", "other"), ("v9", "default"), ("", "default")]
        )
    ]
    page = f"{URL}page"
    facts: list[Any] = [wide, *crawls]
    for crawl in ("crawl1", "crawl2"):
        covered = Coverage(crawl, URL, URL, 1)
        facts.append(PageAdded(covered, "default", page, None, 1000, since=1000))
        if is_removed:
            facts.append(PageRemoved(crawl, "default", "gone", page, None, 2500, since=1000))
    notified = replace(
        NOTIFIED, id="n5", change="c5", subscription="wide", url=page, pages="pages:*"
    )
    await store.read_side.record([*facts, replace(CHANGE, id="c5", url=page), notified])
    for version, each in enumerate((FIRST, SECOND)):
        assert await store.snapshots.compare_and_set(replace(each, url=page), version)

    found = await evidence_of(store, "n5")

    assert found["statement"]["change"]["id"] == "c5"
    assert found["texts"] == {"before": OLD, "after": NEW}


async def test_a_change_from_before_a_page_was_watched_by_itself_is_found_with_its_crawl(
    store: Store,
) -> None:
    """A later crawl of the same view, and the page's own subscription, have not seen it."""
    wide = subscribed(key="wide", url="pages:*", document_url="pages:*", watch=None, at=1000)
    options, page = Options(crawl=CrawlOptions(depth=1)), f"{URL}page"
    crawls = [
        subscribed(key=key, at=at, options=options, receiver=Receiver(session=key))
        for key, at in (("early", 1000), ("late", 5000))
    ]
    covered = [
        PageAdded(Coverage(key, URL, URL, 1), "default", page, None, at, since=at)
        for key, at in (("early", 1000), ("late", 5000))
    ]
    own = subscribed(key="own", at=6000, url=page, document_url=page)
    notified = replace(
        NOTIFIED, id="n6", change="c6", subscription="wide", url=page, pages="pages:*"
    )
    change = replace(CHANGE, id="c6", url=page)
    await store.read_side.record([wide, *crawls, *covered, own, change, notified])
    assert (await evidence_of(store, "n6"))["statement"]["change"]["id"] == "c6"


async def test_a_notification_of_another_manager_is_not_found(store: Store) -> None:
    assert await source(store).load("other", NAME) is None
    assert await source(store).load("default", "n9") is None


async def test_each_change_to_evidence_is_found(store: Store) -> None:
    await read_twice(store)
    evidence = await evidence_of(store)
    changes: list[tuple[list[str], object]] = [
        (["statement", "made"], "1970-01-01T00:00:00.000Z"),
        (["statement", "change", "bodySha256"], "cd" * 32),
        (["statement", "before", "sha256"], "cd" * 32),
        (["texts", "before"], OLD + " "),
        (["texts", "after"], None),
        (["key"], EvidenceKey(b"o" * 32).public),
        (["key"], {}),
        (["key", "kid"], EvidenceKey(b"o" * 32).id),
        (["texts", "before"], 7),
        (["signature"], EvidenceKey(b"o" * 32).sign(evidence["statement"])),
        (["signature"], ""),
        (["texts"], {}),
        (["statement"], []),
    ]
    for path, value in changes:
        changed = deepcopy(evidence)
        place = changed
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
        with pytest.raises(SignatureRefused):
            check_evidence(changed)


async def test_a_text_without_a_hash_in_the_statement_is_refused(store: Store) -> None:
    evidence = await evidence_of(store)
    evidence["texts"]["before"] = "Zeus"
    with pytest.raises(SignatureRefused, match="before"):
        check_evidence(evidence)


async def test_evidence_of_another_deployment_is_refused_if_its_key_is_known(store: Store) -> None:
    with pytest.raises(SignatureRefused, match="another key"):
        check_evidence(await evidence_of(store), EvidenceKey(b"o" * 32).id)


@pytest.mark.parametrize("value", [None, [], {}, "x", {"statement": {}}])
def test_what_is_no_evidence_is_refused(value: object) -> None:
    with pytest.raises(SignatureRefused, match="no evidence"):
        check_evidence(value)


@pytest.mark.parametrize(
    "statement",
    [{}, {"before": None}, {"before": "x", "after": None}, {"before": None, "after": [1]}],
)
def test_what_somebody_signed_that_is_no_evidence_is_refused(statement: dict[str, Any]) -> None:
    signed = {"statement": statement, "signature": KEY.sign(statement), "key": KEY.public}
    with pytest.raises(SignatureRefused, match="is not in its statement"):
        check_evidence({**signed, "texts": {}})


@pytest.mark.filterwarnings("ignore:Bare functions")
async def test_rest_answers_with_evidence_and_with_the_key(store: Store, tmp_path: Path) -> None:
    handlers = EvidenceHandlers(source(store))
    serving = serving_api(tmp_path / "keys.json", evidence=handlers)
    async with serving as api, ClientSession() as http:
        async with http.get(f"{api}/evidence/{NAME}") as response:
            assert check_evidence(await response.json(), KEY.id)["notification"]["id"] == NAME
        async with http.get(f"{api}/evidence-key") as response:
            assert await response.json() == KEY.public
        async with http.get(f"{api}/evidence/n9") as response:
            assert (response.status, (await response.json())["code"]) == (404, "11")

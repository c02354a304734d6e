"""The largest documents that may be stored; MongoDB's rows end at 16 MB."""

from dataclasses import replace
from random import Random

from connectors.stores.opening import Store
from schemas.codec.wire import encode
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document, Unpublished
from streams.agents.fetch.state.changes import MAX_PART
from streams.agents.fetch.state.snapshots import MAX_TEXT
from tests.fakes.regions import changed
from tests.harness.stores import Place, mongodb_is_slow

URL = "http://example.test/"


def noise(count: int, seed: int) -> str:
    """So many letters that compression hardly makes fewer."""
    letters = Random(seed).randbytes(count)  # noqa: S311 - no secret, but the same each time
    return letters.translate(bytes(33 + n % 94 for n in range(256))).decode()


LARGEST = noise(MAX_TEXT, 1)


def record(part: int) -> bytes:
    """A part of a change, as large as it may be."""
    region = changed(*(noise(MAX_PART // 2, 10 * part + side) for side in (1, 2)))
    return encode(DocumentChanged(f"c{part}", URL, "w", 2, part, "text/plain", "en", (region,), 2))


@mongodb_is_slow
async def test_the_largest_snapshot_and_all_parts_of_its_change_are_set_at_once(
    store: Store,
) -> None:
    parts = (record(0), b"small")
    document = Document(URL, "w", 1, 1, text=LARGEST)
    changed = replace(document, slot=2, version=2, text=LARGEST[::-1], unpublished=parts)
    assert await store.snapshots.compare_and_set(document, 0)
    assert not await store.snapshots.compare_and_set(changed, 7)
    assert await store.snapshots.document(URL) == document
    assert await store.snapshots.compare_and_set(changed, 1)
    assert await store.snapshots.document(URL) == changed
    assert await store.snapshots.unpublished() == [Unpublished(URL, 2, parts)]
    await store.snapshots.clear_unpublished(URL, 2)
    assert await store.snapshots.unpublished() == []
    assert await store.snapshots.document(URL) == replace(changed, unpublished=())


@mongodb_is_slow
async def test_the_largest_change_can_be_recorded(store: Store, place: Place) -> None:
    regions = (changed(LARGEST, LARGEST[::-1]),)
    fact = DocumentChanged("c", URL, "w", 2, 0, "text/plain", "en", regions, 2)
    await store.read_side.record([fact])
    [(_, name, kept)] = place.history()
    assert (name, kept["regions"][0]["removed"]["text"]) == ("c", LARGEST)

"""One document with one snapshot, for the API."""

from collections import Counter

from connectors.stores.pages import ListingPage
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Snapshot
from schemas.records.numbers import NumberPoint

PAGE = "https://example.org/giants"
SNAPSHOT = Snapshot(PAGE, 1, None, "text/html", "en")


class OneText:
    """A TextReader that counts in ``asked`` how often each of its methods is called."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def documents(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        self.asked["documents"] += 1
        return ListingPage(((PAGE, SNAPSHOT),), None)

    async def snapshots(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Snapshot] | None:
        self.asked["snapshots"] += 1
        return ListingPage((SNAPSHOT,), None)

    async def snapshot(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, str] | None:
        self.asked["snapshot"] += 1
        return SNAPSHOT, "Greek giants"

    async def differences(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        self.asked["differences"] += 1
        return SNAPSHOT, ()

    async def numbers(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[NumberPoint] | None:
        self.asked["numbers"] += 1
        return ListingPage((NumberPoint(1, "19.90", "EUR"),), None)

    async def picture(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> bytes | None:
        self.asked["picture"] += 1
        return b"a picture"

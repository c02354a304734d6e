"""Very many watches in all their states, with tags, changes and receivers, for pictures."""

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from connectors.stores.opening import Store
from schemas.records.changes import DocumentChanged
from schemas.records.deliveries import AttemptFailed, Delivered
from schemas.records.documents import Document
from schemas.records.facts import Fact
from schemas.records.judgements import Suppressed
from schemas.records.subscription_facts import Expired, Subscribed
from schemas.records.subscriptions import Options, Receiver
from schemas.records.watches import Watch
from streams.diff.regions import changed_regions
from streams.text.change_terms import change_terms
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscription

DAY_MS = 86_400_000
HOSTS = ("shop.example.com", "jobs.example.org", "terms.example.net", "status.example.net")
TITLES = ("Aurora desk lamp", "Open positions", "Terms of service", "Status of all systems")
WORDS = (("price", "sold out"), ("engineer", "remote"), ("liability",), ("*",))
TAGS = ("prices", "jobs", "legal", "status", "urgent", "private")
RECEIVERS = (Receiver("channel:mail"), Receiver(session="page"), Receiver("channel:phone"))
REGIONS = tuple(changed_regions("It costs 99 EUR.", "It costs 89 EUR.\n\nFree delivery."))


@dataclass(frozen=True, slots=True)
class ManyWatches:
    """The facts and the documents of many watches."""

    facts: list[Fact]
    documents: list[Document]

    async def record(self, store: Store) -> None:
        """Write them into a store."""
        await store.read_side.record(self.facts, terms=lambda fact: change_terms(fact, "en"))
        for each in self.documents:
            await store.snapshots.compare_and_set(each, 0)
        checks = [(each.url, each.watch, each.slot) for each in self.documents]
        await store.snapshots.record_checks(checks)


def many_watches(count: int, now: int) -> ManyWatches:
    """Make so many watches that are as old as weeks at a time (epoch ms)."""
    chance = Random(1)  # noqa: S311 - the same picture each time
    found = ManyWatches([], [])
    for number in range(count):
        _add(found, chance, number, now)
    times: dict[str, Any] = {"at": now, "next": now + 60_000, "since": now - DAY_MS}
    who = ("m251", "w251", "default", "channel:phone")
    held = AttemptFailed(*who, 4, "answered 503", **times, status=503)
    fine = Delivered("m384", "w384", "default", "channel:mail", 1, 250, now)
    own: dict[str, Any] = {"subscription": "w384", "title": TITLES[0], "because": "Only its price."}
    unwanted = Suppressed(replace(NOTIFICATION, id="m", at=now - DAY_MS, **own), now)
    found.facts.extend([held, fine, unwanted])
    return found


def _add(found: ManyWatches, chance: Random, number: int, now: int) -> None:
    kind, name, created = number % len(HOSTS), f"w{number}", now - (20 + number % 60) * DAY_MS
    url = f"https://{HOSTS[kind]}/pages/{number}"
    given: dict[str, Any] = {
        "watch": name,
        "document_url": url,
        "url": url,
        "keywords": WORDS[kind],
        "receiver": RECEIVERS[number % len(RECEIVERS)],
        "options": Options(tags=tuple(sorted(chance.sample(TAGS, number % 3)))),
        "created": created - number,
        "paused": number % 17 == 3,
    }
    one, watch = subscription(name, **given), Watch(name, 600)
    found.facts.append(Subscribed("r", one, url, watch, one.created))
    if number % 23 == 7:
        found.facts.append(Expired(name, "default", "HTTP 404 ten times", url, None, now - DAY_MS))
        return
    title = f"{TITLES[kind]} {number}"
    is_failing, is_lost = number % 19 == 4, number % 31 == 5
    document = Document(url, name, now - chance.randrange(3_000) * 1_000, 1, title=title)
    if is_failing:
        document = replace(document, failures=3, last_error="HTTP 503")
    if is_lost:
        missing: dict[str, Any] = {
            "missing": "The selected part is not there",
            "missing_since": now - DAY_MS,
        }
        document = replace(document, lost="selection", **missing)
    found.documents.append(document)
    for change in range(chance.choice((0, 1, 3, 6))):
        at = now - chance.randrange(1, 20 * DAY_MS)
        fact = DocumentChanged(f"{name}-{change}", url, name, at, 0, "text/html", "en", REGIONS, at)
        found.facts.append(fact)
        news: dict[str, Any] = {
            "id": f"m{number}" if not change else f"m{number}-{change}",
            "change": fact.id,
        }
        news |= {"change": fact.id, "subscription": name, "title": title, "at": at}
        news |= {"url": url, "document": url, "receiver": one.receiver}
        found.facts.append(replace(NOTIFICATION, **news))

"""The receivers of a manager: whether each accepts its notifications."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from cachetools import TTLCache

from connectors.display.reasons import shown_reason
from connectors.languages.formats import minute_of
from connectors.languages.texts import gettext, ngettext
from connectors.page.filters import newest_subscriptions, webhooks_of
from connectors.page.watch.states import ShownState
from connectors.stores.errors import StoreUnavailable
from connectors.stores.packing import canonical_client
from connectors.stores.ports import ClientFacts, FactReader, SubscriptionReader
from schemas.records.deliveries import (
    GONE_AFTER_DAYS,
    AttemptFailed,
    ClientGone,
    DeliveryFailed,
    DeliveryHeld,
    ReceiverAsked,
    ReceiverConfirmed,
)

_KINDS: tuple[ClientFacts, ...] = "delivery", "client", "proof"
MAX_MANAGERS, FRESH_S = 1_000, 30.0
"""Managers whose failing receivers are remembered for the head of each page, and for how long."""


class Receivers:
    """Says which receivers accept nothing."""

    def __init__(
        self, subscriptions: SubscriptionReader, facts: FactReader, monotonic: Callable[[], float]
    ) -> None:
        """``monotonic`` returns seconds."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._counts: TTLCache[str, int] = TTLCache(MAX_MANAGERS, FRESH_S, timer=monotonic)

    async def states(self, manager: str, clients: Collection[str]) -> dict[str, ShownState]:
        """Return the state of each client of which anything is known."""
        facts = await self._facts.newest_of_clients(_KINDS, manager, clients)
        by_name: defaultdict[str, list[Any]] = defaultdict(list)
        for fact in facts:
            by_name[canonical_client(fact.client_url)].append(fact)
        states = {
            client: shown_receiver(*_by_kind(by_name[canonical_client(client)]))
            for client in clients
        }
        return {client: state for client, state in states.items() if state is not None}

    async def failing(self, manager: str) -> int:
        """Count the failing receivers; of very many, only the newest are examined.

        The store may be unavailable: an error page has a head, too.
        """
        if manager not in self._counts:
            try:
                newest = await newest_subscriptions(self._subscriptions, manager)
                active = [each for each in newest if each.ended is None]
                states = await self.states(manager, webhooks_of(active))
            except StoreUnavailable:
                return 0
            self._counts[manager] = sum(is_failing(each) for each in states.values())
        return self._counts[manager]


def is_failing(state: ShownState | None) -> bool:
    """Whether a receiver accepts nothing."""
    return state is not None and state.tone != "good"


def _by_kind(facts: Iterable[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the deliveries, the ends and the proofs among the facts of a client."""
    gone = [fact for fact in facts if isinstance(fact, ClientGone)]
    proofs = [fact for fact in facts if isinstance(fact, ReceiverAsked | ReceiverConfirmed)]
    return [fact for fact in facts if fact not in gone and fact not in proofs], gone, proofs


def shown_receiver(
    newest: Sequence[Any],
    gone: Sequence[ClientGone],
    proofs: Sequence[ReceiverAsked | ReceiverConfirmed],
) -> ShownState | None:
    """Return how a receiver is by its newest outcomes; None if nothing is known.

    ``gone`` has the record of its end, if any, ``proofs`` whether the receiver must answer a
    challenge, or has.
    """
    at = max((fact.at for fact in newest), default=0)
    if proofs and isinstance(proofs[0], ReceiverAsked) and proofs[0].at >= at:
        return _not_confirmed(proofs[0])
    newest = [fact for fact in newest if not isinstance(fact, DeliveryHeld)]
    if not newest:
        return None
    last = max(newest, key=lambda fact: fact.at)
    if gone and gone[0].at >= last.at:
        reason = shown_reason(gone[0].reason)
        detail = gettext("Its subscriptions have ended: %(reason)s", reason=reason)
        return ShownState(gettext("Gone"), "bad", detail)
    if isinstance(last, AttemptFailed):
        detail = gettext(
            "It has accepted nothing since %(time)s. After %(days)s days like that, its "
            "subscriptions end.",
            time=minute_of(last.since),
            days=GONE_AFTER_DAYS,
        )
        return ShownState(gettext("Failing"), "warning", detail)
    if isinstance(last, DeliveryFailed):
        reason = shown_reason(last.reason)
        detail = gettext("The last notification was given up: %(reason)s", reason=reason)
        return ShownState(gettext("Failing"), "bad", detail)
    return ShownState(gettext("Accepts notifications"), "good")


def _not_confirmed(asked: ReceiverAsked) -> ShownState:
    detail = gettext("Its notifications wait until it answers a challenge, which was just sent.")
    if asked.reason:
        detail = ngettext(
            "Its notifications wait until it answers a challenge. It was asked once: %(reason)s. "
            "The next challenge is due at %(time)s.",
            "Its notifications wait until it answers a challenge. It was asked %(num)s times: "
            "%(reason)s. The next challenge is due at %(time)s.",
            asked.made,
            reason=shown_reason(asked.reason),
            time=minute_of(asked.next),
        )
    return ShownState(gettext("Not confirmed"), "warning", detail)

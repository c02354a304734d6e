"""The same change to the ticked watches, or to all in a list."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qsl

from aiohttp import web
from multidict import MultiMapping

from connectors.access.callers import caller
from connectors.languages.texts import gettext, msgid
from connectors.page.asking import refusal_text
from connectors.page.filters import HERE
from connectors.page.rendering import PageRefused, Views, listed
from connectors.page.watch.list_query import sifted, title_of, watch_query
from connectors.page.watch.states import UNITS
from connectors.requests.bulk import BulkChange, change_each
from connectors.requests.outcomes import ClientRequests, RequestOutcome
from connectors.stores.pages import ListedSubscription, SubscriptionSearch
from connectors.stores.ports import SubscriptionReader
from schemas.codec.times import rfc3339
from schemas.records.codes import Code
from schemas.records.subscriptions import Receiver

MOST = 500
"""The most watches changed by a form."""
DONE = {
    "pause": msgid("Paused"),
    "resume": msgid("Resumed"),
    "check": msgid("Checked soon"),
    "stop": msgid("Stopped"),
    "again": msgid("Watched again"),
    "tag": msgid("Tagged"),
    "untag": msgid("Tag removed"),
    "move": msgid("Moved"),
    "interval": msgid("Interval changed"),
}
"""The changes offered by a form, and the headings of their outcomes."""
NO_ACTION = msgid(
    "The form does not say what to do, so nothing was done. Press one of its buttons."
)


@dataclass(frozen=True, slots=True)
class ChangedWatch:
    """The outcome of a watch: its present id, and the reason of a refusal.

    Its page is visited at ``check``, if asked.
    """

    id: str
    title: str
    reason: str
    secret: str | None
    check: str | None


def asked_change(form: MultiMapping[object]) -> BulkChange:
    """Return the change in a form. Raises PageRefused."""
    action, tags = (str(form.get(name, "")) for name in ("action", "tags"))
    if action not in DONE:
        raise PageRefused(400, gettext(NO_ACTION))
    if action in {"tag", "untag"}:
        named = tuple(each for each in tags.split(",") if each.strip())
        if not named:
            raise PageRefused(400, gettext("Enter a tag, or several with commas between them."))
        return BulkChange(action, tags=named)
    if action == "move":
        return BulkChange(action, receiver=_receiver(str(form.get("receiver", ""))))
    if action == "interval":
        return BulkChange(action, interval=_interval(form))
    return BulkChange(action)


def _receiver(chosen: str) -> Receiver:
    """Return the receiver of a choice; raises PageRefused."""
    kind, _, name = chosen.partition(" ")
    if not name or kind not in {"client", "session"}:
        raise PageRefused(400, gettext("Choose the receiver to move to."))
    return Receiver(name) if kind == "client" else Receiver(session=name)


def receiver_choices(
    watches: Sequence[ListedSubscription], channels: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the values in a form for each known receiver, with its name, sorted."""
    known = {Receiver(session=HERE), *(each.subscription.receiver for each in watches)}
    known |= {Receiver(f"channel:{name}") for name in channels}
    kinds = (("client" if each.client_url else "session", each.name) for each in known)
    return sorted((f"{kind} {name}", name) for kind, name in kinds)


def _interval(form: MultiMapping[object]) -> int:
    """Return the interval of a form in seconds; raises PageRefused."""
    number, sizes = str(form.get("every", "")), {str(size): size for size, _ in UNITS}
    size = sizes.get(str(form.get("unit", "")))
    if size is None or not (number.isascii() and number.isdecimal() and len(number) < 10):
        reason = gettext("Enter how often the pages are checked, as a whole number.")
        raise PageRefused(400, reason)
    return int(number) * size


class BulkHandlers:
    """The handler of changes of several watches."""

    def __init__(
        self, subscriptions: SubscriptionReader, jobs: ClientRequests, views: Views
    ) -> None:
        """Change ``subscriptions`` with ``jobs``."""
        self._subscriptions = subscriptions
        self._jobs = jobs
        self._views = views

    async def change(self, request: web.Request) -> web.Response:
        """Change the watches of the form, and answer with the outcome of each."""
        form = await request.post()
        change = asked_change(form)
        known = await self._chosen(request, form)
        ask = partial(self._jobs.outcome, caller(request))
        subscriptions = [each.subscription for each in known]
        outcomes = await change_each(ask, subscriptions, change)
        if change.action == "again" and "undo" in form:
            begun = zip(subscriptions, outcomes, strict=True)
            paused = [one for one, found in begun if one.stays_paused and found.code == Code.OK]
            await change_each(ask, paused, BulkChange("pause"))
        changed = [_changed(*pair) for pair in zip(known, outcomes, strict=True)]
        done = [each for each in changed if not each.reason]
        return await self._views.page(
            request,
            "bulk",
            title=gettext(DONE[change.action]) if done else gettext("Nothing was changed"),
            action=change.action,
            done=done,
            refused=[each for each in changed if each.reason],
            secrets=[each for each in done if each.secret],
            back=watch_query(_query(form)).address(),
        )

    async def _chosen(
        self, request: web.Request, form: MultiMapping[object]
    ) -> list[ListedSubscription]:
        """Load the watches of a form: the ticked watches, or all of its list."""
        manager = caller(request).manager
        if "all" in form:
            asked = watch_query(_query(form))
            search = SubscriptionSearch(asked.q, asked.tag)
            reading = self._subscriptions.search(manager, search, asked.after or None, 2 * MOST)
            page = await listed(reading, NO_ACTION)
            chosen = sifted(page.items, asked).watches
        else:
            names = dict.fromkeys(map(str, form.getall("id", [])))
            if len(names) > MOST:
                reason = gettext("No more than %(num)s watches can be changed at once.", num=MOST)
                raise PageRefused(400, reason)
            found = [await self._subscriptions.get(manager, name) for name in names]
            chosen = [each for each in found if each is not None]
        if not chosen:
            reason = gettext("No watch was chosen, so nothing was done. Tick some first.")
            raise PageRefused(400, reason)
        return chosen[:MOST]


def _query(form: MultiMapping[object]) -> dict[str, str]:
    """Return the query of the list around a form."""
    return dict(parse_qsl(str(form.get("query", ""))[:2_000]))


def _changed(listed: ListedSubscription, outcome: RequestOutcome) -> ChangedWatch:
    one, is_done = listed.subscription, outcome.code == Code.OK
    return ChangedWatch(
        id=outcome.id if is_done and outcome.id else one.id,
        title=title_of(listed) or one.document_url,
        reason="" if is_done else refusal_text(outcome),
        secret=outcome.secret,
        check=rfc3339(outcome.check) if outcome.check else None,
    )

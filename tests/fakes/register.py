"""A register that decides at once, and whose answers are recorded at once."""

from dataclasses import replace
from itertools import count
from typing import Any

from connectors.stores.opening import Store
from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.pages import is_pages
from schemas.records.requests import (
    Cancel,
    Check,
    ClientRequest,
    Pause,
    Rename,
    Resume,
    Rotate,
    Subscribe,
)
from schemas.records.subscription_facts import Cancelled, Rejected, Subscribed
from schemas.records.subscriptions import Subscription
from schemas.records.watches import Watch
from streams.agents.match.register.requests import Rules, Target, check
from streams.values.lifetimes import kept, paused, resumed, stopped


class QuickRegister:
    """Answers as the agent does, one for each document, receiver and name.

    A repeated request gets its first answer.
    """

    def __init__(self, store: Store, rules: Rules, at: int) -> None:
        self.asked: list[ClientRequest] = []
        self._store = store
        self._rules = rules
        self._at = at
        self._ids = count()
        self._known: dict[str, Any] = {}
        self._subscribed: dict[Target, Subscription] = {}

    async def ask(self, command: ClientRequest) -> Any:
        self.asked.append(command)
        name = command.request_id or ""
        if name not in self._known:
            self._known[name] = await self._decide(name, command)
        return self._known[name]

    async def _decide(self, name: str, command: ClientRequest) -> Any:
        checked = check(command, self._rules)
        if isinstance(checked, Refusal):
            return self._rejected(name, command, checked)
        found = checked.target
        if not isinstance(command, Subscribe):
            if found not in self._subscribed:
                return self._rejected(name, command, Refusal(Code.NO_SUCH_SUBSCRIPTION))
            if isinstance(command, Check) and self._subscribed[found].paused:
                return self._rejected(name, command, Refusal(Code.PAUSED))
            return await self._recorded(self._changed(name, command, found))
        known = self._subscribed.get(found)
        if known is not None and not (command.replace or known.stopped):
            refused = self._rejected(name, command, Refusal(Code.CONFLICT))
            return replace(refused, subscription=known.id)
        subscription = Subscription(
            id=f"s{next(self._ids)}" if known is None else known.id,
            watch="w1",
            manager=command.manager,
            document_url=command.document_url,
            url=found.url,
            receiver=found.receiver,
            keywords=command.keywords,
            options=command.options,
            created=self._at,
            name=found.name,
        )
        if known is not None:
            known = kept(known, self._at) if known.stopped else known
            subscription = replace(
                subscription,
                created=known.created,
                paused=known.paused,
                pauses=known.pauses,
                rotation=known.rotation,
            )
        self._subscribed[found] = subscription
        return await self._recorded(
            Subscribed(name, subscription, found.url, _watch(found.url), self._at)
        )

    def _changed(self, name: str, command: ClientRequest, found: Target) -> Any:
        self._at += 1
        known = self._subscribed[found]
        if isinstance(command, Cancel) and not command.undo:
            del self._subscribed[found]
            return Cancelled(name, known.id, known.manager, found.url, None, self._at)
        if isinstance(command, Pause):
            known = self._subscribed[found] = paused(known, self._at)
        if isinstance(command, Resume):
            change = kept if known.stopped else resumed
            known = self._subscribed[found] = change(known, self._at)
        if isinstance(command, Cancel):
            known = self._subscribed[found] = stopped(known, self._at)
        if isinstance(command, Rename):
            known = replace(known, name=command.new_name or "")
            del self._subscribed[found]
            self._subscribed[replace(found, name=known.name)] = known
        if isinstance(command, Rotate):
            known = replace(known, rotation=known.rotation + 1)
            self._subscribed[found] = known
        check = self._at if isinstance(command, Check) else 0
        return Subscribed(name, known, found.url, Watch("w1", 600), self._at, check)

    async def _recorded(self, fact: Any) -> Any:
        await self._store.read_side.record([fact])
        return fact

    def _rejected(self, name: str, command: ClientRequest, why: Refusal) -> Rejected:
        url = command.document_url
        return Rejected(
            name, command.manager, why.code, why.detail, url, None, self._at, why.faults
        )


def _watch(url: str) -> Watch | None:
    return None if is_pages(url) else Watch("w1", 600)

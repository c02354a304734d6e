"""Effects of agents, wrapped for counting."""

from collections.abc import Awaitable, Callable, Sequence

from connectors.http.errors import FetchFailed, failure_class
from connectors.metrics.counters import ChannelMetrics, DeliverMetrics, FetchMetrics, ModelMetrics
from schemas.records.answers import (
    AskModel,
    GetPage,
    ModelQuery,
    ModelReply,
    PageQuery,
    Response,
    WebhookResponse,
)
from schemas.records.notifications import Notification

SendNotifications = Callable[[str, str, Sequence[Notification], bool], Awaitable[WebhookResponse]]
"""Sends notifications of a manager to a client URL together, perhaps as a digest."""
Ask = Callable[[str, str], Awaitable[str]]

NOT_MODIFIED = 304


def observed_get(get: GetPage, metrics: FetchMetrics, clock: Callable[[], float]) -> GetPage:
    """Return ``get``, counted; ``clock`` returns seconds."""

    async def observed(query: PageQuery) -> Response:
        begun = clock()
        try:
            answer = await get(query)
        except FetchFailed as error:
            metrics.fetched(failure_class(error), clock() - begun)
            raise
        metrics.fetched(_status(answer.status), clock() - begun)
        return answer

    return observed


def observed_posts(
    send: SendNotifications, metrics: DeliverMetrics, clock: Callable[[], int]
) -> SendNotifications:
    """Return ``send``, counted, with the age of deliveries; ``clock`` returns epoch ms.

    After a wait in a digest the age is meaningless, as for history.
    """

    async def observed(
        manager: str, client_url: str, notifications: Sequence[Notification], is_digest: bool
    ) -> WebhookResponse:
        answer = await send(manager, client_url, notifications, is_digest)
        first = notifications[0]
        if answer.delivered and not (is_digest or first.history):
            metrics.delivered((clock() - first.at) / 1000)
        metrics.posted("no_answer" if answer.status is None else _status(answer.status))
        return answer

    return observed


def observed_messages(send: SendNotifications, metrics: ChannelMetrics) -> SendNotifications:
    """Return ``send``, which sends messages to channels, counted."""

    async def observed(
        manager: str, client_url: str, notifications: Sequence[Notification], is_digest: bool
    ) -> WebhookResponse:
        answer = await send(manager, client_url, notifications, is_digest)
        metrics.sent("accepted" if answer.delivered else "failed")
        return answer

    return observed


def observed_ask(ask: Ask, metrics: DeliverMetrics) -> Ask:
    """Return ``ask``, counted."""

    async def observed(client_url: str, address: str) -> str:
        reason = await ask(client_url, address)
        metrics.challenged("failed" if reason else "passed")
        return reason

    return observed


def observed_model(ask: AskModel, metrics: ModelMetrics, clock: Callable[[], float]) -> AskModel:
    """Return ``ask``, which asks a language model, counted; ``clock`` returns seconds."""

    async def observed(query: ModelQuery) -> ModelReply:
        begun = clock()
        reply = await ask(query)
        metrics.asked("failed" if reply.error else "answered", reply.tokens, clock() - begun)
        return reply

    return observed


def _status(status: int) -> str:
    return "not_modified" if status == NOT_MODIFIED else f"http_{status // 100}xx"

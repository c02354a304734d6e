"""Effects of stages, wrapped so that they are counted."""

from collections.abc import Awaitable, Callable, Sequence

from connectors.http.errors import FetchFailed, failure_class
from connectors.metrics.counters import AnnounceMetrics, DeliverMetrics, FetchMetrics
from schemas.records.answers import GetPage, PageQuery, Response, WebhookResponse
from schemas.records.notifications import Notification

Post = Callable[[str, Notification], Awaitable[WebhookResponse]]
PostDigest = Callable[[str, str, Sequence[Notification]], Awaitable[WebhookResponse]]
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


def observed_post(post: Post, metrics: DeliverMetrics, clock: Callable[[], int]) -> Post:
    """Return ``post``, counted, with the age of what was delivered; ``clock`` returns epoch ms."""

    async def observed(client_url: str, notification: Notification) -> WebhookResponse:
        answer = await post(client_url, notification)
        if answer.delivered and not notification.history:
            metrics.delivered((clock() - notification.at) / 1000)
        metrics.posted("no_answer" if answer.status is None else _status(answer.status))
        return answer

    return observed


def observed_announce(post: Post, metrics: AnnounceMetrics) -> Post:
    """Return ``post``, counted."""

    async def observed(client_url: str, notification: Notification) -> WebhookResponse:
        answer = await post(client_url, notification)
        metrics.sent("accepted" if answer.delivered else "failed")
        return answer

    return observed


def observed_digest(post: PostDigest, metrics: AnnounceMetrics) -> PostDigest:
    """Return ``post``, which sends digests, counted."""

    async def observed(
        manager: str, client_url: str, notifications: Sequence[Notification]
    ) -> WebhookResponse:
        answer = await post(manager, client_url, notifications)
        metrics.sent("accepted" if answer.delivered else "failed")
        return answer

    return observed


def observed_posts(post: PostDigest, metrics: DeliverMetrics) -> PostDigest:
    """Return ``post``, which sends several notifications, counted as one; their ages are not."""

    async def observed(
        manager: str, client_url: str, notifications: Sequence[Notification]
    ) -> WebhookResponse:
        answer = await post(manager, client_url, notifications)
        metrics.posted("no_answer" if answer.status is None else _status(answer.status))
        return answer

    return observed


def observed_ask(ask: Ask, metrics: DeliverMetrics) -> Ask:
    """Return ``ask``, counted."""

    async def observed(client_url: str, address: str) -> str:
        reason = await ask(client_url, address)
        metrics.challenged("failed" if reason else "passed")
        return reason

    return observed


def _status(status: int) -> str:
    return "not_modified" if status == NOT_MODIFIED else f"http_{status // 100}xx"

"""The subscription that a request would begin."""

from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Subscription
from schemas.records.urls import canonical
from streams.agents.match.register.number_checks import asked_keywords
from streams.text.keywords import valid_keywords
from streams.values.views import watched_view


def subscription_of(asked: Subscribe) -> Subscription:
    """Return the subscription that a valid request asks for; it has no id and no watch.

    >>> from schemas.records.subscriptions import Receiver
    >>> asked = Subscribe("HTTP://example.org", Receiver(session="me"), keywords=("argus", "-"))
    >>> subscription_of(asked).keywords
    ('argus',)
    """
    return Subscription(
        id="",
        watch="",
        manager=asked.manager,
        document_url=asked.document_url,
        url=canonical(asked.document_url) or asked.document_url,
        receiver=asked.receiver,
        keywords=valid_keywords(asked_keywords(asked)),
        options=asked.options,
        created=0,
        view_id=watched_view(asked.options, asked.manager).id,
    )

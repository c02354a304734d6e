"""The subscription that a request would begin."""

from collections.abc import Sequence

from schemas.records.faults import Fault, Refusal
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Subscription
from streams.agents.match.register.requests import Rules, check
from streams.values.views import watched_view


def subscription_of(
    rules: Rules, asked: Subscribe, unread: Sequence[Fault] = ()
) -> Subscription | Refusal:
    """Return the subscription that a request would begin, or why it is refused.

    It has no id and no watch. ``unread`` are faults that are known already.

    >>> from schemas.records.subscriptions import Receiver
    >>> asked = Subscribe("HTTP://example.org", Receiver(session="me"), keywords=("argus", "-"))
    >>> found = subscription_of(Rules(min_interval=1), asked)
    >>> assert isinstance(found, Subscription)
    >>> found.url, found.keywords
    ('http://example.org/', ('argus',))
    """
    checked = check(asked, rules, unread)
    if isinstance(checked, Refusal):
        return checked
    assert isinstance(checked.request, Subscribe), "it is what was asked"
    options = checked.request.options
    return Subscription(
        id="",
        watch="",
        manager=asked.manager,
        document_url=asked.document_url,
        url=checked.target.url,
        receiver=checked.target.receiver,
        keywords=checked.keywords,
        options=options,
        created=0,
        view_id=watched_view(options, asked.manager).id,
        name=checked.target.name,
    )

"""Registrations share what they have in common: equal options are a quarter of one."""

from dataclasses import replace
from functools import lru_cache

from schemas.records.subscriptions import Options, Subscription
from schemas.records.table_rows import Registration


@lru_cache(maxsize=256)
def shared_options(options: Options) -> Options:
    """Return options that are equal to these, the same object each time.

    >>> shared_options(Options(interval=60)) is shared_options(Options(interval=60))
    True
    """
    return options


def shared_subscription(subscription: Subscription) -> Subscription:
    """Return an equal subscription with parts that others, or its own fields, have, too."""
    url, begun = subscription.url, subscription.id
    return replace(
        subscription,
        watch=begun if subscription.watch == begun else subscription.watch,
        document_url=url if subscription.document_url == url else subscription.document_url,
        options=shared_options(subscription.options),
    )


def shared_registration(registration: Registration) -> Registration:
    """Return an equal registration with a subscription that shares its parts."""
    if registration.subscription is None:
        return registration
    return replace(registration, subscription=shared_subscription(registration.subscription))

"""For how long a page is left alone after its last check, as listings compute it."""

from connectors.stores.pages import ListedSubscription
from streams.agents.fetch.politeness.pace import interval_at, pace_of, pause_ms


def listed_pause_ms(listed: ListedSubscription, factor: float) -> int:
    """Return for how long (ms) slots are left out: the page fails, or it seldom changes.

    ``factor`` is that of failures. Intervals are those of the subscription: a shorter one of
    others would show that they watch, too.
    """
    options = listed.subscription.options
    failing = pause_ms(listed.failures, listed.interval or options.interval, factor)
    is_visited_always = listed.failures or listed.missing is not None
    if options.max_interval is None or listed.last_check is None or is_visited_always:
        return failing
    pace = pace_of(listed.past)
    seconds = interval_at(pace, listed.last_check, options.interval, options.max_interval)
    return round(1000 * (seconds - options.interval))

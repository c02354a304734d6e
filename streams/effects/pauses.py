"""The pause of a page after its last check, for listings."""

from connectors.stores.pages import ListedSubscription
from streams.agents.fetch.politeness.pace import interval_at, pace_of, pause_ms


def listed_pause_ms(listed: ListedSubscription, factor: float) -> int:
    """Return the pause (ms) of a failing or rarely changing page.

    ``factor`` is the factor of failures. Intervals are the subscription's: a shorter interval would
    disclose the watches of others.
    """
    options = listed.subscription.options
    failing = pause_ms(listed.failures, listed.interval or options.interval, factor)
    is_visited_always = listed.failures or listed.missing is not None
    if options.max_interval is None or listed.last_check is None or is_visited_always:
        return failing
    pace = pace_of(listed.past)
    seconds = interval_at(pace, listed.last_check, options.interval, options.max_interval)
    return round(1000 * (seconds - options.interval))

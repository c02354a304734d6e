"""What is wrong with the times at which a client wants to be notified."""

from collections.abc import Iterator

from schemas.requests import Subscribe
from schemas.timezones import timezone_fault
from streams.core.hours import InvalidHours, parse_hours


def time_faults(request: Subscribe) -> Iterator[str]:
    """Yield the faults of the hours of a subscription, and of their time zone."""
    options = request.options
    if options.hours:
        try:
            parse_hours(options.hours)
        except InvalidHours as error:
            yield f"hours: {error}"
        if request.receiver.session is not None:
            yield "hours: only a webhook or a channel has them; a session reads at any time"
    if options.timezone:
        if not options.hours:
            yield "timezone: only hours have one"
        elif (fault := timezone_fault(options.timezone)) is not None:
            yield f"timezone: {fault}, not {options.timezone[:80]!r}"

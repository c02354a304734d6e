"""What is wrong with the times at which a client wants to be notified."""

from collections.abc import Iterator

from schemas.records.field_types import MAX_HOURS
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options
from schemas.records.timezones import timezone_fault
from streams.values.hours import InvalidHours, parse_hours


def time_faults(request: Subscribe) -> Iterator[str]:
    """Yield the faults of a subscription's hours and days, and of their time zone."""
    options = request.options
    # What is too long is refused as such, and takes long to read.
    if options.hours and len(options.hours) <= MAX_HOURS:
        try:
            parse_hours(options.hours)
        except InvalidHours as error:
            yield f"hours: {error}"
    if request.receiver.session is not None:
        for name, chosen in (("hours", options.hours), ("maxPerDay", options.max_per_day)):
            if chosen:
                yield f"{name}: only for a webhook or a channel; a session reads at any time"
    yield from _zone_faults(options)


def _zone_faults(options: Options) -> Iterator[str]:
    if options.timezone:
        if not options.hours and not options.max_per_day:
            yield "timezone: only hours and maxPerDay have one"
        elif (fault := timezone_fault(options.timezone)) is not None:
            yield f"timezone: {fault}, not {options.timezone[:80]!r}"

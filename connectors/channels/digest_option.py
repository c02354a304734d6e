"""The times of digests for a channel, as written by its owner."""

from collections.abc import Mapping

from connectors.credentials.errors import InvalidCredentials
from schemas.records.channels import DEFAULT_HOUR, PERIODS, WEEKDAYS, Digest
from schemas.records.timezones import timezone_fault

FIELDS = ("digest", "hour", "timezone", "weekday")
OFF = "off"
_HOURS = 24


def parse_digest(given: Mapping[str, object]) -> Digest | None:
    """Read the option of a channel from its FIELDS, of which each may be missing.

    Returns None for no digest. Raises InvalidCredentials, which names the field.

    >>> parse_digest({"digest": "weekly", "weekday": "friday", "timezone": "Europe/Berlin"})
    Digest(period='weekly', hour=8, timezone='Europe/Berlin', weekday=4)
    """
    asked = given.get("digest", OFF)
    period = next((each for each in PERIODS if each == asked), None)
    if period is None and asked != OFF:
        raise _invalid("digest", f"{OFF}, {' or '.join(PERIODS)} is expected", asked)
    for name in FIELDS[1:]:
        if name in given and period is None:
            raise InvalidCredentials(f"channel: {name}: only a digest has one: say digest, too")
    if "weekday" in given and period != "weekly":
        raise InvalidCredentials("channel: weekday: only a weekly digest has one")
    if period is None:
        return None
    hour, timezone = _hour(given), str(given.get("timezone", "UTC"))
    if (fault := timezone_fault(timezone)) is not None:
        raise _invalid("timezone", fault, timezone)
    day = str(given.get("weekday", WEEKDAYS[0])).lower()
    if day not in WEEKDAYS:
        raise _invalid("weekday", f"{', '.join(WEEKDAYS[:-1])} or {WEEKDAYS[-1]} is expected", day)
    return Digest(period, hour, timezone, WEEKDAYS.index(day))


def digest_text(digest: Digest) -> str:
    """Return when a digest is due, for people.

    >>> digest_text(Digest("weekly", 8, "Europe/Berlin", 4))
    'weekly digest, Fridays at 08:00 (Europe/Berlin)'
    >>> digest_text(Digest("daily"))
    'daily digest at 08:00 (UTC)'
    """
    days = "" if digest.period == "daily" else f", {WEEKDAYS[digest.weekday].title()}s"
    return f"{digest.period} digest{days} at {digest.hour:02}:00 ({digest.timezone})"


def _hour(given: Mapping[str, object]) -> int:
    hour = given.get("hour", DEFAULT_HOUR)
    text = str(hour)
    is_number = isinstance(hour, str | int) and not isinstance(hour, bool)
    if not is_number or not text.isascii() or not text.isdecimal() or int(text[:9]) >= _HOURS:
        raise _invalid("hour", f"a whole number from 0 to {_HOURS - 1} is expected", hour)
    return int(text)


def _invalid(field: str, expected: str, value: object) -> InvalidCredentials:
    return InvalidCredentials(f"channel: {field}: {expected}, not {str(value)[:80]!r}")

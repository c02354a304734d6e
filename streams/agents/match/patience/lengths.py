"""For how long a subscription waits for a change to stand."""

from typing import NamedTuple

from schemas.records.subscriptions import Options


class Patience(NamedTuple):
    """For how long a change must stand: seconds, and visits that find it; 0: no matter.

    >>> Patience(86_400, 0)
    Patience(seconds=86400, visits=0)
    """

    seconds: int = 0
    visits: int = 0


def patience_of(options: Options) -> Patience | None:
    """Return the patience of a subscription, None if it has none.

    >>> patience_of(Options(patience_visits=3))
    Patience(seconds=0, visits=3)
    """
    found = Patience(options.patience or 0, options.patience_visits or 0)
    return None if found == Patience() else found

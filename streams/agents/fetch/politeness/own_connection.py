"""Decide why a host cannot be reached: because of the host, or of our own connection."""

from schemas.records.answers import FailureKind

SEVERAL = 3
"""Hosts that fail while none answers, from which on our own connection is at fault."""
_REMEMBERED = 10_000


class OwnConnection:
    """The state of our own connection, by the answers and failures of all hosts.

    A failure that any single host may cause is ours only while several hosts fail and none
    answers. A look-up that got no answer, or the lack of a route, is ours until another
    host has answered.

    >>> connection = OwnConnection()
    >>> [connection.failed(f"{number}.example", "no_answer") for number in range(3)]
    [False, False, True]
    >>> connection.answered("other.example")
    >>> connection.failed("0.example", "no_answer")
    False
    """

    def __init__(self) -> None:
        self._answers = 0
        self._failing: set[str] = set()
        self._known: dict[str, int] = {}

    def answered(self, host: str) -> None:
        """Note that a host has answered, whatever it said."""
        self._answers += 1
        self._failing.clear()
        self._known.pop(host, None)

    def failed(self, host: str, kind: FailureKind) -> bool:
        """Note that a host could not be reached; returns whether that is our own fault."""
        if kind == "page":
            return False
        if len(self._failing) < SEVERAL:
            self._failing.add(host)
        if host not in self._known and len(self._known) >= _REMEMBERED:
            # To forget another for it would let no failure of so many hosts ever count.
            return False
        first = self._known.setdefault(host, self._answers)
        if first != self._answers:
            return False
        return kind in ("no_lookup", "no_route") or len(self._failing) >= SEVERAL

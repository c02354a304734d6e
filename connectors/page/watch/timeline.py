"""Events of a document, as people are shown them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connectors.display.explanations import returned_text
from connectors.display.reasons import shown_reason
from connectors.display.rows import Row, Section, sections, with_gaps
from connectors.languages.formats import minute_of, number
from connectors.languages.texts import gettext, msgid, ngettext
from schemas.codec.times import rfc3339
from schemas.records.changes import DocumentChanged, Region
from schemas.records.channels import answer_name
from schemas.records.deliveries import AttemptFailed, DeliveryFailed, DeliveryHeld, DeliveryOutcome
from schemas.records.failures import DocumentFailing, DocumentRecovered, DocumentUnreachable
from schemas.records.losses import LoginFound, LoginLost, SelectionFound, SelectionLost

ChangeRows = Callable[[Sequence[Region], int, int], Sequence[Row]]
"""Returns the first edits of some regions (so many) in their context, as rows.

The last argument is about how many characters of a sentence are shown.
"""
_EVENTS: dict[type[Any], str] = {
    DocumentUnreachable: msgid("Given up"),
    DocumentFailing: msgid("Cannot be read"),
    DocumentRecovered: msgid("Can be read again"),
    SelectionLost: msgid("The selected part is lost"),
    SelectionFound: msgid("The selected part is found again"),
    LoginLost: msgid("The page asks for a login"),
    LoginFound: msgid("The login is accepted again"),
}


@dataclass(frozen=True, slots=True)
class Detail:
    """The amounts shown of a change.

    The most ``edits``, the most ``characters`` of a sentence, and the sentences ``around`` each.
    """

    edits: int
    characters: int
    around: int


BRIEF = Detail(edits=20, characters=240, around=1)
"""In a list of changes."""
WHOLE = Detail(edits=300, characters=2_000, around=4)
"""On the page of a change."""


@dataclass(frozen=True, slots=True)
class Differences:
    """The edits of a change; ``more`` counts the edits not shown."""

    sections: tuple[Section, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class ShownChange:
    """An entry of a timeline.

    ``arrival`` is the outcome of the subscription's notification, empty if there was none.
    """

    id: str
    at: str
    title: str
    detail: str
    differences: Differences
    arrival: str
    is_lost: bool


def shown_differences(regions: Sequence[Region], rows: ChangeRows, detail: Detail) -> Differences:
    """Return as much of some regions as is to be shown; slow for long sentences."""
    found = rows(regions, detail.edits, detail.characters)
    shown = tuple(sections(with_gaps(found, detail.around)))
    count = sum(len(region.edits) for region in regions)
    return Differences(shown, max(0, count - detail.edits))


def shown_change(fact: Any, rows: ChangeRows, detail: Detail, arrival: "Arrival") -> ShownChange:
    """Return a change as an entry, with the outcome of its notification."""
    at = rfc3339(fact.at)
    if not isinstance(fact, DocumentChanged):
        title = gettext(_EVENTS.get(type(fact), msgid("Noted")))
        reason = shown_reason(getattr(fact, "reason", ""))
        return ShownChange(
            fact.id, at, title, reason, Differences(), arrival.whole, arrival.is_lost
        )
    note = returned_text(fact.returned) if fact.returned else ""
    differences = shown_differences(fact.regions, rows, detail)
    title = summary(fact.regions)
    return ShownChange(fact.id, at, title, note, differences, arrival.whole, arrival.is_lost)


def summary(regions: Iterable[Region]) -> str:
    """Return how many sentences changed, and how many moved, in words."""
    kinds = [edit.change == "moved" for region in regions for edit in region.edits]
    moved, changed = sum(kinds), len(kinds) - sum(kinds)
    if not changed:
        return ngettext("%(num)s sentence moved", "%(num)s sentences moved", moved)
    if not moved:
        return ngettext("%(num)s sentence changed", "%(num)s sentences changed", changed)
    return ngettext(
        "%(num)s sentence changed, %(moved)s moved",
        "%(num)s sentences changed, %(moved)s moved",
        changed,
        moved=number(moved),
    )


@dataclass(frozen=True, slots=True)
class Arrival:
    """The outcome of a notification, for people, and its reason; ``tone`` is as in ShownState."""

    text: str = ""
    tone: str = "quiet"
    reason: str = ""

    @property
    def whole(self) -> str:
        """The outcome with its reason."""
        if not self.reason:
            return self.text
        return gettext("%(outcome)s: %(reason)s", outcome=self.text, reason=self.reason)

    @property
    def is_lost(self) -> bool:
        """Whether the delivery was given up."""
        return self.tone == "bad"


def arrival_of(notification: str, notified: set[str], deliveries: Mapping[str, Any]) -> Arrival:
    """Return the outcome of a notification (its id).

    ``notified`` are the ids of all notifications, ``deliveries`` their outcomes.
    """
    delivery: DeliveryOutcome | None = deliveries.get(notification)
    if delivery is None:
        return Arrival(gettext("Notified")) if notification in notified else Arrival()
    if isinstance(delivery, DeliveryHeld):
        until = gettext("Waits until %(time)s", time=minute_of(delivery.until))
        return Arrival(until, reason=shown_reason(delivery.reason))
    if isinstance(delivery, AttemptFailed):
        reason = shown_reason(delivery.reason)
        return Arrival(gettext("Not delivered yet, and retried"), "warning", reason)
    if isinstance(delivery, DeliveryFailed):
        return Arrival(gettext("Not delivered"), "bad", shown_reason(delivery.reason))
    return Arrival(
        ngettext(
            "Arrived at once (%(answer)s)",
            "Arrived after %(num)s attempts (%(answer)s)",
            delivery.attempts,
            answer=answer_name(delivery.client_url, delivery.status),
        ),
        "good",
    )

"""What people are shown of a subscription's state."""

from dataclasses import dataclass
from typing import Any, Literal

from schemas.records.pages import canonical_document, is_pages, pages_text

Tone = Literal["good", "warning", "bad", "quiet"]


@dataclass(frozen=True, slots=True)
class ShownState:
    """A state in a few words, with what stands below it, and how urgent it is."""

    label: str
    tone: Tone
    detail: str = ""


def shown_state(item: dict[str, Any], max_failures: int) -> ShownState:
    """Return the state of a subscription as ``GET /subscriptions`` lists it.

    ``max_failures`` is the deployment's, for those that chose no number.

    >>> shown_state({"state": "paused"}, 10).label
    'Paused'
    """
    if item["state"] != "active":
        return _not_active(item)
    if item["failures"]:
        most = item["maxFailures"] or max_failures
        of = "" if most == "never" else f" of {most}"
        return ShownState(f"Failing {item['failures']}{of}", "bad", item["lastError"] or "")
    if item["lostSince"]:
        since = item["lostSince"][:16].replace("T", " ")
        return ShownState("Lost", "bad", f"Since {since} UTC: {item['missing']}")
    return _healthy(item)


def _not_active(item: dict[str, Any]) -> ShownState:
    known = {
        "paused": ShownState("Paused", "quiet", "No notifications until it is resumed."),
        "cancelled": ShownState("Cancelled", "quiet"),
        "expired": ShownState("Expired", "bad", item.get("reason") or ""),
    }
    return known[item["state"]]


def _healthy(item: dict[str, Any]) -> ShownState:
    if item["waitingFor"]:
        return ShownState("Waiting", "warning", item["waitingFor"])
    if item["missing"]:
        return ShownState("Not found", "warning", item["missing"])
    if is_pages(item["documentUrl"]):
        return ShownState("OK", "good", "It hears of what your other watches find.")
    if item["lastCheck"] is None:
        return ShownState("Not yet fetched", "quiet", "The first fetch is the baseline.")
    if item["flapping"]:
        return ShownState("Flapping", "warning", "It goes back and forth between texts.")
    return ShownState("OK", "good")


def with_pages(item: dict[str, Any]) -> dict[str, Any]:
    """Return what is listed of a subscription, with a title if it is for several pages."""
    document = canonical_document(item["documentUrl"]) or ""
    if not is_pages(document):
        return item | {"pages": ""}
    return item | {"title": pages_text(document), "pages": document}

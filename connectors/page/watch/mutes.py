"""What a subscription can be spared of from a piece of its news: its options, before and after."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from schemas.records.changes import Diff
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Options
from schemas.records.views import MAX_EXPRESSION, Quote, Selector

MAX_PASSAGES = 8
"""Passages of one notification that can be muted."""
Kind = Literal["noise", "returns", "early", "passage"]
DAY = 24 * 3600
"""Seconds."""
_LABELS = {
    "noise": "Not when only numbers, times, ids or form change",
    "returns": "Not when the page goes back to an earlier text",
    "early": "Not before it stands for a day",
}
_MUTED = {
    "noise": "Sentences in which only numbers, times, ids or form change are not notified.",
    "returns": "A text that the page had before is not notified.",
    "early": "A change is notified once it has stood for a day, and not if it goes back before.",
    "passage": "The page is watched without this passage, or what becomes of it.",
}


@dataclass(frozen=True, slots=True)
class Mute:
    """What is not notified: a kind of change, or a ``passage`` of the page."""

    kind: Kind
    passage: str = ""

    @property
    def label(self) -> str:
        """What a button for it says; the passage is shown next to it."""
        return _LABELS.get(self.kind, "Not this passage")

    @property
    def meaning(self) -> str:
        """What is so while it is muted."""
        return _MUTED[self.kind]


def mute_of(fields: Mapping[str, Any]) -> Mute | None:
    """Return what a form asks for, None if it asks for nothing that there is.

    >>> mute_of({"passage": "1,024 visitors"})
    Mute(kind='passage', passage='1,024 visitors')
    """
    # Browsers send line breaks of a form in their own way.
    passage = str(fields.get("passage", "")).replace("\r\n", "\n")
    if passage.strip():
        return Mute("passage", passage)
    kinds = [Mute("noise"), Mute("returns"), Mute("early")]
    return next((each for each in kinds if each.kind == fields.get("mute")), None)


def muted(options: Options, mute: Mute) -> Options:
    """Return the options of a subscription that is spared of something."""
    if mute.kind == "noise":
        return replace(options, ignore_noise=True)
    if mute.kind == "returns":
        return replace(options, ignore_returns=True)
    if mute.kind == "early":
        return replace(options, patience=DAY)
    others = _without(options, mute.passage)
    return _excluding(options, (*others, Selector(quote=Quote(mute.passage))))


def unmuted(options: Options, mute: Mute) -> Options:
    """Return the options before that.

    >>> unmuted(muted(Options(), Mute("passage", "x")), Mute("passage", "x")) == Options()
    True
    """
    if mute.kind == "noise":
        return replace(options, ignore_noise=False)
    if mute.kind == "returns":
        return replace(options, ignore_returns=False)
    if mute.kind == "early":
        return replace(options, patience=None)
    return _excluding(options, _without(options, mute.passage))


def mutes_of(options: Options) -> list[Mute]:
    """Return what a subscription is spared of."""
    found = [Mute("noise")] if options.ignore_noise else []
    found += [Mute("returns")] if options.ignore_returns else []
    found += [Mute("early")] if options.patience == DAY else []
    quotes = [each.quote for each in options.view.exclude if each.quote is not None]
    return found + [Mute("passage", quote.exact) for quote in quotes]


def offered_mutes(fact: Notification) -> list[Mute]:
    """Return what a piece of news offers to spare its subscription of."""
    if not fact.diffs:
        return []
    found = [Mute("noise")]
    found += [Mute("returns")] if fact.returned is not None else []
    found += [Mute("early")] if fact.stood is None else []
    passages = dict.fromkeys(_passages(fact.diffs))
    return found + [Mute("passage", each) for each in [*passages][:MAX_PASSAGES]]


def _passages(diffs: Iterable[Diff]) -> Iterable[str]:
    """Yield what is on the page now, and so can be found there."""
    for diff in diffs:
        passage = "" if diff.event == "removed" and not diff.after else diff.after or diff.text
        if passage.strip():
            yield passage[:MAX_EXPRESSION]


def _without(options: Options, passage: str) -> tuple[Selector, ...]:
    return tuple(
        each for each in options.view.exclude if each.quote is None or each.quote.exact != passage
    )


def _excluding(options: Options, exclude: tuple[Selector, ...]) -> Options:
    return replace(options, view=replace(options.view, exclude=exclude))

"""The watches for an address: found, counted, sorted and cut into pages."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from connectors.display.subscription_texts import pages_name
from connectors.languages.texts import gettext, msgid
from connectors.page.filters import MAX_CHIPS, Chip, asked_tag, asked_text, tag_chips
from connectors.page.watch.states import kind_of
from connectors.stores.pages import ListedSubscription
from schemas.records.pages import is_pages

PER_PAGE = 50
STATES = {
    "": msgid("All"),
    "failing": msgid("Failing"),
    "lost": msgid("Lost"),
    "paused": msgid("Paused"),
    "ended": msgid("Ended"),
}
"""The states to choose from. All are the states before the end."""
SORTS = (
    ("", msgid("Newest")),
    ("change", msgid("Last change")),
    ("name", msgid("Name")),
    ("check", msgid("Next check")),
    ("failing", msgid("Failing first")),
)
_DIGITS = re.compile(r"\d+")
_LONGEST = 12
"""The most digits of a number in a name by which names are sorted as numbers are."""
_URGENCY = ("failing", "lost", "waiting", "", "paused", "ended")
Time = Callable[[ListedSubscription], int | None]


@dataclass(frozen=True, slots=True)
class WatchQuery:
    """The query of the list's address.

    The list begins after the cursor ``after``; ``page`` counts from 1 within the list after the
    cursor.
    """

    q: str = ""
    tag: str = ""
    state: str = ""
    sort: str = ""
    after: str = ""
    page: int = 1

    def address(self, **changes: str | int) -> str:
        """Return the address of the same list with changes, from its first page on.

        >>> WatchQuery(q="zeus", page=3).address(state="lost")
        '/?q=zeus&state=lost'
        """
        given = {**asdict(self), "page": 1, **changes}
        asked = {name: value for name, value in given.items() if value not in ("", 1)}
        return f"/?{urlencode(asked)}" if asked else "/"

    @property
    def is_filtered(self) -> bool:
        """Whether not all watches are asked for."""
        return bool(self.q or self.tag or self.state or self.after)


def watch_query(query: Mapping[str, str]) -> WatchQuery:
    """Read the query of an address; invalid parts count as missing.

    >>> watch_query({"sort": "name", "state": "x", "page": "-1"})
    WatchQuery(q='', tag='', state='', sort='name', after='', page=1)
    """
    page, state, sort = (query.get(name, "") for name in ("page", "state", "sort"))
    return WatchQuery(
        q=asked_text(query),
        tag=asked_tag(query),
        # Addresses of earlier releases ask for those that ended with ``ended``.
        state=state if state in STATES and state else "ended" if "ended" in query else "",
        sort=sort if sort in dict(SORTS) else "",
        after=query.get("after", ""),
        page=max(1, int(page)) if page.isascii() and page.isdecimal() and len(page) < 6 else 1,
    )


@dataclass(frozen=True, slots=True)
class Sifted:
    """The filtered watches, and their number by state and tag."""

    watches: list[ListedSubscription]
    states: Counter[str]
    tags: Counter[str]


def sifted(watches: Iterable[ListedSubscription], asked: WatchQuery) -> Sifted:
    """Return the watches with the state and the tag.

    States are counted of those with the tag, and tags of those with the state.
    """
    states, tags, found = Counter[str](), Counter[str](), []
    for each in watches:
        kind = kind_of(each)
        has_tag = not asked.tag or asked.tag in each.subscription.options.tags
        has_state = asked.state == kind or (not asked.state and kind != "ended")
        if has_tag:
            states[kind] += 1
            if kind not in ("", "ended"):
                states[""] += 1
        if has_state:
            tags.update(each.subscription.options.tags)
        if has_tag and has_state:
            found.append(each)
    return Sifted(found, states, tags)


def title_of(listed: ListedSubscription) -> str:
    """Return the name of a watch, or the title of its page, or the name of its pages."""
    url = listed.subscription.url
    return listed.called or (pages_name(url) if is_pages(url) else "")


def ordered(
    watches: Sequence[ListedSubscription], sort: str, last_change: Time, next_check: Time
) -> list[ListedSubscription]:
    """Return watches, given newest first, in another order; those without a time are last."""

    def name(each: ListedSubscription) -> str:
        url = each.subscription.document_url.partition("//")[2]
        text = (title_of(each) or url.removeprefix("www.")).casefold()
        return _DIGITS.sub(lambda number: number[0].zfill(_LONGEST), text)

    keys: dict[str, Callable[[ListedSubscription], tuple[float, str]]] = {
        "change": lambda each: (-(last_change(each) or 0), ""),
        "name": lambda each: (0, name(each)),
        "check": lambda each: (next_check(each) or float("inf"), ""),
        "failing": lambda each: (_URGENCY.index(kind_of(each)), ""),
    }
    return sorted(watches, key=keys[sort]) if sort else list(watches)


def state_chips(states: Counter[str], asked: WatchQuery) -> list[Chip]:
    """Return the states to choose from: all, and the present states."""
    return [
        Chip(gettext(name), asked.address(state=state), state == asked.state, states[state])
        for state, name in STATES.items()
        if states[state] or state in ("", asked.state)
    ]


def tag_counts(tags: Counter[str], asked: WatchQuery) -> list[Chip]:
    """Return the most used tags as they can be chosen."""
    counts = dict(tags.most_common(MAX_CHIPS))
    return tag_chips(lambda tag: asked.address(tag=tag), counts, asked.tag, counts)


@dataclass(frozen=True, slots=True)
class ListPart:
    """A page of a list: from the ``first`` item (from 1) on to the ``last``, of ``count``."""

    first: int
    last: int
    count: int
    previous: str | None
    next: str | None


def part_of(count: int, asked: WatchQuery) -> ListPart:
    """Return the asked page of a list, or its last."""
    page = max(1, min(asked.page, -(-count // PER_PAGE)))
    first, last = PER_PAGE * (page - 1), min(count, PER_PAGE * page)
    before = asked.address(page=page - 1) if page > 1 else None
    after = asked.address(page=page + 1) if last < count else None
    return ListPart(first + 1, last, count, before, after)

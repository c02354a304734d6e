"""The tools of an assistant, each with its description for a model.

A description states in few words the content of the answer, the units, and the next step. Writing
tools are for callers with a writing key.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from connectors.mcp.calls import RefusedCall, RestCalls, segment

Arguments = Mapping[str, Any]
Run = Callable[[RestCalls, Arguments], Awaitable[Any]]
Schema = dict[str, Any]

SESSION = "assistant"
"""The receiver of a model's watches by default: their news are asked for."""
LISTED = (
    *("id", "name", "title", "documentUrl", "keywords", "view", "when", "interval", "tags"),
    *("clientUrl", "session", "state", "reason", "lastCheck", "nextCheck", "failures"),
    *("lastError", "missing", "undoUntil"),
)
NEWS = (
    *("id", "subscription", "name", "title", "url", "document"),
    *("status", "reason", "number", "at"),
)
DIFF = ("event", "keyword", "before", "after", "text", "heading")
STATE = (
    *("id", "title", "state", "reason", "lastCheck", "nextCheck", "failures", "lastError"),
    *("missing", "lostSince", "confidence", "notYetNotified", "pagesWithoutRoom", "flapping"),
    *("waitingSince", "waitingFor", "undoUntil"),
)
"""Fields of a listed subscription outside of requests."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool; ``writes`` if the tool changes watches. ``required`` are names of ``fields``."""

    name: str
    description: str
    fields: Mapping[str, Schema]
    required: tuple[str, ...]
    writes: bool
    run: Run

    @property
    def schema(self) -> Schema:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": dict(self.fields),
            "required": list(self.required),
            "additionalProperties": False,
        }


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _count(description: str, most: int) -> Schema:
    return {"type": "integer", "minimum": 1, "maximum": most, "description": description}


URL = _text("Address of the page, http or https.")
WATCH = _text("Id of the watch, from list_watches.")
WORDS: Schema = {
    "type": "array",
    "items": {"type": "string"},
    "maxItems": 100,
    "description": "Words to notify of; all words of one string must be in a changed sentence. "
    '["*"] is any change.',
}
OPTIONS: Schema = {
    "type": "object",
    "description": "More fields of Vokter's POST /subscribe, such as ignoreCase, enableStemming, "
    'ignoreAdded, ignoreRemoved, tags, view ({"select": [{"css": "#price"}], "number": {}}), '
    'when ({"below": "100"}).',
}
CURSOR = _text('The "next" of the answer before, for older items.')
LIMIT = _count("Items at most; 20 by default.", 100)


async def _watch(rest: RestCalls, given: Arguments) -> Any:
    to = given.get("to") or SESSION
    receiver = "clientUrl" if to.startswith(("http:", "https:", "channel:")) else "session"
    return await rest.post(
        "subscribe",
        {
            "ignoreCase": True,
            **given.get("options", {}),
            "documentUrl": given["url"],
            receiver: to,
            "keywords": given.get("words") or ["*"],
            "interval": given.get("interval"),
            "name": given.get("name"),
        },
    )


async def _edit(rest: RestCalls, given: Arguments) -> Any:
    listed = await _watch_of(rest, given["watch"])
    kept = {name: value for name, value in listed.items() if name not in STATE}
    changed = {"keywords": given.get("words"), "interval": given.get("interval")}
    fields = {name: value for name, value in changed.items() if value is not None}
    return await rest.post(
        "subscribe", {**kept, **given.get("options", {}), **fields, "replace": True}
    )


async def _list(rest: RestCalls, given: Arguments) -> Any:
    page = await rest.get(
        "subscriptions",
        tag=given.get("tag"),
        limit=given.get("limit", 20),
        cursor=given.get("cursor"),
    )
    watches = [_only(each, LISTED) for each in page["subscriptions"]]
    return {"watches": watches, "next": page["next"]}


async def _news(rest: RestCalls, given: Arguments) -> Any:
    page = await rest.get(
        "notifications",
        tag=given.get("tag"),
        q=given.get("text"),
        limit=given.get("limit", 20),
        cursor=given.get("cursor"),
    )
    since = given.get("since", "")
    news = [
        {**_only(each, NEWS), "changes": [_only(diff, DIFF) for diff in each["diffs"]]}
        for each in page["notifications"]
        # Both are UTC in one form, of which a part is a beginning.
        if each["at"] >= since
    ]
    is_over = len(news) < len(page["notifications"])
    return {"news": news, "next": None if is_over else page["next"]}


async def _suppressed(rest: RestCalls, given: Arguments) -> Any:
    page = await rest.get("suppressed", limit=given.get("limit", 20), cursor=given.get("cursor"))
    names = (*NEWS, "because", "suppressedAt", "sentAt")
    items = [
        {**_only(each, names), "changes": [_only(diff, DIFF) for diff in each["diffs"]]}
        for each in page["suppressed"]
    ]
    return {"suppressed": items, "next": page["next"]}


TOOLS = (
    # Without a tool, on purpose: secrets and credentials (rotate, credentials, key, evidence-key),
    # what a program consumes (events, deliveries, feed, metrics, openapi, health, mcp), what sends
    # to others (test, backfill), many at once (bulk), names (rename), words, pictures, documents.
    Tool(
        "list_watches",
        "List what is watched, oldest first, with the state of each, when it was last read and "
        "why not, if it fails.",
        {"tag": _text("Only those with this tag."), "limit": LIMIT, "cursor": CURSOR},
        (),
        False,
        _list,
    ),
    Tool(
        "news",
        "List what was notified, newest first: which words were added to or removed from which "
        "page, with the sentence before and after.",
        {
            "since": _text("Only news from this time on, in UTC, such as 2026-11-27T08:00."),
            "tag": _text("Only news of watches with this tag."),
            "text": _text("Only news in which this text stands."),
            "limit": LIMIT,
            "cursor": CURSOR,
        },
        (),
        False,
        _news,
    ),
    Tool(
        "suppressed",
        "List what a watch with a rule in plain words did not notify of, newest first, and why "
        "(because): a language model found that its rule does not want it.",
        {"limit": LIMIT, "cursor": CURSOR},
        (),
        False,
        _suppressed,
    ),
    Tool(
        "change",
        "Get one of the news with both sides of its page, and the proof of it, signed.",
        {"news": _text("Id of one of the news.")},
        ("news",),
        False,
        lambda rest, given: rest.get(f"evidence/{segment(given['news'])}"),
    ),
    Tool(
        "compare",
        "Get the sentences that the newest change of a watch removed and added, or an older one.",
        {"watch": WATCH, "at": _text("What the page was at this time, in UTC.")},
        ("watch",),
        False,
        lambda rest, given: _of_watch(rest, "differences", given, at=given.get("at")),
    ),
    Tool(
        "series",
        "List what the number of a watch has been, such as a price, newest first.",
        {"watch": WATCH, "limit": LIMIT, "cursor": CURSOR},
        ("watch",),
        False,
        lambda rest, given: _of_watch(
            rest, "numbers", given, limit=given.get("limit", 20), cursor=given.get("cursor")
        ),
    ),
    Tool(
        "search_history",
        "Find a word in the text that a watched page has, or had at a time.",
        {
            "watch": WATCH,
            "word": _text("One word."),
            "at": _text("The text of this time, in UTC; by default the newest."),
            "limit": LIMIT,
            "cursor": CURSOR,
        },
        ("watch", "word"),
        False,
        lambda rest, given: _of_watch(
            rest,
            "occurrences",
            given,
            word=given["word"],
            at=given.get("at"),
            ignoreCase="true",
            limit=given.get("limit", 20),
            cursor=given.get("cursor"),
        ),
    ),
    Tool(
        "search_changes",
        "Find words in all changes that the watches saw, newest first, also in those that nobody "
        "was notified of: the watch, the change, and the sentence with the words.",
        {
            "words": _text('Words in any form, all of which a change has; "in quotes": a phrase.'),
            "since": _text("Only changes from this time on, such as 2026-11-27T08:00:00Z."),
            "limit": LIMIT,
            "cursor": CURSOR,
        },
        ("words",),
        False,
        lambda rest, given: rest.get(
            "search",
            q=given["words"],
            since=given.get("since"),
            limit=given.get("limit", 20),
            cursor=given.get("cursor"),
        ),
    ),
    Tool(
        "backtest",
        "Show what a watch would have been notified of by the changes that are kept of a page "
        "that is watched already. Nothing is changed.",
        {"url": URL, "words": WORDS, "options": OPTIONS, "limit": LIMIT},
        ("url",),
        False,
        lambda rest, given: rest.post("backtest", _trial(given), limit=given.get("limit", 20)),
    ),
    Tool(
        "try_page",
        "Fetch a page once and show what is read of it, and which of the words stand there. Use "
        "it before you watch a page. Takes up to a minute.",
        {"url": URL, "words": WORDS, "options": OPTIONS},
        ("url",),
        True,
        lambda rest, given: rest.post("try", _trial(given), lines=40),
    ),
    Tool(
        "watch",
        "Watch a page from now on. Its first reading notifies nobody. Without a receiver, ask "
        "for its news with the tool news.",
        {
            "url": URL,
            "words": WORDS,
            "name": _text("Its name; a receiver watches a page several times by other names."),
            "to": _text("Who is notified: channel:NAME, a webhook's URL, or the name of a reader."),
            "interval": _count("Seconds between readings; 600 by default, 60 at least.", 10**8),
            "options": OPTIONS,
        },
        ("url",),
        True,
        _watch,
    ),
    Tool(
        "edit_watch",
        "Change the words, the interval or other options of a watch. Its history stays, and what "
        "the edit alone changes notifies nobody.",
        {
            "watch": WATCH,
            "words": WORDS,
            "interval": _count("Seconds between readings.", 10**8),
            "options": OPTIONS,
        },
        ("watch",),
        True,
        _edit,
    ),
    Tool(
        "check_now",
        "Read the page of a watch as soon as that is allowed, which the answer says. Its news "
        "come a few seconds later.",
        {"watch": WATCH},
        ("watch",),
        True,
        lambda rest, given: rest.post("check", {"id": given["watch"]}),
    ),
    Tool(
        "pause",
        "Notify of nothing until the watch goes on, or let it go on, also a stopped one until its "
        "undoUntil. What changes during a pause is not notified.",
        {"watch": WATCH, "paused": {"type": "boolean", "description": "False: it goes on."}},
        ("watch", "paused"),
        True,
        lambda rest, given: rest.post(
            "pause" if given["paused"] else "resume", {"id": given["watch"]}
        ),
    ),
    Tool(
        "send_suppressed",
        "Send one of the suppressed to the receiver of its watch after all.",
        {"suppressed": _text("Id of one of the suppressed.")},
        ("suppressed",),
        True,
        lambda rest, given: rest.post(f"suppressed/{segment(given['suppressed'])}/send", {}),
    ),
    Tool(
        "stop",
        "Stop a watch. For a minute the tool pause undoes that with paused: false. Its news and "
        "history stay for a while.",
        {"watch": WATCH},
        ("watch",),
        True,
        lambda rest, given: rest.post("cancel", {"id": given["watch"], "undo": True}),
    ),
)


async def _watch_of(rest: RestCalls, watch: str) -> dict[str, Any]:
    found: dict[str, Any] = await rest.get(f"subscriptions/{segment(watch)}")
    return found


async def _of_watch(rest: RestCalls, path: str, given: Arguments, **query: object) -> Any:
    listed = await _watch_of(rest, given["watch"])
    if listed["documentUrl"].startswith("pages:"):
        raise RefusedCall("This watch is of many pages: name a watch of one page.")
    return await rest.get(
        path, documentUrl=listed["documentUrl"], subscription=listed["id"], **query
    )


def _trial(given: Arguments) -> dict[str, Any]:
    return {
        "ignoreCase": True,
        **given.get("options", {}),
        "documentUrl": given["url"],
        "keywords": given.get("words") or ["*"],
    }


def _only(item: Arguments, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the non-empty fields of an item under these names."""
    return {name: item[name] for name in names if item.get(name) not in (None, "", [], {})}

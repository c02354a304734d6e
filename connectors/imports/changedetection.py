"""A watch of changedetection.io as a subscription."""

from collections.abc import Callable
from typing import Any

from connectors.imports.browser_steps import take_steps
from connectors.imports.draft import Draft, ImportedWatch, shown, texts, whole_number
from connectors.imports.expressions import NO_JQ, json_path_of_jq, slashed_rule
from connectors.imports.files import Backup
from connectors.imports.requests import (
    leave_proxy,
    take_body,
    take_headers,
    take_method,
    take_url,
)
from connectors.imports.restock import follows_price, follows_stock, take_price, take_stock
from schemas.records.urls import without_userinfo

Watch = dict[str, Any]

_SECONDS = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_SOURCE = "source:"
_MARKUP = ("html", "xml", "rss", "atom")
_MERGED = (
    "include_filters", "subtractive_selectors", "ignore_text", "trigger_text", "extract_text",
    "extract_lines_containing", "text_should_not_be_present",
)  # fmt: skip
_CONDITIONS = {
    "text_should_not_be_present": "a change is notified whatever else the page says",
    "conditions": "a change is notified whatever else the page says",
    "extract_text": "a text is watched as it is; select a smaller part of the page instead",
    "webdriver_js_execute_code": "no scripts of a watch are run",
    "notification_urls": "--to or --session says who is notified",
    "notification_title": "a notification is JSON",
    "notification_body": "a notification is JSON",
    "llm_intent": "no language model is asked",
    "link_to_open": "a notification says the URL that is watched",
}


def take_watch(key: str, watch: Watch, backup: Backup) -> ImportedWatch:
    """Return the importable part of a watch, with its groups and the settings for all."""
    address = str(watch.get("url") or "")
    draft = Draft(key, shown(watch.get("title") or without_userinfo(address)))
    url = take_url(draft, address.removeprefix(_SOURCE))
    if url is not None:
        draft.called("title", watch.get("title"))
        if address.startswith(_SOURCE):
            draft.take(_SOURCE, "documentContentType", "text/plain")
        merged = _effective(watch, backup)
        if follows_price(merged):
            parts = _PRICE_PARTS
        else:
            parts = _STOCK_PARTS if follows_stock(merged) else _PARTS
        for take in parts:
            take(draft, merged)
    return draft.finished(url)


def _effective(watch: Watch, backup: Backup) -> Watch:
    """Return a watch with the additions of its groups and the settings for all."""
    application, requests = backup.application, backup.requests
    groups = [backup.tags[each] for each in texts(watch.get("tags")) if each in backup.tags]
    lists = {}
    for name in _MERGED:
        several = [each.get(name) for each in (watch, *groups)]
        several.append(application.get(f"global_{name}"))
        lists[name] = list(dict.fromkeys(text for each in several for text in texts(each)))
    overriding = (each.get("restock_settings") for each in groups if each.get("overrides_watch"))
    headers = watch.get("headers")
    backend = watch.get("fetch_backend") or "system"
    own = _seconds(watch.get("time_between_check"))
    default = _seconds(requests.get("time_between_check"))
    return watch | {
        **lists,
        "headers": backup.headers | (headers if isinstance(headers, dict) else {}),
        "proxy": watch.get("proxy") or requests.get("proxy"),
        "fetch_backend": application.get("fetch_backend") if backend == "system" else backend,
        "render_anchor_tag_content": application.get("render_anchor_tag_content"),
        "paused": watch.get("paused") or application.get("all_paused"),
        "notification_muted": watch.get("notification_muted") or application.get("all_muted"),
        "seconds": (
            default or own if watch.get("time_between_check_use_default") else own or default
        ),
        # Of the first group that overrides those of its watches, else the watch's.
        "restock_settings": next(filter(None, overriding), watch.get("restock_settings")),
        "groups": texts([each.get("title") for each in groups]),
    }


def _seconds(value: Any) -> int:
    found = value if isinstance(value, dict) else {}
    return sum(
        (whole_number(text) or 0) * length
        for unit, length in _SECONDS.items()
        for text in texts(found.get(unit))
    )


def _take_state(draft: Draft, watch: Watch) -> None:
    if watch["paused"]:
        draft.take("paused", "paused", True)
    draft.take("checks after failures", "maxFailures", "never")
    if watch.get("filter_failure_notification_send"):
        draft.take("filter_failure_notification_send", "notifyFailures", True)
    if watch["notification_muted"]:
        draft.leave("notification_muted", "a subscription that is not paused is notified")


def _take_time(draft: Draft, watch: Watch) -> None:
    if watch["seconds"]:
        draft.take("time_between_check", "interval", watch["seconds"])
    schedule = watch.get("time_schedule_limit")
    if isinstance(schedule, dict) and schedule.get("enabled"):
        draft.leave("time_schedule_limit", "a page is fetched at all hours")


def _take_selectors(draft: Draft, watch: Watch) -> None:
    languages = _languages(watch)
    for name, ours in (("include_filters", "select"), ("subtractive_selectors", "exclude")):
        for text in watch[name]:
            selector = _selector(text)
            what = f"{name} {shown(text)}"
            if selector is None:
                draft.leave(what, NO_JQ)
            elif selector.keys() <= languages:
                draft.view(what, ours, [selector])
            else:
                draft.leave(what, "a document of this type has no such parts")


def _languages(watch: Watch) -> set[str]:
    """Return the languages of selectors for the type of the last document, known or guessed."""
    media = str(watch.get("content-type") or "").lower()
    if str(watch.get("url")).startswith(_SOURCE):
        return set()
    if "json" in media or (
        not media
        and any(each.startswith(("json:", "jq:", "jqraw:")) for each in watch["include_filters"])
    ):
        return {"jsonpath"}
    return {"css", "xpath"} if not media or any(each in media for each in _MARKUP) else set()


def _selector(text: str) -> dict[str, str] | None:
    """Return a selector in Vokter's form.

    Example:
        >>> _selector("json:items[0].price"), _selector("xpath://h1"), _selector("h1")
        ({'jsonpath': '$.items[0].price'}, {'xpath': '//h1'}, {'css': 'h1'})
    """
    language, colon, rest = text.partition(":")
    if colon and language in {"jq", "jqraw"}:
        path = json_path_of_jq(rest)
        return None if path is None else {"jsonpath": path}
    if colon and language == "json":
        return {"jsonpath": rest if rest.startswith("$") else f"$.{rest}"}
    if colon and language in {"xpath", "xpath1"}:
        return {"xpath": rest}
    return {"xpath": text} if text.startswith("/") else {"css": text}


def _take_ignored(draft: Draft, watch: Watch) -> None:
    for text in watch["ignore_text"]:
        rule = slashed_rule(text)
        draft.ignore(f"ignore_text {shown(text)}", rule.line_pattern)


def _take_words(draft: Draft, watch: Watch) -> None:
    for name, scope in (("trigger_text", "document"), ("extract_lines_containing", "sentence")):
        if not watch[name]:
            continue
        rules = {text: slashed_rule(text) for text in watch[name]}
        words = [rule for rule in rules.values() if rule.keywords]
        if "keywords" in draft.fields:
            draft.leave(name, "its words would have to be in the same keywords as trigger_text")
        elif words:
            keywords = dict.fromkeys(each for rule in words for each in rule.keywords)
            draft.take(name, "keywords", list(keywords))
            draft.fields["scope"] = scope
            draft.fields["ignoreCase"] = any(rule.ignores_case for rule in words)
            draft.differ(name, "keywords are whole words")
            for text in (text for text, rule in rules.items() if not rule.keywords):
                draft.leave(f"{name} {shown(text)}", "a keyword is words; what it finds is missed")
        else:
            draft.leave(name, "a keyword is words, not an expression; every change is notified")


def _take_changes(draft: Draft, watch: Watch) -> None:
    kinds = [watch.get(f"filter_text_{kind}") is False for kind in ("added", "removed", "replaced")]
    no_added, no_removed, no_replaced = kinds
    if no_added and no_removed:
        draft.leave("filter_text_replaced", "added or removed text has to be notified")
        return
    if no_added:
        draft.take("filter_text_added", "ignoreAdded", True)
    if no_removed:
        draft.take("filter_text_removed", "ignoreRemoved", True)
    if no_replaced:
        draft.differ("filter_text_replaced", "of an edited sentence the new or the old side counts")
    if watch.get("check_unique_lines"):
        draft.take("check_unique_lines", "ignoreReturns", True)
        draft.differ("check_unique_lines", "whole texts are compared with the last 64, not lines")


def _take_request(draft: Draft, watch: Watch) -> None:
    take_headers(draft, watch["headers"])
    take_method(draft, watch.get("method"))
    if watch.get("body"):
        take_body(draft, "body", str(watch["body"]))
    leave_proxy(draft, "proxy", watch["proxy"])
    if watch.get("ignore_status_codes"):
        draft.leave("ignore_status_codes", "onStatus names the statuses that are content")


def _take_browser(draft: Draft, watch: Watch) -> None:
    backend = str(watch["fetch_backend"] or "")
    if "webdriver" in backend or "browser" in backend or "playwright" in backend:
        draft.view(f"fetch_backend {shown(backend)}", "render", True)
        take_steps(draft, watch)
    elif backend not in {"", "html_requests", "system"}:
        draft.leave(f"fetch_backend {shown(backend)}", "the page is requested by HTTP alone")


def _take_links(draft: Draft, watch: Watch) -> None:
    media = str(watch.get("content-type") or "html").lower()
    if watch["render_anchor_tag_content"] and "css" in _languages(watch) and "html" in media:
        draft.view("render_anchor_tag_content", "attributes", ["href"])


def _take_processor(draft: Draft, watch: Watch) -> None:
    processor = str(watch.get("processor") or "text_json_diff")
    if processor != "text_json_diff":
        draft.differ(f"processor {shown(processor)}", "the text of the page is compared")
    if watch.get("sort_text_alphabetically"):
        draft.need_none("sort_text_alphabetically", "sentences that only moved are not notified")
    if watch.get("trim_text_whitespace"):
        draft.need_none("trim_text_whitespace", "white space is no change")
    if watch.get("remove_duplicate_lines"):
        draft.differ(
            "remove_duplicate_lines", "repeated lines stay, and a change of one is a change"
        )


def _say_others(draft: Draft, watch: Watch) -> None:
    for name, why in _CONDITIONS.items():
        if watch.get(name):
            draft.leave(name, why)


_PARTS: tuple[Callable[[Draft, Watch], None], ...] = (
    _take_state,
    lambda draft, watch: draft.tags("tags", watch["groups"]),
    _take_time,
    _take_selectors,
    _take_links,
    _take_ignored,
    _take_words,
    _take_changes,
    _take_browser,
    _take_request,
    _take_processor,
    _say_others,
)
_PRICE_PARTS: tuple[Callable[[Draft, Watch], None], ...] = (
    _take_state,
    lambda draft, watch: draft.tags("tags", watch["groups"]),
    _take_time,
    _take_selectors,
    _take_ignored,
    take_price,
    _take_browser,
    _take_request,
    _say_others,
)
"""Of a watch of a price, which has no words."""
_STOCK_PARTS = tuple(take_stock if part is take_price else part for part in _PRICE_PARTS)

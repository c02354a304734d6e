"""A job of urlwatch or webchanges as a subscription."""

import json
from collections.abc import Callable
from typing import Any

from connectors.imports.draft import Draft, ImportedWatch, shown, texts, whole_number
from connectors.imports.filters import take_filters
from connectors.imports.requests import (
    form_of,
    leave_proxy,
    leave_secret,
    take_body,
    take_headers,
    take_method,
    take_url,
    with_parameters,
)
from schemas.records.field_types import MAX_FAILING_AFTER
from schemas.records.urls import without_userinfo

Job = dict[str, Any]

_FORM = "application/x-www-form-urlencoded"
_DEPLOYMENT = {
    "timeout": "VOKTER_FETCH_TIMEOUT limits all visits",
    "same_site_delay": "VOKTER_HOST_DELAY keeps visits of a host apart",
    "retries": "a failed fetch is repeated at the next interval",
    "http_client": "there is one HTTP client",
    "http_version": "there is one HTTP client",
    "suppress_repeated_errors": "a failure is notified once",
    "empty_as_transient": "an empty page is believed at its second visit",
    "block_elements": "a browser gets no images, fonts and media",
    "ignore_incomplete_reads": "half a page is a failed fetch",
    "ignore_cached": "the server says whether a page is unchanged",
    "no_conditional_request": "the server says whether a page is unchanged",
}
_REPORT = (
    "note", "user_visible_url", "contextlines", "monospace", "is_markdown",
    "markdown_padded_tables",
)  # fmt: skip
_QUIET = (
    "ignore_connection_errors", "ignore_timeout_errors", "ignore_too_many_redirects",
    "suppress_errors",
)  # fmt: skip
_PROXIES = ("proxy", "http_proxy", "https_proxy")
_DONE = {
    "kind", "url", "navigate", "name", "command", "use_browser", "filter", "filters", "headers",
    "cookies", "data", "data_as_json", "method", "params", "enabled", "additions_only",
    "deletions_only",
    "compared_versions", "useragent", "wait_for", "wait_for_selector", "wait_for_timeout",
    "wait_until", "tags", "guid", "index_number", "http_credentials", "max_tries",
    "ignore_http_error_codes", *_DEPLOYMENT, *_REPORT,
    *_QUIET, *_PROXIES,
}  # fmt: skip


def take_job(number: int, job: Job) -> ImportedWatch:
    """Return the importable part of a job, the defaults of its file included."""
    where = job.get("url") or job.get("navigate")
    name = job.get("name") or without_userinfo(str(where or job.get("command") or ""))
    draft = Draft(str(number), shown(name))
    if where is None:
        why = "Vokter runs no commands" if "command" in job else "it has no url"
        draft.leave("the job", why)
        return draft.finished(None)
    url = take_url(draft, where)
    if url is not None:
        draft.called("name", job.get("name"))
        for take in _PARTS:
            take(draft, job)
        url = with_parameters(url, job["params"]) if job.get("params") else url
    return draft.finished(url)


def _take_state(draft: Draft, job: Job) -> None:
    if job.get("enabled") is False:
        draft.take("enabled", "paused", True)
    quiet = [name for name in _QUIET if job.get(name)]
    if quiet:
        draft.need_none(", ".join(quiet), "failures are not notified unless asked for")
    else:
        draft.take("the report of errors", "notifyFailures", True)
        tries = str(job.get("max_tries") or "")  # failures in a row before a report
        if failures := whole_number(tries):
            draft.take("max_tries", "failingAfter", min(failures, MAX_FAILING_AFTER))
            draft.differ("max_tries", "the tries are visits, one at each interval")
        elif tries:
            draft.leave("max_tries", "it is no whole number")
    if job.get("ignore_http_error_codes"):
        draft.differ("ignore_http_error_codes", "notices, if there are any, say them as well")
    draft.take("runs after failures", "maxFailures", "never")
    draft.tags("tags", texts(job.get("tags")))


def _take_request(draft: Draft, job: Job) -> None:
    take_headers(draft, job.get("headers"))
    if job.get("useragent"):
        draft.view("useragent", "userAgent", str(job["useragent"]))
    if job.get("cookies"):
        leave_secret(draft, "cookies", "--cookies cookies.txt")
    if job.get("http_credentials"):
        leave_secret(draft, "http_credentials", "--for ORIGIN --basic USER")
    for name in _PROXIES:
        leave_proxy(draft, name, job.get(name))


def _take_body(draft: Draft, job: Job) -> None:
    data = job.get("data")
    take_method(draft, job.get("method"), "GET" if data is None else "POST")
    if data is None:
        return
    is_json = bool(job.get("data_as_json"))
    try:
        body = json.dumps(data) if is_json else form_of(data)
    except TypeError:
        draft.leave("data", "it has a value that JSON has not, such as a date; put it in quotes")
        return
    take_body(draft, "data", body)
    named = {str(name).lower() for name in draft.view_fields.get("headers", ())}
    if "body" in draft.view_fields and "content-type" not in named:
        kind = "application/json" if is_json else _FORM
        draft.view("the type of data", "headers", {"Content-Type": kind})


def _take_browser(draft: Draft, job: Job) -> None:
    if not job.get("use_browser") and "navigate" not in job:
        return
    draft.view("the browser", "render", True)
    name = "wait_for_selector" if job.get("wait_for_selector") else "wait_for"
    selector, until = job.get(name), job.get("wait_until")
    if isinstance(selector, str):
        draft.view(name, "waitFor", {"selector": selector})
    elif selector:
        draft.leave(name, "only one selector as a text can be waited for")
    if str(until).startswith("networkidle"):
        draft.view("wait_until", "waitFor", {"networkIdle": True})
    elif until:
        draft.differ("wait_until", "a page is read when it has loaded and is quiet for a moment")
    pause = str(job.get("wait_for_timeout") or "")
    if (milliseconds := whole_number(pause)) is not None:
        step = {"wait": {"seconds": -(-milliseconds // 1000)}}
        draft.view("wait_for_timeout", "steps", [step])
    elif pause:
        draft.leave("wait_for_timeout", "it is no whole number of milliseconds")


def _take_changes(draft: Draft, job: Job) -> None:
    for theirs, ours in (("additions_only", "ignoreRemoved"), ("deletions_only", "ignoreAdded")):
        if job.get(theirs):
            draft.take(theirs, ours, True)
            if job[theirs] is not True:
                draft.differ(theirs, "any share of added or removed text is notified")
    if job.get("compared_versions"):
        draft.take("compared_versions", "ignoreReturns", True)
        draft.differ("compared_versions", "a page is compared with its last 64 texts")


def _say_others(draft: Draft, job: Job) -> None:
    for name, why in _DEPLOYMENT.items():
        if job.get(name) is not None:
            draft.differ(name, why)
    for name in _REPORT:
        if job.get(name):
            draft.leave(name, "a notification says the URL and what changed, and has no such field")
    for name in sorted(map(str, set(job) - _DONE)):
        if not name.startswith("_") and job[name] not in (None, False):
            draft.leave(name, "there is no counterpart")


_PARTS: tuple[Callable[[Draft, Job], None], ...] = (
    _take_state,
    _take_browser,
    _take_request,
    _take_body,
    lambda draft, job: take_filters(draft, job.get("filters", job.get("filter"))),
    _take_changes,
    _say_others,
)

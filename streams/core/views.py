"""Views: what of a subscription's options says how a fetched page is read.

A view is a value. Two that mean the same have one canonical form, and so one id. The id
hashes only what differs from the default: a part that a later release adds leaves the ids of
all views that do not use it.
"""

import json
from dataclasses import fields

from schemas.subscriptions import Options
from schemas.views import View, WatchedView
from streams.core.ids import content_id


def view_of(options: Options) -> View:
    """Return the view that a subscription's options describe, in canonical form.

    >>> view_of(Options(content_type=" Text/Plain ", on_status=(410, 404, 404), interval=900))
    View(content_type='text/plain', on_status=(404, 410))
    """
    return View(
        content_type=(options.content_type or "").strip().lower() or None,
        on_status=tuple(sorted(set(options.on_status))),
    )


def watched_view(options: Options) -> WatchedView:
    """Return the same view with its id.

    >>> watched_view(Options()).id
    ''
    """
    view = view_of(options)
    return WatchedView(view_id(view), view)


def view_id(view: View) -> str:
    """Return the content id of a view in canonical form; that of the default view is empty."""
    default = View()
    chosen = {
        field.name: getattr(view, field.name)
        for field in fields(View)
        if getattr(view, field.name) != getattr(default, field.name)
    }
    return content_id("view", json.dumps(chosen, sort_keys=True)) if chosen else ""

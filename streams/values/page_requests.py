"""The request part of a view in canonical form: equal for equal requests to a server."""

from dataclasses import replace

from schemas.records.page_requests import Header, PageRequest, default_content_type
from schemas.records.rendering import Rendering
from schemas.records.urls import canonical
from schemas.records.views import ViewOptions


def page_request_of(view: ViewOptions) -> PageRequest:
    """Return how a client asks for its page to be got, in canonical form, without an owner.

    >>> page_request_of(ViewOptions(headers=(Header("X-B", " 2 "), Header("a", "1")))).headers
    (Header(name='a', value='1'), Header(name='x-b', value='2'))
    """
    headers = {each.name.lower(): each.value.strip() for each in view.headers}
    if view.body and headers.get("content-type") == default_content_type(view.body):
        del headers["content-type"]
    return PageRequest(
        method=view.method.upper(),
        headers=tuple(Header(name, headers[name]) for name in sorted(headers)),
        body=view.body,
        user_agent=view.user_agent.strip(),
        language=view.language.strip(),
        proxy=view.proxy,
        credentials=view.credentials,
        rendering=_rendering(view),
    )


def _rendering(view: ViewOptions) -> Rendering | None:
    """Return the browser's part of a request; addresses inside are canonical."""
    if not view.render:
        return None
    steps = (replace(step, goto=canonical(step.goto or "")) for step in view.steps)
    return Rendering(view.wait_for, tuple(steps), view.screenshot)

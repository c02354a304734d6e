"""Errors of rendering, apart from faults of the page."""


class BrowserUnavailable(OSError):
    """The browser could not be started or reached; the text says why."""


class BrowserEnded(Exception):
    """The browser ended during the rendering of a page."""

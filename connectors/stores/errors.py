"""Errors of stores."""


class StoreUnavailable(OSError):
    """The store cannot do this now (locked, full, unreachable): retry later."""


class StoreRefused(Exception):
    """The store must not be opened from here; the text says why, and the remedy."""

"""The loss of a view's part of a page, and its return."""

from dataclasses import dataclass

from schemas.records.field_types import Id, Text, Time, Title, Url


@dataclass(frozen=True, slots=True)
class SelectionLost:
    """The selectors of a view find nothing any more, or have never found anything.

    ``reason`` names the remedy; ``content_type`` is as in DocumentUnreachable.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    reason: Text
    at: Time
    view: Id = ""
    title: Title = ""


@dataclass(frozen=True, slots=True)
class SelectionFound:
    """The selectors of a view find something again."""

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    at: Time
    view: Id = ""
    title: Title = ""


@dataclass(frozen=True, slots=True)
class LoginLost:
    """A page requested with credentials is a login page now; fields as in SelectionLost."""

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    reason: Text
    at: Time
    view: Id = ""
    title: Title = ""


@dataclass(frozen=True, slots=True)
class LoginFound:
    """The page itself is there again, in place of a login page."""

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    at: Time
    view: Id = ""
    title: Title = ""


LossNotice = SelectionLost | SelectionFound | LoginLost | LoginFound

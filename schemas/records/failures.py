"""That a document cannot be read, or can be again."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Text, Time, Title, Url


@dataclass(frozen=True, slots=True)
class DocumentUnreachable:
    """A document could not be read in a view so often that its subscriptions end.

    Those end that allow ``failures`` in a row or fewer, ``max_failures`` if they leave it to
    the deployment. ``content_type`` is what the document was last read as, or was to be read
    as; empty if neither is known. ``title`` is that of the page when it was last read.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    reason: Text
    at: Time
    view: Id = ""
    failures: Count = 0
    max_failures: Count = 0
    title: Title = ""


@dataclass(frozen=True, slots=True)
class DocumentFailing:
    """A document could not be read in a view so often in a row, since it was last read.

    Said only if a subscription asks for it after as many ``failures``. ``content_type`` is as in
    DocumentUnreachable.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    reason: Text
    at: Time
    view: Id = ""
    failures: Count = 1
    title: Title = ""


@dataclass(frozen=True, slots=True)
class DocumentRecovered:
    """A document that could not be read in a view can be read again; said only if asked for.

    Before, there were so many ``failures`` in a row.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    at: Time
    view: Id = ""
    failures: Count = 1
    title: Title = ""


FailureNotice = DocumentFailing | DocumentRecovered

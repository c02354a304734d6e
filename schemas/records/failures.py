"""The failures of a document, and its recovery."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Text, Time, Title, Url


@dataclass(frozen=True, slots=True)
class DocumentUnreachable:
    """A document could not be read in a view so often that its subscriptions end.

    Subscriptions with a limit of ``failures`` in a row or fewer end, of ``max_failures`` without a
    limit. ``content_type`` is the type of the last reading, or of the failed reading; empty if
    neither is known. ``title`` is the page's at the last reading.
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
    """A document could not be read in a view several times in a row, since the last success.

    Published only for a subscription with a notice after as many ``failures``. ``content_type`` is
    as in DocumentUnreachable.
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
    """A document could not be read in a view, and can be again; published only if asked.

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

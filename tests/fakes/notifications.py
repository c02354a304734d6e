"""A notification like any other."""

from schemas.records.changes import Diff
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver

NOTIFICATION = Notification(
    id="5eed",
    change="c4a2",
    subscription="50b5",
    manager="default",
    receiver=Receiver("http://127.0.0.1/"),
    status="ok",
    url="http://example.test/",
    content_type="text/html",
    diffs=(Diff("added", "argus", "Argus Panoptes", "Argus Panoptes is..."),),
    truncated=False,
    at=1_700_000_000_000,
    rotation=0,
    rotated=0,
    watch="3a7c",
    test=False,
)

"""Runs in a checkout of Vokter before decision 21: its reader, its diff, its matching.

Reads a line of JSON per pair and keyword, and answers with a line. The modules that mypy does not
find are those of that checkout.
"""

import json
import sys

from schemas.facts import Options, Receiver, Subscription  # type: ignore[import-not-found,import-untyped,unused-ignore]
from streams.core.diff.passages import hunks  # type: ignore[import-not-found,import-untyped,unused-ignore]
from streams.core.matching.matcher import Matcher  # type: ignore[import-not-found,import-untyped,unused-ignore]

from connectors.readers.reading import read_document

URL = "https://example.org/"


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        old, new = (
            read_document(asked[each].encode(), None, asked["content_type"]).text
            for each in ("old", "new")
        )
        subscription = Subscription(
            id="0" * 26, watch="0" * 26, manager="default", document_url=URL, url=URL,
            receiver=Receiver(URL), keywords=(asked["keyword"],), options=Options(), created=0,
        )  # fmt: skip
        diffs, _ = Matcher(hunks(old, new), asked["language"]).diffs(subscription)
        sys.stdout.write(json.dumps([f"{each.event}: {each.snippet}" for each in diffs]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Runs in urlwatch's environment: its filters, its diff, and its grep on the diff.

Reads a line of JSON per pair, and answers with a line.
"""

import json
import sys
from time import process_time
from typing import Any

from urlwatch.filters import FilterBase  # type: ignore[import-not-found]  # in its environment
from urlwatch.handler import JobState  # type: ignore[import-not-found]  # likewise
from urlwatch.jobs import UrlJob  # type: ignore[import-not-found]  # likewise

_FILTERS = {"html": "html2text", "json": "format-json", "xml": "pretty-xml"}
_EVENTS = {"added": r"^\+(?!\+\+ @)", "removed": r"^-(?!-- @)"}


def text(state: Any, content: str, content_type: str) -> str:
    """Convert a version as its documentation advises for the type; what fails stays as it is."""
    name = next((name for kind, name in _FILTERS.items() if content_type.endswith(kind)), None)
    try:
        return str(FilterBase.process(name, {}, state, content)) if name else content
    except Exception:  # noqa: BLE001  # a feed that is no XML, in whatever way
        return content


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        state = JobState(None, UrlJob(url="https://example.org/", diff_filter=[]))
        state.timestamp = 0
        kind = asked["content_type"]
        state.old_data, state.new_data = (text(state, asked[each], kind) for each in ("old", "new"))
        start = process_time()
        diff = state.get_diff()
        notified = [
            (keyword, event)
            for keyword, pattern in asked["patterns"].items()
            for event, begin in _EVENTS.items()
            if FilterBase.process("grep", {"re": begin + pattern}, state, diff)
        ]
        answer = {"seconds": process_time() - start, "notified": notified}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

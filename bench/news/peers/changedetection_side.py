"""Runs in changedetection.io's environment: its text, its diff of lines, and its trigger.

Reads a line of JSON per pair, and answers with a line. Lines of a replacement count as removed
and added, as they do in its notifications.
"""

import json
import re
import sys
from time import process_time

from changedetectionio import (  # type: ignore[import-not-found]  # in its environment
    diff,
    html_tools,
)
from changedetectionio.processors.text_json_diff.processor import (  # type: ignore[import-not-found]
    ContentProcessor,
    RuleEngine,
)
from loguru import logger  # type: ignore[import-not-found]

_EVENTS = {
    "added": ((diff.ADDED_PLACEMARKER_OPEN, diff.ADDED_PLACEMARKER_CLOSED),
              (diff.CHANGED_INTO_PLACEMARKER_OPEN, diff.CHANGED_INTO_PLACEMARKER_CLOSED)),
    "removed": ((diff.REMOVED_PLACEMARKER_OPEN, diff.REMOVED_PLACEMARKER_CLOSED),
                (diff.CHANGED_PLACEMARKER_OPEN, diff.CHANGED_PLACEMARKER_CLOSED)),
}  # fmt: skip


def text(content: str, content_type: str) -> str:
    """Convert a version as its processor does, with the default settings."""
    if content_type.endswith("json"):
        processor = ContentProcessor(None, None, None, None)
        return str(processor.preprocess_json(raw_content=content))
    if content_type.endswith("xml"):
        unmarked = html_tools.cdata_in_document_to_text(html_content=content)
        return str(html_tools.html_to_text(unmarked, is_rss=True))
    return str(html_tools.html_to_text(content)) if content_type.endswith("html") else content


def lines(rendered: str, event: str) -> str:
    """Return the lines of the diff that came, or that went."""
    found: list[str] = []
    for begin, end in _EVENTS[event]:
        found += re.findall(re.escape(begin) + "(.*?)" + re.escape(end), rendered, re.DOTALL)
    return "\n".join(found)


def main() -> None:
    """Answer until the input ends."""
    logger.remove()
    for line in sys.stdin:
        asked = json.loads(line)
        old, new = (text(asked[each], asked["content_type"]) for each in ("old", "new"))
        start = process_time()
        rendered = diff.render_diff(old, new, word_diff=False)
        changed = {event: lines(rendered, event) for event in _EVENTS}
        notified = [
            (keyword, event)
            for keyword, pattern in asked["patterns"].items()
            for event, content in changed.items()
            if not RuleEngine.evaluate_trigger_text(content, [f"/{pattern}/u"])
        ]
        answer = {"seconds": process_time() - start, "notified": notified}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Why a process ended by itself, as its log says."""

import re

REASONS = (
    re.compile(r"ending this process\s.*\breason=(['\"])(?P<reason>.*?)\1"),
    re.compile(r"^Error: (?P<reason>.+)$"),
    # The last line of a traceback.
    re.compile(r"^(?P<reason>[\w.]+(?:Error|Exception|Interrupt|Exit)\b.*)$"),
)
UNKNOWN = "its log does not say why"
ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}:\d+")
PREFIX = re.compile(r"\btest-[0-9a-f]{8}\.")
DETAIL = re.compile(r" \(.*\)\.?$")


def reason_of(said: str) -> str:
    """Return the last reason for an end in a log, without what differs from run to run.

    Example:
        >>> reason_of("ready\\nError: no Kafka broker answers at 127.0.0.1:9092 (refused).\\n")
        'no Kafka broker answers at …'
    """
    for line in reversed(said.splitlines()):
        for pattern in REASONS:
            if found := pattern.search(line):
                return ADDRESS.sub("…", PREFIX.sub("", DETAIL.sub("", found["reason"])))
    return UNKNOWN

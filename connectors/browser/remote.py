"""What a browser that somebody else started must have been started with."""

import re
from collections.abc import Iterable

from connectors.browser.flags import FLAGS, NOT_WANTED, NOWHERE

RESOLVER = "--host-resolver-rules"
NO_LOOK_UPS = re.compile(r"MAP \* ~NOTFOUND(\s*,\s*EXCLUDE [0-9a-f.:\[\]]+)*\s*", re.IGNORECASE)
"""The browser looks up no name; addresses, such as that of a worker, need no look-up."""
REMOTE_FLAGS = (
    # Without it a browser does not say what it was started with.
    "--enable-automation",
    f"--proxy-server={NOWHERE}",
    "--proxy-bypass-list=<-loopback>",
    *(flag for flag in FLAGS if not flag.startswith(RESOLVER)),
)
NO_SANDBOX = "--no-sandbox"


def flag_fault(arguments: Iterable[str]) -> str | None:
    """Return why pages in a browser with these arguments could reach what they must not.

    None if they cannot.

    >>> flag_fault([*REMOTE_FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 10.0.0.7"])
    """
    given = set(arguments)
    missing = [flag for flag in REMOTE_FLAGS if flag not in given]
    rules = [each.partition("=")[2] for each in given if each.startswith(f"{RESOLVER}=")]
    if not rules or NO_LOOK_UPS.fullmatch(rules[0]) is None:
        missing.append(f'{RESOLVER}="MAP * ~NOTFOUND, EXCLUDE <address of the worker>"')
    if missing:
        return f"it was started without {' '.join(missing)}"
    unwanted = [flag for flag in NOT_WANTED if flag in given]
    return f"it was started with {' '.join(unwanted)}" if unwanted else None

"""The flags of a browser, ours or remote: its only way out is the proxy of each visit."""

import re
from collections.abc import Iterable

NOWHERE = "http://127.0.0.1:9"
"""The proxy of everything outside of visits: nobody answers there."""
MAX_HEAP_MB = 512
"""Largest heap of a page's scripts; a page beyond this limit crashes."""

FLAGS = (
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--no-first-run",
    "--no-pings",
    "--dns-prefetch-disable",
    # Both spellings: which of them a build knows depends on its kind of headless mode.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # The browser looks up no name by itself, and reaches no address but that of its proxy.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    f"--js-flags=--max-old-space-size={MAX_HEAP_MB}",
    "--disk-cache-size=1",
    "--media-cache-size=1",
    "--mute-audio",
    "--disable-crash-reporter",
    "--disable-print-preview",
)
NOT_WANTED = ("--disable-popup-blocking", "--disable-ipc-flooding-protection")
"""Default flags of the library which would help a hostile page."""
RESOLVER = "--host-resolver-rules"
NO_LOOK_UPS = re.compile(r"MAP \* ~NOTFOUND(\s*,\s*EXCLUDE [0-9a-f.:\[\]]+)*\s*", re.IGNORECASE)
"""The browser looks up no name; addresses, such as a worker's, need no look-up."""
REMOTE_FLAGS = (
    # Without it a browser does not say what it was started with.
    "--enable-automation",
    f"--proxy-server={NOWHERE}",
    "--proxy-bypass-list=<-loopback>",
    *(flag for flag in FLAGS if not flag.startswith(RESOLVER)),
)
NO_SANDBOX = "--no-sandbox"
NO_GPU = "--disable-gpu"
"""Without a GPU its work is done by the CPU, a fifth of the CPU of a visit."""


def flag_fault(arguments: Iterable[str]) -> str | None:
    """Return why pages in a browser with these arguments could reach forbidden addresses.

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

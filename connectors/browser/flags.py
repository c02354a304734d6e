"""How the browser is started: with no way out but the proxy of each visit."""

NOWHERE = "http://127.0.0.1:9"
"""The proxy of everything that belongs to no visit: nobody answers there."""
MAX_HEAP_MB = 512
"""Largest heap of a page's scripts; a page that needs more crashes."""

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
"""Flags that the library starts browsers with, and that would help a hostile page."""

"""Ways of a page to reach a server on the machine of the browser, or its cloud's metadata.

``{at}`` is the target's ``host:port``, ``{own}`` the page's own server, ``{way}`` the name of
the way, by which a request is recognised.
"""

from pathlib import Path

SPELLINGS = (Path(__file__).parents[1] / "http" / "loopback_spellings.txt").read_text("utf-8")

IN_A_PAGE = {
    "script": '<script src="http://{at}/{way}"></script>',
    "module": '<script type="module">import("http://{at}/{way}").catch(() => 0)</script>',
    "fetch": '<script>fetch("http://{at}/{way}", {{mode: "no-cors"}}).catch(() => 0)</script>',
    "fetch-post": '<script>fetch("http://{at}/{way}", {{mode: "no-cors", method: "POST", body: "x"'
    "}}).catch(() => 0)</script>",
    "keepalive": '<script>fetch("http://{at}/{way}", {{mode: "no-cors", keepalive: true}})'
    ".catch(() => 0)</script>",
    "xhr": '<script>x = new XMLHttpRequest(); x.open("GET", "http://{at}/{way}");'
    " x.send()</script>",
    "beacon": '<script>navigator.sendBeacon("http://{at}/{way}", "x")</script>',
    "ping": '<a id=ping href="#here" ping="http://{at}/{way}">a</a><script>ping.click()</script>',
    "iframe": '<iframe src="http://{at}/{way}"></iframe>',
    "srcdoc": """<iframe srcdoc="<img src='http://{at}/{way}'><script src='http://{at}/{way}'>"""
    """</script>"></iframe>""",
    "redirected-script": '<script src="http://{own}/to?http://{at}/{way}"></script>',
    "redirected-iframe": '<iframe src="http://{own}/to?http://{at}/{way}"></iframe>',
    "redirected-fetch": '<script>fetch("http://{own}/to?http://{at}/{way}").catch(() => 0)'
    "</script>",
    "image": '<img src="http://{at}/{way}">',
    "srcset": '<img srcset="http://{at}/{way} 2x, http://{at}/{way} 1x">',
    "picture": '<picture><source srcset="http://{at}/{way}"><img></picture>',
    "video": '<video src="http://{at}/{way}" autoplay></video>',
    "poster": '<video poster="http://{at}/{way}"></video>',
    "track": '<video><track default src="http://{at}/{way}"></video>',
    "audio": '<audio src="http://{at}/{way}" autoplay></audio>',
    "stylesheet": '<link rel="stylesheet" href="http://{at}/{way}">',
    "import": '<style>@import url("http://{at}/{way}")</style>',
    "background": '<div style="background: url(http://{at}/{way})">x</div>',
    "font": "<style>@font-face {{font-family: f; src: url(http://{at}/{way})}}</style>"
    '<p style="font-family: f">x</p>',
    "svg-image": '<svg><image href="http://{at}/{way}" width=9 height=9 /></svg>',
    "svg-use": '<svg><use href="http://{at}/{way}#a" /></svg>',
    "object": '<object data="http://{at}/{way}"></object>',
    "embed": '<embed src="http://{at}/{way}">',
    "pdf": '<embed type="application/pdf" src="http://{at}/{way}">',
    "prefetch": '<link rel="prefetch" href="http://{at}/{way}">',
    "preload": '<link rel="preload" as="script" href="http://{at}/{way}">',
    "modulepreload": '<link rel="modulepreload" href="http://{at}/{way}">',
    "preconnect": '<link rel="preconnect" href="http://{at}/{way}">',
    "dns-prefetch": '<link rel="dns-prefetch" href="http://{at}/{way}">',
    "prerender": '<script type="speculationrules">{{"prerender": [{{"source": "list", '
    '"urls": ["http://{at}/{way}"]}}], "prefetch": [{{"source": "list", '
    '"urls": ["http://{at}/{way}"]}}]}}</script>',
    "manifest": '<link rel="manifest" href="http://{at}/{way}">',
    "icon": '<link rel="icon" href="http://{at}/{way}">',
    "websocket": '<script>new WebSocket("ws://{at}/{way}")</script>',
    "secure-websocket": '<script>new WebSocket("wss://{at}/{way}")</script>',
    "event-source": '<script>new EventSource("http://{at}/{way}")</script>',
    "web-transport": '<script>try {{ new WebTransport("https://{at}/{way}").ready'
    ".catch(() => 0) }} catch (e) {{}}</script>",
    "web-rtc": """<script>for (const each of ["stun:{at}", "turn:{at}?transport=udp",
      "turn:{at}?transport=tcp", "turns:{at}?transport=tcp"]) {{
      const peer = new RTCPeerConnection({{iceServers: [{{urls: each, username: "a",
        credential: "b"}}]}});
      peer.createDataChannel("a"); peer.createOffer().then(o => peer.setLocalDescription(o));
    }}</script>""",
    "web-rtc-candidate": """<script>(async () => {{
      const one = new RTCPeerConnection(), host = "{at}".split(":")[0];
      one.createDataChannel("a");
      await one.setLocalDescription(await one.createOffer());
      const two = new RTCPeerConnection();
      await two.setRemoteDescription(one.localDescription);
      await two.setLocalDescription(await two.createAnswer());
      await one.setRemoteDescription(two.localDescription);
      const port = "{at}".split(":")[1] || 80;
      await one.addIceCandidate({{sdpMid: "0",
        candidate: `candidate:1 1 udp 2122260223 ${{host}} ${{port}} typ host`}});
      await one.addIceCandidate({{sdpMid: "0",
        candidate: `candidate:2 1 tcp 1518280447 ${{host}} ${{port}} typ host tcptype passive`}});
    }})().catch(() => 0)</script>""",
    "worker": """<script>new Worker(URL.createObjectURL(new Blob([
      'importScripts("http://{at}/{way}")'])))</script>""",
    "worker-fetch": """<script>new Worker(URL.createObjectURL(new Blob([
      'fetch("http://{at}/{way}", {{mode: "no-cors"}}).catch(() => 0)'])))</script>""",
    "shared-worker": """<script>new SharedWorker(URL.createObjectURL(new Blob([
      'fetch("http://{at}/{way}", {{mode: "no-cors"}}).catch(() => 0)'])))</script>""",
    "service-worker": """<script>navigator.serviceWorker.register("/worker.js?http://{at}/{way}")
      .catch(() => 0)</script>""",
    "xslt": '<iframe src="http://{own}/xslt?http://{at}/{way}"></iframe>',
    "file-frame": '<iframe src="file:///etc/hostname"></iframe>',
    "view-source": '<iframe src="view-source:http://{at}/{way}"></iframe>',
    "window": '<script>window.open("http://{at}/{way}")</script>',
    "https": '<script src="https://{at}/{way}"></script>',
    "hidden-form": "<iframe name=f></iframe><form id=form target=f method=post "
    'action="http://{at}/{way}"></form><script>form.submit()</script>',
    "base": '<iframe srcdoc="<base href=http://{at}/><script src={way}></script>"></iframe>',
    "scheme-relative": '<script>(new Image()).src = "//{at}/{way}"</script>',
    "report": '<iframe src="http://{own}/report?http://{at}/{way}"></iframe>',
    "sub-frame-refresh": "<iframe srcdoc=\"<meta http-equiv=refresh content='0;"
    "url=http://{at}/{way}'>\"></iframe>",
}
"""Ways that leave the page where it is, so that one page can try them all."""

INSTEAD = {
    "location": '<script>location = "http://{at}/{way}"</script>',
    "meta-refresh": '<meta http-equiv="refresh" content="0; url=http://{at}/{way}">',
    "form": '<form id=f action="http://{at}/{way}"></form><script>f.submit()</script>',
    "click": '<a id=a href="http://{at}/{way}">x</a><script>a.click()</script>',
    "file": '<script>location = "file:///etc/hostname"</script>',
    "chrome": '<script>location = "chrome://version"</script>',
    "data": """<script>location = "data:text/html,<img src='http://{at}/{way}'>"</script>""",
}
"""Ways that leave the page for another one."""


def spelled(port: int) -> str:
    """A page that asks for each spelling of the loopback's address, and of the metadata's."""
    metadata = ("169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376")
    lines = [
        f'<script src="http://{spelling}:{port}/spelling-{number}"></script>'
        for number, spelling in enumerate(SPELLINGS.splitlines())
    ]
    more = [f'<script src="http://{name}/metadata"></script>' for name in metadata]
    return "\n".join((*lines, *more))

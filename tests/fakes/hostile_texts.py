"""Texts with which strangers try to run scripts, or to have a visitor's browser call them."""

CANARY = "http://127.0.0.1:{}/canary"
"""Where no request may arrive; to be formatted with a port."""

HOSTILE_TEXTS = tuple(
    text.replace("CANARY", CANARY)
    for text in (
        "<script>fetch('CANARY')</script>",
        "<script src=CANARY></script>",
        "<img src=CANARY>",
        "<img src=x onerror=\"fetch('CANARY')\">",
        "<svg onload=\"fetch('CANARY')\">",
        "<svg><script href=CANARY /></svg>",
        "<iframe src=CANARY></iframe>",
        "<iframe srcdoc=\"<script>fetch('CANARY')</script>\"></iframe>",
        "<object data=CANARY></object>",
        "<embed src=CANARY>",
        "<link rel=stylesheet href=CANARY>",
        "<style>@import 'CANARY';</style>",
        "<div style=\"background: url('CANARY')\">x</div>",
        "<meta http-equiv=refresh content='0;url=CANARY'>",
        "<base href=CANARY>",
        "<form action=CANARY><button autofocus>x</button></form>",
        "<video poster=CANARY autoplay><source src=CANARY></video>",
        "<audio src=CANARY autoplay></audio>",
        "<input autofocus onfocus=\"fetch('CANARY')\">",
        "<details open ontoggle=\"fetch('CANARY')\">",
        "<body onload=\"fetch('CANARY')\">",
        "\"><script>fetch('CANARY')</script>",
        "'><script>fetch('CANARY')</script>",
        '" onmouseover="fetch(\'CANARY\')" autofocus onfocus="fetch(\'CANARY\')" x="',
        "</title><script>fetch('CANARY')</script>",
        "</textarea><script>fetch('CANARY')</script>",
        "</script><script>fetch('CANARY')</script>",
        "<!--><script>fetch('CANARY')</script>-->",
        "{{ cycler.__init__.__globals__ }}{% import 'os' %}",
        "javascript:fetch('CANARY')",
        "<a href=\"javascript:fetch('CANARY')\" autofocus>x</a>",
        "<template><img src=CANARY></template><math><mtext><img src=CANARY></mtext></math>",
        "\u202eevil\u2066<img src=CANARY>\x00\x1b]8;;CANARY\x07",
    )
)

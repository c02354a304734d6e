"""Receive webhooks and verify their signatures.

SECRET=whsec_… python examples/webhook.py [PORT]

SECRET is the secret in the answer to POST /subscribe. Needs `pip install standardwebhooks`.
A receiver on this machine is notified only if VOKTER_ALLOW_PRIVATE=127.0.0.0/8 allows it.
"""

import json
import os
import sys
from collections import OrderedDict

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

MAX_KNOWN = 10_000

known: OrderedDict[str, None] = OrderedDict()


async def challenged(request: web.Request) -> web.Response:
    """Confirm that this receiver wants to be notified."""
    return web.Response(text=request.query.get("challenge", ""))


async def notified(request: web.Request) -> web.Response:
    """Accept a notification; print it only the first time."""
    body = await request.read()
    try:
        Webhook(os.environ["SECRET"]).verify(body, dict(request.headers))
    except (WebhookVerificationError, ValueError) as error:
        print(f"refused: {error}", flush=True)
        return web.Response(status=401)
    notification_id = request.headers["webhook-id"]
    if notification_id not in known:
        known[notification_id] = None
        if len(known) > MAX_KNOWN:
            known.popitem(last=False)
        notification = json.loads(body)
        if notification["status"] != "ok":
            reason = notification.get("reason", "")
            print(notification["url"], notification["status"], reason, flush=True)
        for diff in notification["diffs"]:
            # An edited sentence has both sides; other entries have what came or went.
            sides = [diff[name] for name in ("before", "after") if name in diff]
            shown = " → ".join(sides or [diff["text"]])
            print(notification["url"], diff["change"], repr(shown), flush=True)
    return web.Response(status=204)


if __name__ == "__main__":
    app = web.Application()
    app.add_routes([web.get("/{path:.*}", challenged), web.post("/{path:.*}", notified)])
    web.run_app(app, host="127.0.0.1", port=int((sys.argv[1:] or ["8080"])[0]))

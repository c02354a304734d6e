"""Receive webhooks and verify their signatures.

SECRET=whsec_… python examples/webhook.py [PORT]

SECRET is what POST /subscribe has answered. Needs `pip install standardwebhooks`. A receiver
on this machine is told only where VOKTER_ALLOW_PRIVATE=127.0.0.0/8 allows it.
"""

import json
import os
import sys
from collections import OrderedDict

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

KEPT = 10_000

known: OrderedDict[str, None] = OrderedDict()


async def challenged(request: web.Request) -> web.Response:
    """Show that this receiver wants to be told."""
    return web.Response(text=request.query.get("challenge", ""))


async def told(request: web.Request) -> web.Response:
    """Take a notification; one that came before is taken, too, and not printed again."""
    body = await request.read()
    try:
        Webhook(os.environ["SECRET"]).verify(body, dict(request.headers))
    except (WebhookVerificationError, ValueError) as error:
        print(f"refused: {error}", flush=True)
        return web.Response(status=401)
    name = request.headers["webhook-id"]
    if name not in known:
        known[name] = None
        if len(known) > KEPT:
            known.popitem(last=False)
        notification = json.loads(body)
        for diff in notification["diffs"]:
            print(notification["url"], diff["event"], diff["text"], flush=True)
    return web.Response(status=204)


if __name__ == "__main__":
    app = web.Application()
    app.add_routes([web.get("/{path:.*}", challenged), web.post("/{path:.*}", told)])
    web.run_app(app, host="127.0.0.1", port=int((sys.argv[1:] or ["8080"])[0]))

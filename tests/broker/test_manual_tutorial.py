"""The tutorial, command by command, on a running deployment."""

import os
from pathlib import Path
from signal import SIGINT

from infra.ports import any_free
from tests.harness.manual import CHANGE, Opened
from tests.harness.waiting import until


async def test_the_tutorial_does_what_it_says(opened: Opened, tmp_path: Path) -> None:
    site = tmp_path / "giants"
    places = {
        "/tmp/giants": str(site),  # noqa: S108  # as the page has it
        "127.0.0.1:8000": f"127.0.0.1:{(pages := any_free())}",
        "http.server 8000": f"http.server {pages}",
        "127.0.0.1:8080": f"127.0.0.1:{(hook := any_free())}",
        "examples/webhook.py": f"examples/webhook.py {hook}",
        "SECRET=whsec_… ": "SECRET=$RETURNED ",
    }
    manual = opened("docs/tutorial.md", places)
    await manual.run("mkdir")
    await manual.run(CHANGE)
    page = site / "index.html"
    # The page's server distinguishes versions by the second.
    os.utime(page, (page.stat().st_mtime - 60,) * 2)

    async with manual.start("python -m http.server") as server:
        async with manual.start("vokter watch") as watch:
            await manual.shows(watch)
            await until(lambda: server.err.count('"GET / ') > 1, "the first version is known")
            await manual.run(CHANGE)
            await manual.shows(watch)
            watch.signal(SIGINT)
            assert (await watch.ended()).status == 0

        async with manual.start("vokter subscribe") as subscribe:
            await manual.shows(subscribe)
            secret = (await subscribe.ended()).out.split()[-1]
        async with manual.start("SECRET=", RETURNED=secret) as webhook:
            await webhook.says("Running on")
            seen = server.err.count('"GET / ')
            await until(lambda: server.err.count('"GET / ') > seen + 1, "the page is fetched")
            await manual.run(CHANGE)
            await manual.shows(webhook)
            async with manual.start("curl -s -o /dev/null") as forged:
                await manual.shows(forged)
            await webhook.says("refused")

            await manual.run("vokter subscribe")
            await manual.run(CHANGE)
            async with manual.start("python examples/consume") as consumer:
                await manual.shows(consumer)

            api = "curl -s 'http://127.0.0.1:9000/vokter/v1"
            await manual.shows_in_the_end("curl -s http://127.0.0.1:9000", f"127.0.0.1:{hook}/hook")
            await manual.shows_in_the_end(f"{api}/changes", "Argus")
            await manual.shows_in_the_end(f"{api}/deliveries", '"delivered"')
            assert "fetch" in await manual.run("vokter status")
        for _ in range(2):
            await manual.run("vokter cancel")
    assert manual.left == []

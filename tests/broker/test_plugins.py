"""Plug-ins that come, change and go while workers run."""

import os
from pathlib import Path

from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest

READER = "CONTENT_TYPES = ('text/x-shout',)\ndef read(body, _): return body.decode().upper()\n"
STEMMER = "LANGUAGES = ('en',)\ndef stem(word): return word[:3]\n"
ENGLISH = "All of the people in this small village know very well where the road begins."


def plugin(shared: Deployment, kind: str) -> Path:
    folder = shared.settings.plugin_folder / kind
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "own.py"


async def test_a_reader_is_used_changed_and_removed_while_a_worker_runs(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("argus"), hooks.add()
    page.content_type = "text/x-shout"
    await rest.subscribe(page.url, hook.url, "*", ignoreRemoved=True)
    await page.stored()
    file = plugin(shared, "readers")

    file.write_text(READER)
    page.text = "argus io"
    await hook.notified(1)
    file.write_text("broken")
    page.text = "argus hera"
    await hook.notified(2)
    file.write_text(READER.replace("upper", "title"))
    page.text = "argus zeus"
    await hook.notified(3)
    file.unlink()
    page.text = "argus leto"

    # The reader that made capitals of "argus" is none of what the page changed.
    notified = [body["diffs"][0]["text"] for body in await hook.notified(4)]
    assert notified == ["IO", "argus hera", "Argus Zeus", "argus leto"]
    log = shared["fetch"].said
    processes = os.cpu_count() or 1
    assert 1 <= log.count("a plug-in cannot be loaded") <= processes, (
        "once a process that reads pages"
    )
    assert str(file) in log


async def test_a_stemmer_is_used_and_removed_while_a_worker_runs(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(ENGLISH), hooks.add()
    await rest.subscribe(page.url, hook.url, "rivulet", "There", enableStemming=True)
    await page.stored()
    file = plugin(shared, "stemmers")

    file.write_text(STEMMER)
    page.text = f"{ENGLISH} There is a river."
    await hook.notified(1)
    file.unlink()
    page.text = ENGLISH

    notified = [[diff["keyword"] for diff in body["diffs"]] for body in await hook.notified(2)]
    assert notified == [["rivulet", "There"], ["There"]]

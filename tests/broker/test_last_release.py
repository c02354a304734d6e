"""The data folder of the last release starts with this one, and all of it is there."""

import json
from pathlib import Path

import pytest

from tests.broker.test_signatures import is_verified
from tests.harness.commands import vokter
from tests.harness.last_release import AFTER, LATER, PAGE, SEEN, Site, running, seen, unpack
from tests.harness.pages import Page


@pytest.mark.slow  # two starts of everything
async def test_what_the_last_release_knew_is_there_and_a_change_notifies(tmp_path: Path) -> None:
    # The version is in the page's ETag, which must be none of those that were stored.
    folder, site = tmp_path / "data", Site(Page(PAGE, AFTER, version=10))
    unpack(folder)
    known = json.loads((folder / SEEN).read_text("utf-8"))
    secret = known.pop("secret")
    checked = await vokter(
        {"VOKTER_PARTITIONS": "1"}, tmp_path, "upgrade", "--check", "--data-dir", str(folder)
    )
    assert checked.status == 0, checked.out + checked.err
    async with running(folder, site) as rest:
        assert await seen(rest) == known
        site.page.text = LATER
        await site.notified(1)
        (post,) = site.posts
        (diff,) = post.body["diffs"]
        assert (diff["event"], diff["keyword"]) == ("removed", "argus")
        assert is_verified(secret, post)

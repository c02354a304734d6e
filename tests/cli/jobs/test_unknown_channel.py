"""A channel that nobody has set is refused by the command, as REST does."""

from pathlib import Path

import pytest

from schemas.records.credentials import CHANNEL_KIND, SealedCredentials
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Receiver
from streams.cli.jobs.refusals import Refused
from streams.cli.jobs.requests import check_channel
from streams.effects.connections import opened_store
from streams.settings import Settings


def request(receiver: Receiver) -> Subscribe:
    return Subscribe("https://example.org/", receiver, keywords=("argus",))


async def test_a_channel_must_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"found": b"k" * 32}

    async def deployed(_: Settings) -> bytes | None:
        return keys.get("found")

    monkeypatch.setattr("streams.cli.setup.preparation.deployed_signing_key", deployed)
    settings = Settings(data_dir=tmp_path)
    async with opened_store(settings) as store:
        for name, kind in (("team", CHANNEL_KIND), ("login", "basic")):
            await store.credentials.put(SealedCredentials("default", name, kind, "x", 1), 1)
    await check_channel(settings, request(Receiver("channel:team")))
    await check_channel(settings, request(Receiver("https://client.example/hook")))
    for name in ("nope", "login"):
        with pytest.raises(Refused, match=f"There is no channel '{name}'"):
            await check_channel(settings, request(Receiver(f"channel:{name}")))
    keys.clear()  # another machine cannot know
    await check_channel(settings, request(Receiver("channel:nope")))

"""``vokter demo``: from nothing to a webhook call, in front of one's eyes."""

from pathlib import Path
from signal import SIGINT

from streams.settings import Settings
from tests.harness.commands import Command, vokter
from tests.harness.family import alive, descendants
from tests.harness.processes import environment
from tests.harness.waiting import until


async def test_the_demo_shows_a_change_at_the_webhook_and_ends_by_itself(tmp_path: Path) -> None:
    env = environment(Settings(data_dir=tmp_path))
    async with Command(env, tmp_path, "demo", "--once") as demo:
        await demo.says("Watching http://127.0.0.1:")
        family = descendants(demo.pid)
        result = await demo.ended()
    assert result.status == 0, result
    # On a slow machine the page may have its second text when it is read first.
    events = [("removed", "added"), ("added", "removed")]
    assert any(
        f'{greek} "greek": Greek mythology' in result.out
        and f'{argus} "argus panoptes": Argus Panoptes' in result.out
        for greek, argus in events
    )
    assert "fetch" in result.out
    assert family
    await until(lambda: not alive(family), "nothing is left behind")


async def test_its_pages_and_its_receiver_can_be_tried_from_another_terminal(
    tmp_path: Path,
) -> None:
    home = tmp_path / "not-yet"
    env = environment(Settings(data_dir=home))
    async with Command(env, tmp_path, "demo", "--no-browser") as demo:
        await demo.says("/lamps '*'")
        page = demo.err.partition("vokter watch ")[2].split()[0]
        receiver = f"{page.removesuffix('/lamps')}/yours"
        words = ("€39.00", "--to", receiver, "--interval", "1")
        assert (await vokter(env, tmp_path, "subscribe", page, *words)).status == 0
        await demo.says(f'"url": "{page}"')
        demo.signal(SIGINT)
        await demo.ended()
    assert not home.exists()

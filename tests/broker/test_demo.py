"""``vokter demo``: from nothing to a webhook call, in front of one's eyes."""

from pathlib import Path

from streams.settings import Settings
from tests.harness.commands import Command
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

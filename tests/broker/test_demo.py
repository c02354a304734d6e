"""``vokter demo``: from nothing to a webhook call, in front of one's eyes."""

from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT
from tempfile import TemporaryDirectory

import pytest

from streams.settings import Settings
from tests.harness.commands import Command, vokter
from tests.harness.family import alive, descendants
from tests.harness.processes import environment
from tests.harness.waiting import until


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder with a path short enough for the sockets in it: they may have 107 bytes."""
    with TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.slow  # the next shows the same, and tests/cli/demo when it is complete
async def test_the_demo_shows_a_change_at_the_webhook_and_ends_by_itself(tmp_path: Path) -> None:
    env = environment(Settings(data_dir=tmp_path))
    async with Command(env, tmp_path, "demo", "--once") as demo:
        await demo.says("Watching http://127.0.0.1:")
        family = descendants(demo.pid)
        result = await demo.ended()
    assert result.status == 0, result
    assert is_shown(result.out)
    assert "fetch" in result.out
    assert family
    await until(lambda: not alive(family), "nothing is left behind")


async def test_a_change_is_shown_and_its_pages_can_be_tried_from_another_terminal(
    tmp_path: Path, short_folder: Path
) -> None:
    home, temporary = tmp_path / "not-yet", short_folder
    env = environment(Settings(data_dir=home)) | {"TMPDIR": str(temporary)}
    async with Command(env, tmp_path, "demo", "--no-browser") as demo:
        await demo.says("/lamps '*'")
        family = descendants(demo.pid)
        page = demo.err.partition("vokter watch ")[2].split()[0]
        receiver = f"{page.removesuffix('/lamps')}/yours"
        words = ("€39.00", "--to", receiver, "--interval", "1")
        assert (await vokter(env, tmp_path, "subscribe", page, *words)).status == 0
        await demo.says(f'"url": "{page}"')
        assert page in (await vokter(env, tmp_path, "list")).out
        await until(lambda: is_shown(demo.out), "words were added and removed")
        demo.signal(SIGINT)
        await demo.ended()
    assert "fetch" in demo.out
    assert not home.exists()
    assert family
    await until(lambda: not alive(family), "nothing is left behind")
    assert list(temporary.iterdir()) == []


def is_shown(out: str) -> bool:
    """Whether the webhook got what is removed and what is added, in either order.

    On a slow machine the page may have its second text when it is read first.
    """
    return any(
        f'{greek} "greek": Greek mythology' in out
        and f'{argus} "argus panoptes": Argus Panoptes' in out
        for greek, argus in (("removed", "added"), ("added", "removed"))
    )

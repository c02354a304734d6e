"""The doctor where there is no broker: what it can tell all the same."""

from pathlib import Path

import pytest
import typer

from streams.cli import doctor
from streams.cli.diagnosis import Level
from streams.settings import Settings

NOWHERE = "127.0.0.1:1"


async def test_a_broker_that_does_not_answer_is_an_error_with_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        await doctor.run(Settings(data_dir=tmp_path / "new", kafka=NOWHERE))
    assert ended.value.exit_code == 1
    said = capsys.readouterr().out
    assert "✓ settings: " in said
    assert "✗ broker: " in said
    assert f"Is Kafka running at {NOWHERE}?" in said


async def test_a_file_of_keys_that_is_none_is_an_error(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, kafka=NOWHERE)
    settings.keys_file.write_text("{")
    first, *_ = [finding async for finding in doctor.findings(settings)]
    assert (first.level, first.about) == (Level.ERROR, "API keys")


async def test_a_store_is_written_to_and_one_that_is_none_is_an_error(tmp_path: Path) -> None:
    good = await doctor._store(Settings(data_dir=tmp_path), None)
    assert (good.level, "can be written" in good.text) == (Level.OK, True)
    (tmp_path / "page.html").write_text("<p>no database" * 100)
    bad = await doctor._store(Settings(store=f"sqlite:{tmp_path / 'page.html'}"), None)
    assert (bad.level, bad.about) == (Level.ERROR, "store")


async def test_a_signing_key_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert (await doctor._key(settings, None)).level is Level.OK
    settings.signing_file.write_text("short")
    assert (await doctor._key(settings, None)).level is Level.ERROR

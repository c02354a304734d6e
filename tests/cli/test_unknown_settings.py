"""A variable that is no setting is named, with the nearest one."""

import pytest

from streams.cli import main
from streams.settings.unknown import UnknownSettings, check_variables


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("VOKTER_INTERVAL", "Did you mean VOKTER_MIN_INTERVAL?"),
        ("VOKTER_KAFKA_PASWORD", "Did you mean VOKTER_KAFKA_PASSWORD?"),
        ("VOKTER_DATADIR", "Did you mean VOKTER_DATA_DIR?"),
        ("VOKTER_XYZZY", "docs/settings.md lists all."),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(UnknownSettings) as error:
        check_variables(["HOME", "VOKTER_PORT", name])
    assert str(error.value) == f"{name} is no setting. {meant}"


def test_all_unknown_names_are_said_at_once() -> None:
    with pytest.raises(UnknownSettings, match=r"(?s)VOKTER_A is .*VOKTER_B is "):
        check_variables(["VOKTER_B", "VOKTER_A"])


def test_what_kubernetes_adds_for_services_is_passed_over() -> None:
    check_variables(
        [
            "VOKTER_API_PORT",
            "VOKTER_API_SERVICE_HOST",
            "VOKTER_API_SERVICE_PORT_HTTP",
            "VOKTER_API_PORT_9000_TCP_ADDR",
        ]
    )


def test_a_command_ends_with_the_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOKTER_INTERVALL", "5")
    monkeypatch.setattr("sys.argv", ["vokter", "status"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("VOKTER_INTERVALL is no setting. Did you mean")

"""What a command prints when a setting is not allowed."""

import pytest

from streams.cli import main


def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setattr("sys.argv", ["vokter", "status"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    return capsys.readouterr().err.splitlines()


def test_a_setting_is_named_once_with_its_value_however_many_faults_it_has(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOKTER_RETRY_SCHEDULE", "a,b")
    monkeypatch.setenv("VOKTER_PORT", "99999")

    port, schedule = printed(monkeypatch, capsys)

    assert port.startswith("VOKTER_PORT: ")
    assert port.endswith("(it is '99999')")
    assert schedule == (
        "VOKTER_RETRY_SCHEDULE: must be seconds, separated by commas, such as 0,5,300 (it is 'a,b')"
    )


@pytest.mark.parametrize("name", ["VOKTER_RETENTION", "VOKTER_FETCH_TIMEOUT"])
def test_a_number_without_end_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "inf")
    (line,) = printed(monkeypatch, capsys)
    assert line.startswith(f"{name}: ")


def test_a_secret_is_named_but_not_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOKTER_SIGNING_KEY", "too-short")

    assert printed(monkeypatch, capsys) == ["VOKTER_SIGNING_KEY: must have at least 32 characters"]


def test_settings_that_do_not_go_together_are_named_without_their_values(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOKTER_OIDC_ISSUER", "https://login.example")
    monkeypatch.setenv("VOKTER_OIDC_CLIENT_SECRET", "hidden")

    needed = "VOKTER_PUBLIC_URL and VOKTER_OIDC_CLIENT_ID and VOKTER_OIDC_ROLES"
    assert printed(monkeypatch, capsys) == [f"VOKTER_OIDC_ISSUER needs {needed}"]

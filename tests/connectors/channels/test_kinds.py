"""Addresses that forms make, as Apprise reads them, and what of an address is shown."""

from typing import Any

import pytest

from connectors.channels.channel import parse_channel
from connectors.channels.kinds import KINDS, kind_address, shown_address
from connectors.channels.services import load_services, open_service
from connectors.credentials.errors import InvalidCredentials

MAIL = {
    "mail_to": "io@olympus.test",
    "mail_from": "vokter@olympus.test",
    "mail_server": "mail.olympus.test",
    "mail_user": "io@olympus.test",
    "mail_password": "p/w&?:@é",
}
MATRIX = {
    "matrix_server": "https://matrix.olympus.test/",
    "matrix_user": "io",
    "matrix_password": "p/w",
}
TELEGRAM = {
    "telegram_token": "123456789:AAabcdefghij_klmnopqrstuvwxyz12345",
    "telegram_chat": "-1001",
}
SLACK = "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"
TEAMS = (
    "https://prod-15.uksouth.logic.azure.com:443/workflows/3XXX5/triggers/manual/paths/invoke"
    "?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=iXXXU"
)


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    load_services()


def address(kind: str, **given: str) -> str:
    return kind_address(kind, {field.name: "" for field in KINDS[kind].fields} | given)


@pytest.mark.parametrize(
    ("security", "port", "mode"),
    [
        ("starttls", 587, "starttls"),
        ("ssl", 465, "ssl"),
        ("none", 25, "insecure"),
        ("", 587, "starttls"),
    ],
)
def test_a_mail_has_the_server_the_port_of_its_encryption_and_the_login(
    security: str, port: int, mode: str
) -> None:
    made: Any = open_service(address("mail", **MAIL, mail_security=security))
    assert (made.smtp_host, made.port, made.secure_mode) == ("mail.olympus.test", port, mode)
    assert (made.user, made.password) == (MAIL["mail_user"], MAIL["mail_password"])
    assert made.targets == [(False, "io@olympus.test")]
    assert made.from_addr[1] == "vokter@olympus.test"
    own: Any = open_service(address("mail", **{**MAIL, "mail_server": "127.0.0.1:2525"}))
    assert (own.smtp_host, own.port) == ("127.0.0.1", 2525)


@pytest.mark.parametrize(
    ("server", "token", "secure", "host"),
    [
        ("", "", True, "ntfy.sh"),
        ("https://ntfy.olympus.test/", "tk_1", True, "ntfy.olympus.test"),
        ("http://127.0.0.1:80", "", False, "127.0.0.1"),
    ],
)
def test_ntfy_has_a_topic_and_perhaps_a_server_and_a_token(
    server: str, token: str, secure: bool, host: str
) -> None:
    made: Any = open_service(
        address("ntfy", ntfy_topic="giants", ntfy_server=server, ntfy_token=token)
    )
    assert (made.topics, made.secure, made.host or "ntfy.sh") == (["giants"], secure, host)
    assert (made.token or "") == token


def test_the_others_are_what_their_services_show() -> None:
    matrix: Any = open_service(address("matrix", **MATRIX, matrix_room="#news:olympus.test"))
    assert (matrix.host, matrix.password) == ("matrix.olympus.test", "p/w")
    telegram: Any = open_service(address("telegram", **TELEGRAM))
    assert telegram.targets == [(-1001, None)]
    discord = "https://discord.com/api/webhooks/4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js"
    for kind, url in (("slack", SLACK), ("discord", discord), ("teams", TEAMS)):
        made = open_service(address(kind, **{f"{kind}_webhook": url}))
        assert made.service_name
        assert parse_channel(address(kind, **{f"{kind}_webhook": url})).credentials.origin == (
            KINDS[kind].label
        )


@pytest.mark.parametrize(
    ("kind", "given", "where"),
    [
        ("mail", {**MAIL, "mail_to": "io"}, "mail_to: one address"),
        ("mail", {**MAIL, "mail_server": "a b/c"}, "mail_server: a host"),
        ("mail", {**MAIL, "mail_from": ""}, "mail_from: this is needed"),
        ("ntfy", {"ntfy_topic": "a/b"}, "ntfy_topic: 1 to 64 letters"),
        ("ntfy", {"ntfy_topic": "a", "ntfy_server": "u@evil.test"}, "ntfy_server: a host"),
        ("slack", {"slack_webhook": "https://evil.test/services/a"}, "slack_webhook: an address"),
        ("telegram", {"telegram_token": "x", "telegram_chat": "1"}, "telegram_token: the token"),
        ("matrix", {**MATRIX, "matrix_room": "news"}, "matrix_room: a room"),
    ],
)
def test_what_is_wrong_is_said_by_its_field(kind: str, given: dict[str, str], where: str) -> None:
    with pytest.raises(InvalidCredentials, match=where):
        address(kind, **given)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("mailtos://io:pw@gmail.com", "e-mail to i…@gmail.com"),
        ("mailto://u:p@mail.test/zeus@olympus.test", "e-mail to z…@olympus.test"),
        ("mailto://u:p@mail.test?to=hera@olympus.test,io@a.test", "e-mail to h…@olympus.test"),
        ("mailtos://x?to=secret", "e-mail"),
        ("tgram://1:a/2", "Telegram"),
        (SLACK, "Slack"),
        ("ntfys://secret-topic", "ntfy"),
        ("https://elsewhere.test/secret", "https"),
    ],
)
def test_no_secret_of_an_address_is_shown(given: str, shown: str) -> None:
    assert shown_address(given) == shown

"""Kinds of channels for a form: their fields, and the address made of them."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from connectors.credentials.errors import InvalidCredentials
from connectors.languages.texts import gettext, msgid

Given = Mapping[str, str]
"""The values of the fields of a kind, by their names."""

_MODES = {"starttls": ("mailtos", 587), "ssl": ("mailtos", 465), "none": ("mailto", 25)}
_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_MAILBOX = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+")
_SLACK = re.compile(r"https://hooks\.slack\.com/services/\S+")
_DISCORD = re.compile(r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\S+")
_TEAMS = re.compile(r"https://\S+/workflows/\S+")


class Field(NamedTuple):
    """A field of a form; ``choices`` are values and labels, a ``secret`` is typed unseen."""

    name: str
    label: str
    hint: str = ""
    example: str = ""
    secret: bool = False
    required: bool = True
    choices: tuple[tuple[str, str], ...] = ()


class ChannelKind(NamedTuple):
    """A kind of channels; ``address`` makes Apprise's address. Raises InvalidCredentials."""

    label: str
    fields: tuple[Field, ...]
    address: Callable[[Given], str]


def _mail(given: Given) -> str:
    scheme, usual_port = _MODES.get(given["mail_security"], _MODES["starttls"])
    for name in ("mail_to", "mail_from"):
        if not _MAILBOX.fullmatch(given[name]):
            text = gettext("one address such as io@example.org is expected")
            raise InvalidCredentials(f"{name}: {text}")
    server = _host("mail_server", given["mail_server"])
    host = server if re.search(r":\d+$", server) else f"{server}:{usual_port}"
    login = [given["mail_user"], given["mail_password"]]
    who = ":".join(quote(each, safe="") for each in login if each)
    query = {"smtp": urlsplit(f"//{host}").hostname, "from": given["mail_from"]}
    mode = {} if scheme == "mailto" else {"mode": given["mail_security"] or "starttls"}
    return f"{scheme}://{who}{'@' if who else ''}{host}/?" + urlencode(
        {**query, "to": given["mail_to"], **mode}
    )


def _ntfy(given: Given) -> str:
    scheme, _, host = given["ntfy_server"].rstrip("/").rpartition("://")
    server = _host("ntfy_server", host or "ntfy.sh")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", given["ntfy_topic"]):
        text = gettext("1 to 64 letters, digits, '_' and '-' are expected")
        raise InvalidCredentials(f"ntfy_topic: {text}")
    token = quote(given["ntfy_token"], safe="")
    query = "?auth=token" if token else ""
    kind = "ntfy" if scheme == "http" else "ntfys"
    return f"{kind}://{token}{'@' if token else ''}{server}/{given['ntfy_topic']}{query}"


def _matrix(given: Given) -> str:
    server = _host("matrix_server", given["matrix_server"].rstrip("/").rpartition("://")[2])
    if not re.fullmatch(r"[#!]\S+", given["matrix_room"]):
        text = gettext("a room such as #news:example.org is expected")
        raise InvalidCredentials(f"matrix_room: {text}")
    user, password, room = (
        quote(given[f"matrix_{name}"], safe="") for name in ("user", "password", "room")
    )
    return f"matrixs://{user}:{password}@{server}/{room}"


def _telegram(given: Given) -> str:
    if not re.fullmatch(r"\d+:[A-Za-z0-9_-]+", given["telegram_token"]):
        text = gettext("the token of a bot has a number, ':' and a text")
        raise InvalidCredentials(f"telegram_token: {text}")
    return f"tgram://{given['telegram_token']}/{quote(given['telegram_chat'], safe='@')}"


def _webhook(name: str, pattern: re.Pattern[str], example: str) -> Callable[[Given], str]:
    def address(given: Given) -> str:
        if pattern.fullmatch(given[name]) is None:
            text = gettext("an address such as %(example)s is expected", example=example)
            raise InvalidCredentials(f"{name}: {text}")
        return given[name]

    return address


def _host(name: str, text: str) -> str:
    if _HOST.fullmatch(text) is None:
        text = gettext("a host such as example.org, with or without a port")
        raise InvalidCredentials(f"{name}: {text}")
    return text


_SLACK_EXAMPLE = "https://hooks.slack.com/services/…"
_DISCORD_EXAMPLE = "https://discord.com/api/webhooks/…"
_TEAMS_EXAMPLE = "https://…/workflows/…"
_SECURITIES = (
    ("starttls", msgid("STARTTLS (port 587)")),
    ("ssl", msgid("TLS (port 465)")),
    ("none", msgid("none (port 25)")),
)
_NO_LOGIN = msgid("Empty if the server asks for none.")

KINDS: Mapping[str, ChannelKind] = {
    "mail": ChannelKind(
        msgid("E-mail"),
        (
            Field("mail_to", msgid("To"), example="io@example.org"),
            Field("mail_from", msgid("From"), example="vokter@example.org"),
            Field("mail_server", msgid("Server"), example="mail.example.org"),
            Field("mail_security", msgid("Encryption"), choices=_SECURITIES),
            Field("mail_user", msgid("User"), _NO_LOGIN, required=False),
            Field("mail_password", msgid("Password"), _NO_LOGIN, secret=True, required=False),
        ),
        _mail,
    ),
    "ntfy": ChannelKind(
        "ntfy",
        (
            Field(
                "ntfy_topic",
                msgid("Topic"),
                msgid("Choose one that nobody guesses: everybody who knows it can read it."),
            ),
            Field("ntfy_server", msgid("Server"), example="https://ntfy.sh", required=False),
            Field(
                "ntfy_token",
                msgid("Access token"),
                msgid("Empty if the topic needs none."),
                secret=True,
                required=False,
            ),
        ),
        _ntfy,
    ),
    "slack": ChannelKind(
        "Slack",
        (Field("slack_webhook", msgid("Incoming webhook"), example=_SLACK_EXAMPLE, secret=True),),
        _webhook("slack_webhook", _SLACK, _SLACK_EXAMPLE),
    ),
    "telegram": ChannelKind(
        "Telegram",
        (
            Field(
                "telegram_token",
                msgid("Token of the bot"),
                msgid("@BotFather shows it."),
                secret=True,
            ),
            Field("telegram_chat", msgid("Chat"), msgid("Its id, or @name of a public channel.")),
        ),
        _telegram,
    ),
    "matrix": ChannelKind(
        "Matrix",
        (
            Field("matrix_server", msgid("Server"), example="matrix.example.org"),
            Field("matrix_user", msgid("User")),
            Field("matrix_password", msgid("Password"), secret=True),
            Field("matrix_room", msgid("Room"), example="#news:example.org"),
        ),
        _matrix,
    ),
    "discord": ChannelKind(
        "Discord",
        (Field("discord_webhook", msgid("Webhook"), example=_DISCORD_EXAMPLE, secret=True),),
        _webhook("discord_webhook", _DISCORD, _DISCORD_EXAMPLE),
    ),
    "teams": ChannelKind(
        "Microsoft Teams",
        (
            Field(
                "teams_webhook",
                msgid("Webhook of a workflow"),
                msgid("Of “Send webhook alerts to a channel”, under Workflows."),
                _TEAMS_EXAMPLE,
                secret=True,
            ),
        ),
        _webhook("teams_webhook", _TEAMS, _TEAMS_EXAMPLE),
    ),
}
"""By name, in the order of the form."""


def kind_address(name: str, given: Given) -> str:
    """Return the address of a channel of a kind, from its fields. Raises InvalidCredentials.

    >>> kind_address("ntfy", {"ntfy_topic": "giants", "ntfy_server": "", "ntfy_token": ""})
    'ntfys://ntfy.sh/giants'
    """
    kind = KINDS[name]
    for field in kind.fields:
        if field.required and not field.choices and not given[field.name]:
            text = gettext("this is needed")
            raise InvalidCredentials(f"{field.name}: {text}")
    return kind.address(given)


_NATIVE = (("slack", _SLACK), ("discord", _DISCORD), ("teams", _TEAMS))
_SCHEMES = {
    "slack": "slack",
    "discord": "discord",
    "tgram": "telegram",
    "matrix": "matrix",
    "ntfy": "ntfy",
    "ntfys": "ntfy",
    "matrixs": "matrix",
    "workflow": "teams",
    "workflows": "teams",
}


def shown_address(address: str) -> str:
    """Return the public part of an address: its service, and the recipient of a mail, in part.

    >>> shown_address("mailtos://u:p@example.com?to=io@example.org"), shown_address("json://a.test")
    ('e-mail to i…@example.org', 'json')
    """
    scheme, _, rest = address.partition("://")
    scheme = scheme.lower()
    if scheme in ("mailto", "mailtos"):
        before, _, query = rest.partition("?")
        path = unquote(before.partition("/")[2])
        login, _, host = before.partition("/")[0].rpartition("@")
        own = f"{unquote(login.partition(':')[0])}@{host.partition(':')[0]}"
        found = (parse_qs(query).get("to", [""])[0] or path).split(",")[0].strip("/") or own
        name, _, domain = found.rpartition("@")
        return f"e-mail to {name[:1]}…@{domain.rstrip('>')}" if name else "e-mail"
    native = (name for name, pattern in _NATIVE if pattern.fullmatch(address))
    kind = _SCHEMES.get(scheme) or next(native, "")
    return KINDS[kind].label if kind else scheme

"""Settings of webhooks, and of the addresses that may be connected to."""

import re
from ipaddress import ip_network
from typing import Annotated, Any

from pydantic import BaseModel, Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from schemas.records.signing_key import MIN_KEY
from streams.values.retry_schedule import RETRY_SCHEDULE

MAX_PROXIES = 20
_NAMED_PROXY = re.compile(r"[A-Za-z0-9_-]{1,64}=https?://[^/,]+/?")

Networks = Annotated[tuple[str, ...], NoDecode]
Ports = Annotated[tuple[int, ...], NoDecode]
Proxies = Annotated[tuple[str, ...], NoDecode]
Seconds = Annotated[tuple[Annotated[float, Field(ge=0)], ...], NoDecode]


def networks_in(value: Any) -> tuple[str, ...]:
    """Return networks that are separated by commas; raises ValueError.

    >>> networks_in("127.0.0.0/8, ::1/128")
    ('127.0.0.0/8', '::1/128')
    """
    texts = value.split(",") if isinstance(value, str) else value
    return tuple(str(ip_network(text.strip())) for text in texts if text.strip())


class WebhookSettings(BaseModel):
    """Settings of verifying, signing and retrying webhooks."""

    signing_key: SecretStr | None = Field(
        None,
        description="Key of at least 32 characters from which the [secrets of webhooks]"
        "(rest/webhook.md#signatures) are derived. Default: one created at the first start, in "
        "`signing-key` in the data folder.",
    )
    verify_webhooks: str = Field(
        "auto",
        pattern="^(on|off|auto)$",
        description="Whether a webhook gets notifications only after it has answered a "
        "[challenge](rest/webhook.md#the-challenge). `auto`: as soon as there are API keys.",
    )
    retry_schedule: Seconds = Field(
        RETRY_SCHEDULE,
        min_length=1,
        description="Seconds before each attempt to notify a webhook, comma-separated; each is "
        "varied by up to a fifth. Default: the schedule of Standard Webhooks, over three days.",
    )

    @field_validator("signing_key")
    @classmethod
    def _long(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value) < MIN_KEY:
            raise ValueError(f"must have at least {MIN_KEY} characters")
        return value

    @field_validator("retry_schedule", mode="before")
    @classmethod
    def _seconds(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return [float(part) for part in value.split(",")]
        except ValueError:
            raise ValueError("must be seconds, separated by commas, such as 0,5,300") from None


class EgressSettings(BaseModel):
    """The addresses that documents and webhooks may have."""

    allow_private: Networks = Field(
        (),
        description="Private networks, comma-separated, that may be fetched and notified, "
        "such as `127.0.0.0/8,::1/128`.",
    )
    allow_ports: Ports = Field(
        (),
        description="Ports below 1024, comma-separated, that may be connected to in addition to "
        "80 and 443.",
    )
    proxy: str | None = Field(
        None,
        pattern=r"^https?://[^/]+/?$",
        description="Proxy, `http://host:port`, for all connections to documents and webhooks; "
        "it must refuse private addresses itself. `HTTP_PROXY` and similar variables are ignored.",
    )
    proxies: Proxies = Field(
        (),
        max_length=MAX_PROXIES,
        description="Proxies that views may name, comma-separated, such as "
        "`eu=http://host:port`; each must refuse private addresses itself.",
    )

    @property
    def named_proxies(self) -> dict[str, str]:
        """The URLs of the proxies by their names."""
        pairs = (each.partition("=") for each in self.proxies)
        return {name: url for name, _, url in pairs}

    @field_validator("allow_private", mode="before")
    @classmethod
    def _networks(cls, value: Any) -> Any:
        return networks_in(value)

    @field_validator("allow_ports", mode="before")
    @classmethod
    def _ports(cls, value: Any) -> Any:
        return tuple(filter(None, value.split(","))) if isinstance(value, str) else value

    @field_validator("proxies", mode="before")
    @classmethod
    def _proxies(cls, value: Any) -> Any:
        texts = value.split(",") if isinstance(value, str) else value
        found = tuple(text.strip() for text in texts if text.strip())
        names = {text.partition("=")[0] for text in found}
        if not all(map(_NAMED_PROXY.fullmatch, found)) or len(names) < len(found):
            raise ValueError("must be NAME=http://host:port, separated by commas, each name once")
        return found

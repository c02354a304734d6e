"""Settings of the API, and of what operators see: logs, metrics, plug-ins."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, field_validator

from streams.settings.webhooks import Networks, networks_in


class ApiSettings(BaseModel):
    """Settings of the REST API: its address, and who may call it."""

    host: str = Field("127.0.0.1", description="Address that the API listens on.")
    port: int = Field(9000, ge=1, le=65535, description="Port that the API listens on.")
    trusted_proxies: Networks = Field(
        ("127.0.0.0/8", "::1/128"),
        description="Networks, comma-separated, of reverse proxies whose `X-Forwarded-For` and "
        "`X-Forwarded-Proto` are believed.",
    )
    api_keys: Path | None = Field(
        None,
        description="File of the [API keys](rest.md#api-keys). Default: `api-keys.json` in the "
        "data folder. Without any key the API serves this machine only.",
    )

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _trusted_networks(cls, value: Any) -> Any:
        return networks_in(value)


class OperationSettings(BaseModel):
    """Plug-ins, the language of messages, logs and metrics."""

    plugins: Path | None = Field(
        None,
        description="Folder of [plug-ins](plugins.md): readers and stemmers of your own. "
        "Default: `plugins` in the data folder.",
    )
    language: str = Field(
        "en",
        pattern="^(de|en|es|fr|ja|zh-Hans)$",
        description="Language of [messages](how-to/send-to-channels.md) to channels that choose "
        "none.",
    )
    log_level: str = Field(
        "info",
        pattern="^(debug|info|warning|error)$",
        description="Lowest level that is logged.",
    )
    log_format: str = Field(
        "console",
        pattern="^(console|json)$",
        description="Format of the [logs](logs.md): lines for people, or JSON objects.",
    )
    metrics: str = Field(
        "127.0.0.1:0",
        pattern=r"^(.+:[0-9]{1,5}|off)$",
        description="Address, `host:port`, at which each process serves its [metrics](metrics.md). "
        "Port 0 is a free one, which the process notes in the data folder. `off`: no metrics.",
    )

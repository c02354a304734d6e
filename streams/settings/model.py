"""All settings together, and their environment variables."""

from pathlib import Path
from typing import get_args

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from streams.settings.fetching import FetchSettings, RenderSettings
from streams.settings.judging import ModelSettings
from streams.settings.kafka import KafkaSettings
from streams.settings.openid import OpenIdSettings
from streams.settings.operation import ApiSettings, OperationSettings
from streams.settings.storage import StorageSettings
from streams.settings.webhooks import EgressSettings, WebhookSettings


class Settings(
    OperationSettings,
    EgressSettings,
    WebhookSettings,
    ModelSettings,
    RenderSettings,
    FetchSettings,
    OpenIdSettings,
    ApiSettings,
    StorageSettings,
    KafkaSettings,
    BaseSettings,
):
    """Everything that can be set; each field's description is its documentation.

    Pydantic lists the fields of the last base first.

    Example:
        >>> Settings(kafka="127.0.0.1:9092", partitions=4).partitions
        4
    """

    model_config = SettingsConfigDict(
        allow_inf_nan=False,
        env_prefix="VOKTER_",
        env_ignore_empty=True,
        frozen=True,
        populate_by_name=True,
    )

    @property
    def keys_file(self) -> Path:
        """The file of API keys, with its default."""
        return self.api_keys or self.data_dir / "api-keys.json"

    @property
    def signing_file(self) -> Path:
        """The file of the signing key that is used if none is set."""
        return self.data_dir / "signing-key"

    @property
    def plugin_folder(self) -> Path:
        """The folder of plug-ins, with its default."""
        return self.plugins or self.data_dir / "plugins"

    def environment(self) -> dict[str, str]:
        """Return the variables that make a child process load the same settings."""
        secrets = {n: v for n, v in self if isinstance(v, SecretStr)}
        values = self.model_dump(mode="json", exclude_none=True)
        values |= {name: value.get_secret_value() for name, value in secrets.items()}
        return {
            variable(name): ",".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in values.items()
        }


def variable(name: str) -> str:
    """Return the environment variable of a setting, by its name or by that variable.

    Example:
        >>> variable("data_dir")
        'VOKTER_DATA_DIR'
    """
    if name.lower() == "schema_registry_url":  # pydantic's errors name it by its alias
        return "SCHEMA_REGISTRY_URL"
    return f"VOKTER_{name.upper()}"


def secret_fields() -> frozenset[str]:
    """Return the names of the settings with values that must not be shown."""
    fields = Settings.model_fields.items()
    return frozenset(n for n, field in fields if SecretStr in (*get_args(field.annotation),))

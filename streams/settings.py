"""Settings, from environment variables ``VOKTER_…``; docs/settings.md is their table."""

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import Field, FilePath, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from connectors.kafka.access import Access
from connectors.registry.codec import Codec
from schemas.egress_policy import EgressPolicy
from schemas.signing import MIN_KEY
from schemas.topics import PREFIX
from streams.core.delivery.retries import SCHEDULE
from streams.topics import TOPICS

DAY = 24 * 3600

Networks = Annotated[tuple[str, ...], NoDecode]
Ports = Annotated[tuple[int, ...], NoDecode]
Seconds = Annotated[tuple[Annotated[float, Field(ge=0)], ...], NoDecode]


def variable(name: str) -> str:
    """Give the environment variable of a setting, by its name or its own variable."""
    if name.lower() == "schema_registry_url":  # every program of Kafka's calls it so
        return "SCHEMA_REGISTRY_URL"
    return f"VOKTER_{name.upper()}"


class Settings(BaseSettings):
    """Everything that can be set; each field's description is its documentation."""

    model_config = SettingsConfigDict(
        env_prefix="VOKTER_", env_ignore_empty=True, frozen=True, populate_by_name=True
    )

    kafka: str | None = Field(
        None, description="Brokers, `host:port[,…]`. Without it `vokter up` starts a local one."
    )
    kafka_security: str = Field(
        "PLAINTEXT",
        pattern="^(PLAINTEXT|SSL|SASL_PLAINTEXT|SASL_SSL)$",
        description="How the brokers are talked to.",
    )
    kafka_ca: FilePath | None = Field(
        None,
        description="PEM file of the authorities that brokers' certificates are trusted by. "
        "Default: the system's.",
    )
    kafka_cert: FilePath | None = Field(
        None, description="PEM file of our own certificate, where brokers ask for one."
    )
    kafka_key: FilePath | None = Field(
        None, description="PEM file of its key, where it is not in the same file."
    )
    kafka_mechanism: str = Field(
        "SCRAM-SHA-512",
        pattern="^(PLAIN|SCRAM-SHA-256|SCRAM-SHA-512)$",
        description="SASL mechanism.",
    )
    kafka_user: str | None = Field(None, description="SASL user name.")
    kafka_password: SecretStr | None = Field(None, description="SASL password.")
    store: str | None = Field(
        None,
        description="Where snapshots and listings are kept: `sqlite:PATH` or "
        "`mongodb://HOST/DATABASE`. Default: SQLite in the data folder.",
    )
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("vokter"),
        description="Folder of everything that is kept: broker, store, state, logs.",
    )
    host: str = Field("127.0.0.1", description="Address that the API listens on.")
    port: int = Field(9000, ge=1, le=65535, description="Port that the API listens on.")
    api_keys: Path | None = Field(
        None,
        description="File of the [API keys](rest.md#api-keys). Default: `api-keys.json` in the "
        "data folder. While there are none, the API is for this machine only.",
    )
    signing_key: SecretStr | None = Field(
        None,
        description="Key of at least 32 characters that the [secrets of webhooks]"
        "(rest.md#signatures) are derived from. Default: one made at the first start, in "
        "`signing-key` in the data folder.",
    )
    verify_webhooks: str = Field(
        "auto",
        pattern="^(on|off|auto)$",
        description="Whether a webhook is told nothing until it has answered a "
        "[challenge](rest.md#the-challenge). By default it is so as soon as there are API keys.",
    )
    topic_prefix: str = Field(
        PREFIX, pattern=r"^[a-zA-Z0-9._-]*$", description="Goes before every topic's name."
    )
    partitions: int = Field(
        8, ge=1, le=1000, description="Partitions of every topic, fixed at creation."
    )
    replication: int | None = Field(
        None,
        ge=1,
        description="Copies of every topic, changelogs too. "
        "Default: the smaller of 3 and the brokers there are.",
    )
    retention: float = Field(
        7, gt=0, description="Days that topics and histories are kept; may be a fraction."
    )
    history_days: float = Field(
        7,
        ge=0,
        description="Days that a snapshot of a document is kept after another has replaced it; may "
        "be a fraction, 0: none is.",
    )
    history_count: int = Field(
        10, ge=0, description="How many such snapshots of a document are kept, 0: none."
    )
    min_interval: int = Field(
        60, ge=1, description="Smallest interval of a subscription, in seconds."
    )
    max_failures: int = Field(
        10, ge=1, description="Failed fetches in a row after which a watch times out."
    )
    allow_private: Networks = Field(
        (),
        description="Networks, comma-separated, that may be fetched and notified "
        "although they are private, such as `127.0.0.0/8,::1/128`.",
    )
    allow_ports: Ports = Field(
        (),
        description="Ports below 1024, comma-separated, that may be connected to besides 80 and "
        "443.",
    )
    proxy: str | None = Field(
        None,
        pattern=r"^https?://[^/]+/?$",
        description="Proxy, `http://host:port`, that makes all connections to documents and "
        "receivers; it has to refuse private addresses itself. `HTTP_PROXY` and the like are "
        "not looked at.",
    )
    retry_schedule: Seconds = Field(
        SCHEDULE,
        min_length=1,
        description="Seconds before each attempt to notify a webhook, comma-separated; "
        "each is varied by a fifth. Default: that of Standard Webhooks, over three days.",
    )
    contact: str | None = Field(
        None, description="URL or address that the User-Agent names for webmasters."
    )
    robots: str = Field(
        "obey",
        pattern="^(obey|ignore)$",
        description="What robots.txt asks for; to be ignored only on sites of your own.",
    )
    host_delay: float = Field(
        1,
        ge=0,
        le=3600,
        description="Seconds between two requests to one host; a crawl delay in its robots.txt, "
        "up to 30, counts if it is longer.",
    )
    connect_timeout: float = Field(
        10, gt=0, description="Seconds that a document's server has to take a connection."
    )
    fetch_timeout: float = Field(
        30, gt=0, description="Seconds that one fetch may take in all, redirects included."
    )
    max_headers: int = Field(
        65_536, ge=1024, description="Bytes of a response's headers, with interim responses."
    )
    max_download: int = Field(
        5_000_000, ge=1024, description="Bytes of a response as they come, with headers."
    )
    max_document: int = Field(
        10_000_000, ge=1024, description="Bytes of a document when it is decompressed."
    )
    parsers: int | None = Field(
        None,
        ge=1,
        description="Processes in which a fetch worker reads and compares pages. "
        "Default: as many as there are cores.",
    )
    parse_timeout: float = Field(
        5, gt=0, description="Seconds after which a process that reads one page is killed."
    )
    max_age: str = Field(
        "ignore",
        pattern="^(obey|ignore)$",
        description="Whether a document is left alone as long as its `Cache-Control: max-age` "
        "says, up to a day, even if its interval is shorter.",
    )
    plugins: Path | None = Field(
        None,
        description="Folder of [plug-ins](plugins.md): readers and stemmers of your own. "
        "Default: `plugins` in the data folder.",
    )
    schema_registry_url: SecretStr | None = Field(
        None,
        validation_alias=variable("schema_registry_url"),
        description="Schema registry with Confluent's API, `https://[USER:PASSWORD@]HOST[:PORT]`. "
        "With one, records are [framed](topics.md#with-a-schema-registry) as Confluent has it.",
    )
    log_level: str = Field(
        "info", pattern="^(debug|info|warning|error)$", description="What is logged."
    )
    log_format: str = Field(
        "console",
        pattern="^(console|json)$",
        description="Whether [logs](logs.md) are lines for people or JSON objects.",
    )
    metrics: str = Field(
        "127.0.0.1:0",
        pattern=r"^(.+:[0-9]{1,5}|off)$",
        description="Address, `host:port`, that each process serves its [metrics](metrics.md) "
        "on; with port 0 a free one, which it notes in the data folder. `off` for none.",
    )

    @field_validator("allow_private", mode="before")
    @classmethod
    def _networks(cls, value: Any) -> Any:
        texts = value.split(",") if isinstance(value, str) else value
        return tuple(str(ip_network(text.strip())) for text in texts if text.strip())

    @field_validator("signing_key")
    @classmethod
    def _long(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value) < MIN_KEY:
            raise ValueError(f"at least {MIN_KEY} characters are needed")
        return value

    @field_validator("schema_registry_url")
    @classmethod
    def _http(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("an http or https URL is allowed")
        return value

    @field_validator("allow_ports", mode="before")
    @classmethod
    def _ports(cls, value: Any) -> Any:
        return tuple(filter(None, value.split(","))) if isinstance(value, str) else value

    @property
    def access(self) -> Access:
        """How to reach the brokers, which must be known by now."""
        return Access(
            self.kafka or "",
            self.kafka_security,
            self.kafka_ca,
            self.kafka_cert,
            self.kafka_key,
            self.kafka_mechanism,
            self.kafka_user,
            self.kafka_password.get_secret_value() if self.kafka_password else None,
        )

    @property
    def reach(self) -> EgressPolicy:
        """Where documents and receivers may be."""
        stores = self.store_url.partition("//")[2].partition("/")[0].rpartition("@")[2]
        usual = ":27017" if self.store_url.startswith("mongodb") else ""
        registry = self.schema_registry_url.get_secret_value() if self.schema_registry_url else ""
        registries = ",".join(urlsplit(each).netloc for each in registry.split(","))
        places = f"{self.kafka or ''},{stores},{usual},{registries}".split(",")
        ports = {int(port) for place in places if (port := place.rpartition(":")[2]).isdecimal()}
        return EgressPolicy(self.allow_private, self.allow_ports, {self.port, *ports})

    @field_validator("retry_schedule", mode="before")
    @classmethod
    def _seconds(cls, value: Any) -> Any:
        return value.split(",") if isinstance(value, str) else value

    @property
    def store_url(self) -> str:
        """The store's URL, with its default."""
        return self.store or f"sqlite:{self.data_dir / 'vokter.db'}"

    @property
    def keys_file(self) -> Path:
        """The file of API keys, with its default."""
        return self.api_keys or self.data_dir / "api-keys.json"

    @property
    def signing_file(self) -> Path:
        """The file of the signing key that is used where none is set."""
        return self.data_dir / "signing-key"

    @property
    def metrics_folder(self) -> Path:
        """The folder in which each process notes where its metrics are."""
        return self.data_dir / "metrics"

    @property
    def plugin_folder(self) -> Path:
        """The folder of plug-ins, with its default."""
        return self.plugins or self.data_dir / "plugins"

    @property
    def retention_ms(self) -> int:
        """The retention in milliseconds."""
        return int(self.retention * DAY * 1000)

    @property
    def former_snapshots(self) -> int:
        """How many snapshots of a document are kept when they are replaced."""
        return self.history_count if self.history_days else 0

    @property
    def history_ms(self) -> int:
        """How long such a snapshot is kept, in milliseconds."""
        return int(self.history_days * DAY * 1000) if self.history_count else 0

    def environment(self) -> dict[str, str]:
        """Give the variables that make another process have the same settings."""
        secrets = {n: v for n, v in self if isinstance(v, SecretStr)}
        values = self.model_dump(mode="json", exclude_none=True)
        values |= {name: value.get_secret_value() for name, value in secrets.items()}
        return {variable(name): _text(value) for name, value in values.items()}

    def codec(self) -> Codec:
        """Give what translates records as the deployment does; to be started."""
        url = self.schema_registry_url
        topics = {t.name: t.kinds for t in TOPICS if t.kinds and not t.keeps_last}
        return Codec(url.get_secret_value() if url else None, self.topic_prefix, topics)

    async def started_codec(self) -> Codec:
        """Give it started; raises RegistryUnavailable or RegistryRefused."""
        codec = self.codec()
        await codec.start()
        return codec


def secret_fields() -> frozenset[str]:
    """Give the settings that must not be shown."""
    fields = Settings.model_fields.items()
    return frozenset(n for n, field in fields if SecretStr in (*get_args(field.annotation),))


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)

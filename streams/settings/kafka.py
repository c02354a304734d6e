"""Settings of Kafka: how to reach the brokers, and what topics are created with."""

from pydantic import BaseModel, Field, FilePath, SecretStr, field_validator

from schemas.records.topic_names import PREFIX


class KafkaSettings(BaseModel):
    """The brokers, the topics and the schema registry."""

    kafka: str | None = Field(
        None, description="Brokers, `host:port[,…]`. Without it `vokter up` starts a local one."
    )
    kafka_security: str = Field(
        "PLAINTEXT",
        pattern="^(PLAINTEXT|SSL|SASL_PLAINTEXT|SASL_SSL)$",
        description="Security protocol of the connection to the brokers.",
    )
    kafka_ca: FilePath | None = Field(
        None,
        description="PEM file of the certificate authorities that sign the brokers' "
        "certificates. Default: the system's.",
    )
    kafka_cert: FilePath | None = Field(
        None, description="PEM file of the client certificate, if the brokers require one."
    )
    kafka_key: FilePath | None = Field(
        None, description="PEM file of the client key, if it is not in `VOKTER_KAFKA_CERT`."
    )
    kafka_mechanism: str = Field(
        "SCRAM-SHA-512",
        pattern="^(PLAIN|SCRAM-SHA-256|SCRAM-SHA-512)$",
        description="SASL mechanism.",
    )
    kafka_user: str | None = Field(None, description="SASL user name.")
    kafka_password: SecretStr | None = Field(None, description="SASL password.")
    kafka_compression: str = Field(
        "none",
        pattern="^(none|zstd)$",
        description="Compression of what Vokter sends: `zstd` takes a third less space on the "
        "brokers, three quarters with many messages a second, and a little more CPU. Whoever reads "
        "the topics needs a client with Zstandard.",
    )
    topic_prefix: str = Field(
        PREFIX,
        pattern=r"^[a-zA-Z0-9._-]*$",
        description="Prefix of every topic and consumer group.",
    )
    partitions: int = Field(
        8,
        ge=1,
        le=1000,
        description="Partitions of every topic when it is created. "
        "[More can be added](how-to/add-partitions.md), and are then followed instead.",
    )
    replication: int | None = Field(
        None,
        ge=1,
        description="Replicas of every topic, changelogs included. "
        "Default: 3, or the number of the cluster's brokers if it has fewer. While some are away "
        "no topic is created.",
    )
    schema_registry_url: SecretStr | None = Field(
        None,
        validation_alias="SCHEMA_REGISTRY_URL",  # the name that other Kafka programs use
        description="Schema registry with Confluent's API, `https://[USER:PASSWORD@]HOST[:PORT]`. "
        "With one, records have [Confluent's framing](topics.md#with-a-schema-registry). "
        "Needs `pip install 'vokter[registry]'`.",
    )

    @field_validator("schema_registry_url")
    @classmethod
    def _http(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("must be an http or https URL")
        return value

"""The way to the brokers: addresses, TLS, and the login."""

import ssl
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""The largest message of Vokter, accepted by its topics and consumers."""


@dataclass(frozen=True)
class Access:
    """The settings of every client of Kafka.

    ``bootstrap`` is ``host:port,…``; ``security`` is any of Kafka's four protocols. ``ca``,
    ``cert`` and ``key`` are PEM files; without ``ca`` the system's authorities are trusted. With
    ``compression`` (``zstd``) producers compress their batches; a reader needs no setting.

    Example:
        >>> Access("localhost:9092").client()["bootstrap_servers"]
        'localhost:9092'
    """

    bootstrap: str
    security: str = "PLAINTEXT"
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    mechanism: str = "PLAIN"
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    compression: str | None = None

    @cached_property
    def ssl_context(self) -> ssl.SSLContext | None:
        """The TLS settings, None without TLS; raises OSError (SSLError) for an unusable file."""
        if not self.security.endswith("SSL"):
            return None
        context = ssl.create_default_context(cafile=self.ca)
        if self.cert is not None:
            context.load_cert_chain(self.cert, self.key)
        return context

    @property
    def uses_sasl(self) -> bool:
        """Whether the brokers ask for a login."""
        return self.security.startswith("SASL")

    def client(self) -> dict[str, Any]:
        """Return the options of all of aiokafka's clients."""
        options: dict[str, Any] = {
            "bootstrap_servers": self.bootstrap,
            "security_protocol": self.security,
            "ssl_context": self.ssl_context,
        }
        if self.uses_sasl:
            options |= {
                "sasl_mechanism": self.mechanism,
                "sasl_plain_username": self.user,
                "sasl_plain_password": self.password,
            }
        return options

    def producer(self) -> dict[str, Any]:
        """Return the options of all of aiokafka's producers: no message twice, in order."""
        return self.client() | {
            "enable_idempotence": True,
            "compression_type": self.compression,
        }
